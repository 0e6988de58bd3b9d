#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  /// What the server tells about one sink or source, as far as we use it.
  struct PulseDeviceFacts: Sendable, Hashable {
    var direction = AudioDirection.render
    /// The server's name for it.
    var name = ""
    var description = ""
    /// Frames per second and samples per frame, as it works by itself.
    var rate = 0
    var channels = 0
    /// Whether it is a source of what a sink plays.
    var isMonitor = false
    /// `PA_SINK_HARDWARE`, `PA_SOURCE_HARDWARE`: whether there is a device behind it.
    var isHardware = false
    /// `PA_SINK_NETWORK`, `PA_SOURCE_NETWORK`: whether it is another machine's.
    var isNetwork = false
    /// The type of the port in use, `pa_device_port_type_t`.
    var portType: UInt32?
    /// Whether nothing is plugged into the port in use, `PA_PORT_AVAILABLE_NO`.
    var portIsUnplugged = false
    /// The name of the port in use.
    var portName = ""
    var bus = ""
    var formFactor = ""
    /// `sound`, `modem`, `monitor`, `filter`, `abstract`.
    var deviceClass = ""
    /// `alsa`, `bluez`, `bluez5`.
    var api = ""
    /// The card profile behind it, such as `hdmi-stereo`.
    var profile = ""

    /// What it is. Bluetooth comes first, because a Bluetooth headset needs more care than any other.
    var kind: AudioDeviceInfo.Kind {
      if isMonitor || deviceClass == "monitor" { return .monitor }
      if isHelper || deviceClass == "filter" || deviceClass == "abstract" { return .virtual }
      if bus == "bluetooth" || api.hasPrefix("bluez") { return .bluetooth }
      if isHDMI { return .hdmi }
      if isWorn { return .headset }
      switch bus {
      case "usb": return .usb
      case "pci", "isa", "platform", "firewire", "soundwire": return .builtIn
      default: break
      }
      if formFactor == "internal" { return .builtIn }
      if isNetwork { return .unknown }
      return isHardware ? .unknown : .virtual
    }

    /// As `module-filter-apply` names what it loads; other filters, such as remapped channels, are somebody's own.
    private var isHelper: Bool { name.hasSuffix(".echo-cancel") }

    private var isHDMI: Bool {
      portType == PA_DEVICE_PORT_TYPE_HDMI.rawValue || portType == PA_DEVICE_PORT_TYPE_TV.rawValue
        || portName.hasPrefix("hdmi") || profile.hasPrefix("hdmi")
    }

    private var isWorn: Bool {
      switch formFactor {
      case "headset", "headphone", "hands-free": return true
      default: break
      }
      switch portType {
      case PA_DEVICE_PORT_TYPE_HEADSET.rawValue?, PA_DEVICE_PORT_TYPE_HEADPHONES.rawValue?: return true
      default: return false
      }
    }

    /// As it is listed.
    ///
    /// - Parameter defaultName: The default device of the direction.
    /// - Returns: The device.
    func info(defaultName: String) -> AudioDeviceInfo {
      let rate = min(max(rate, AudioFormat.sampleRates.lowerBound), AudioFormat.sampleRates.upperBound)
      let channels = min(max(channels, AudioFormat.channelCounts.lowerBound), AudioFormat.channelCounts.upperBound)
      return AudioDeviceInfo(
        id: name, name: description.isEmpty ? name : description, direction: direction, kind: kind,
        isDefault: name == defaultName, nativeFormat: try? AudioFormat(sampleRate: rate, channelCount: channels),
        formFactor: formFactor.isEmpty ? nil : formFactor, isPluggedIn: !portIsUnplugged, isHelper: isHelper)
    }
  }

  extension PulseDeviceFacts {
    /// Reads a sink. Copies all it keeps.
    init(_ sink: pa_sink_info) {
      direction = .render
      name = String(pulse: sink.name)
      isHardware = sink.flags.rawValue & PA_SINK_HARDWARE.rawValue != 0
      isNetwork = sink.flags.rawValue & PA_SINK_NETWORK.rawValue != 0
      if let port = sink.active_port?.pointee {
        portType = port.type
        portName = String(pulse: port.name)
        portIsUnplugged = port.available == PA_PORT_AVAILABLE_NO.rawValue
      }
      read(description: sink.description, spec: sink.sample_spec, properties: sink.proplist)
    }

    /// Reads a source. Copies all it keeps.
    init(_ source: pa_source_info) {
      direction = .capture
      name = String(pulse: source.name)
      isMonitor = source.monitor_of_sink != .max
      isHardware = source.flags.rawValue & PA_SOURCE_HARDWARE.rawValue != 0
      isNetwork = source.flags.rawValue & PA_SOURCE_NETWORK.rawValue != 0
      if let port = source.active_port?.pointee {
        portType = port.type
        portName = String(pulse: port.name)
        portIsUnplugged = port.available == PA_PORT_AVAILABLE_NO.rawValue
      }
      read(description: source.description, spec: source.sample_spec, properties: source.proplist)
    }

    private mutating func read(description: UnsafePointer<CChar>?, spec: pa_sample_spec, properties: OpaquePointer?) {
      self.description = String(pulse: description)
      rate = Int(spec.rate)
      channels = Int(spec.channels)
      guard let properties else { return }
      bus = String(pulse: pa_proplist_gets(properties, PA_PROP_DEVICE_BUS))
      formFactor = String(pulse: pa_proplist_gets(properties, PA_PROP_DEVICE_FORM_FACTOR))
      deviceClass = String(pulse: pa_proplist_gets(properties, PA_PROP_DEVICE_CLASS))
      api = String(pulse: pa_proplist_gets(properties, PA_PROP_DEVICE_API))
      profile = String(pulse: pa_proplist_gets(properties, PA_PROP_DEVICE_PROFILE_NAME))
    }
  }

  extension String {
    /// A copy of libpulse's string; empty for none.
    init(pulse string: UnsafePointer<CChar>?) {
      self = string.map { String(cString: $0) } ?? ""
    }
  }
#endif
