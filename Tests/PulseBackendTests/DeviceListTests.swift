#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import CPulse
  @testable import PulseBackend
  import Synchronization
  import Testing

  @Suite struct DeviceFactsTests {
    private static let hardware = PulseDeviceFacts(name: "d", isHardware: true, deviceClass: "sound", api: "alsa")

    private static func facts(_ change: (inout PulseDeviceFacts) -> Void) -> PulseDeviceFacts {
      var facts = hardware
      change(&facts)
      return facts
    }

    private static let kinds: [(PulseDeviceFacts, AudioDeviceInfo.Kind)] = [
      (facts { $0.bus = "pci" }, .builtIn),
      (facts { $0.formFactor = "internal" }, .builtIn),
      (facts { $0.bus = "platform" }, .builtIn),
      (facts { $0.bus = "usb" }, .usb),
      (facts { ($0.bus, $0.formFactor) = ("usb", "webcam") }, .usb),
      (facts { ($0.bus, $0.formFactor) = ("usb", "headset") }, .headset),
      (facts { ($0.bus, $0.formFactor) = ("usb", "headphone") }, .headset),
      (facts { ($0.bus, $0.portType) = ("pci", PA_DEVICE_PORT_TYPE_HEADPHONES.rawValue) }, .headset),
      (facts { ($0.bus, $0.portType) = ("pci", PA_DEVICE_PORT_TYPE_SPEAKER.rawValue) }, .builtIn),
      (facts { ($0.bus, $0.portType) = ("pci", PA_DEVICE_PORT_TYPE_HDMI.rawValue) }, .hdmi),
      (facts { ($0.bus, $0.profile) = ("pci", "hdmi-stereo-extra1") }, .hdmi),
      (facts { ($0.bus, $0.portName) = ("pci", "hdmi-output-0") }, .hdmi),
      (facts { $0.bus = "bluetooth" }, .bluetooth),
      (facts { ($0.bus, $0.formFactor) = ("bluetooth", "headset") }, .bluetooth),
      (facts { $0.api = "bluez5" }, .bluetooth),
      (facts { $0.isMonitor = true }, .monitor),
      (facts { $0.deviceClass = "monitor" }, .monitor),
      (facts { ($0.deviceClass, $0.isHardware) = ("filter", false) }, .virtual),
      (facts { ($0.name, $0.isHardware) = ("alsa_input.usb.echo-cancel", false) }, .virtual),
      (facts { ($0.deviceClass, $0.isHardware, $0.api) = ("abstract", false, "") }, .virtual),
      (facts { ($0.deviceClass, $0.isHardware, $0.api) = ("", false, "") }, .virtual),
      (facts { ($0.isHardware, $0.isNetwork, $0.api) = (false, true, "") }, .unknown),
      (facts { _ in }, .unknown),
    ]

    @Test(arguments: kinds)
    func tellTheKind(facts: PulseDeviceFacts, kind: AudioDeviceInfo.Kind) {
      #expect(facts.kind == kind)
    }

    @Test(arguments: [(768_000, 32, 192_000, 8), (4_000, 0, 8_000, 1), (44_100, 2, 44_100, 2)])
    func clampTheFormat(rate: Int, channels: Int, clampedRate: Int, clampedChannels: Int) throws {
      let info = PulseDeviceFacts(name: "d", rate: rate, channels: channels).info(defaultName: "d")
      #expect(info.nativeFormat == (try AudioFormat(sampleRate: clampedRate, channelCount: clampedChannels)))
      #expect(info.isDefault && info.name == "d" && info.formFactor == nil)
    }
  }

  extension PulseTests {
    @Suite struct DeviceList {
      @Test(arguments: SoundServerKind.allCases) func hasSinksAndSources(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let devices = try rig.backend.devices()
        let sinks = devices.filter { $0.direction == .render }
        let sources = devices.filter { $0.direction == .capture }
        #expect(sinks.map(\.id) == ["spk", "hdmi", "micfeed"])
        #expect(Set(["mic", "spk.monitor", "hdmi.monitor"]).isSubset(of: Set(sources.map(\.id))))
        #expect(devices.filter(\.isDefault).map(\.id) == ["spk", "mic"])
        #expect(sources.first { $0.id == "spk.monitor" }?.kind == .monitor)
        #expect(sources.first { $0.id == "mic" }?.kind == .virtual)
        let speaker = try #require(sinks.first)
        #expect(speaker.kind == .virtual && speaker.nativeFormat == .stereo)
        if kind == .pulseAudio {
          #expect(speaker.name == "RigSpeakers")
          #expect(sinks.first { $0.id == "hdmi" }?.nativeFormat?.sampleRate == 44_100)
        }
      }

      @Test func recognisesAnEchoCanceller() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        try rig.server.loadModule(
          "module-echo-cancel", "source_master=mic", "sink_master=spk", "aec_method=null", "source_name=ec_source",
          "sink_name=ec_sink")
        let devices = try rig.backend.devices()
        #expect(devices.filter { $0.id.hasPrefix("ec_s") && $0.kind == .virtual }.count == 2)
      }

      @Test func listsDevicesOfTheSameNameApart() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        for name in ["twin-a", "twin-b"] {
          try rig.server.loadModule(
            "module-null-sink", "sink_name=\(name)", "norewinds=1", "sink_properties=device.description=Twin")
        }
        let twins = try rig.backend.devices().filter { $0.name == "Twin" }
        #expect(twins.map(\.id) == ["twin-a", "twin-b"])
      }
    }

    @Suite struct DeviceWatch {
      private final class Counter: Sendable {
        let count = Atomic<Int>(0)
        func add() { count.wrappingAdd(1, ordering: .relaxed) }
        var value: Int { count.load(ordering: .relaxed) }
      }

      @Test(arguments: SoundServerKind.allCases) func tellsOfDevicesThatComeAndGo(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let counter = Counter()
        let watch = try rig.backend.watchDevices { counter.add() }
        let module = try rig.server.loadModule("module-null-sink", "sink_name=usb")
        #expect(eventually { counter.value >= 1 })
        #expect(try rig.backend.devices().contains { $0.id == "usb" })
        #expect(try eventually { try rig.backend.devices().contains { $0.id == "usb.monitor" } })
        let known = counter.value
        try rig.server.unloadModule(module)
        #expect(eventually { counter.value > known })
        watch.cancel()
      }

      @Test func tellsOfWhatChangedAndOfNothingElse() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let counter = Counter()
        let watch = try rig.backend.watchDevices { counter.add() }
        // The server reports all of these as changes of a device.
        for step in 1...20 { try rig.server.pactl("set-sink-volume", "spk", "\(step)%") }
        try rig.server.pactl("set-sink-mute", "hdmi", "1")
        let stream = try rig.open(.render, StreamProbe(seconds: 1), device: "hdmi")
        try stream.start()
        stream.close()
        // A change that counts, after those: had they been told, more than one would have been told by then.
        try rig.server.setDefaultSink("hdmi")
        #expect(eventually { counter.value == 1 })
        try rig.server.loadModule("module-null-sink", "sink_name=usb", "norewinds=1")
        #expect(eventually { counter.value == 2 })
        watch.cancel()
        #expect(counter.value == 2)
      }

      /// It is a new device all the same: streams on it have ended.
      @Test func tellsOfADeviceThatIsBackBeforeTheListIsRead() throws {
        var limits = PulseLimits()
        limits.settling = .milliseconds(500)
        let rig = try PulseRig(limits: limits)
        defer { rig.stop() }
        func plugIn() throws -> Int {
          try rig.server.loadModule("module-null-sink", "sink_name=usb", "norewinds=1")
        }
        let module = try plugIn()
        let counter = Counter()
        let watch = try rig.backend.watchDevices { counter.add() }
        try rig.server.unloadModule(module)
        _ = try plugIn()
        #expect(eventually { counter.value >= 1 })
        watch.cancel()
      }

      @Test func mayListDevicesFromItsHandler() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let seen = Locked<[String]>([])
        let backend = rig.backend
        let watch = try backend.watchDevices { [weak backend] in
          let ids = (try? backend?.devices())?.map(\.id) ?? []
          seen.withLock { $0 = ids }
        }
        try rig.server.loadModule("module-null-sink", "sink_name=usb", "norewinds=1")
        #expect(eventually { seen.withLock { $0.contains("usb.monitor") } })
        watch.cancel()
      }

      @Test(arguments: SoundServerKind.allCases) func livesThroughARestart(kind: SoundServerKind) throws {
        var limits = PulseLimits()
        limits.reconnect = .milliseconds(100)
        let rig = try PulseRig(kind, limits: limits)
        defer { rig.stop() }
        let counter = Counter()
        let watch = try rig.backend.watchDevices { counter.add() }
        rig.server.kill()
        #expect(eventually { counter.value == 1 })
        try rig.server.restart()
        #expect(eventually { counter.value >= 2 })
        let known = counter.value
        try rig.server.loadModule("module-null-sink", "sink_name=usb")
        #expect(eventually { counter.value > known })
        watch.cancel()
      }

      @Test func tellsNothingAfterItsEnd() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let ended = Counter()
        let going = Counter()
        let watch = try rig.backend.watchDevices { ended.add() }
        let other = try rig.backend.watchDevices { going.add() }
        watch.cancel()
        watch.cancel()
        func forget() throws {
          let forgotten = try rig.backend.watchDevices { ended.add() }
          _ = forgotten
        }
        try forget()
        try rig.server.loadModule("module-null-sink", "sink_name=usb", "norewinds=1")
        #expect(eventually { going.value >= 1 })
        #expect(ended.value == 0)
        other.cancel()
      }
    }
  }
#endif
