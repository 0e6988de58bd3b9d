#if ALSA
  internal import AudioDeviceCore
  internal import CALSA
  internal import Glibc

  /// What alsa-lib's configuration offers. All functions allocate, read the configuration, and may hang in its hooks.
  enum ALSADevices {
    /// The PCM that alsa-lib's users take without a choice.
    static let defaultName = "default"

    /// PCMs that only convert for another one, or that only old programs want.
    private static let converters: Set<String> = [
      "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix", "a52", "jack", "oss", "usbstream", "plug",
      "dmix", "dsnoop", "dshare", "asym", "empty", "shm", "tee", "file", "cards",
    ]
    /// Spellings of the kernel's devices beside `hw:`.
    private static let spellings: Set<String> = [
      "hw", "plughw", "sysdefault", "default", "front", "rear", "side", "center_lfe", "surround21", "surround40",
      "surround41", "surround50", "surround51", "surround71", "iec958", "spdif", "hdmi", "modem", "phoneline", "dmix",
      "dsnoop", "dshare", "usbstream",
    ]
    /// PCMs that are there whether their server runs or not.
    private static let servers: Set<String> = ["pulse", "pipewire"]
    private static let nullName = "null"

    /// All devices: the default, the kernel's, the rest.
    static func all() -> [AudioDeviceInfo] {
      let hints = PCMHint.all()
      var devices = hints.filter { $0.name == defaultName }.flatMap { $0.devices(kind: .unknown, isDefault: true) }
      if devices.isEmpty, isDefined(defaultName) {
        devices = PCMHint(name: defaultName, description: "Default Audio Device", direction: nil)
          .devices(kind: .unknown, isDefault: true)
      }
      devices += ALSACards.devices()
      for hint in hints where isWorthListing(hint.name) {
        devices += hint.devices(kind: hint.name.hasPrefix("bluealsa") ? .bluetooth : .virtual, isDefault: false)
      }
      var seen: Set<[String]> = []
      return devices.filter { seen.insert([$0.id, $0.direction.rawValue]).inserted }
    }

    /// Whether a stream could be opened by name or by default; see ``ALSABackend/isAvailable``.
    static func canBeHad() -> Bool {
      if ALSACards.haveDevices { return true }
      // Nobody is kept from a device by opening what is none of the kernel's.
      let names = PCMHint.all().map(\.name).filter { isWorthListing($0) && $0 != nullName && !servers.contains($0) }
      return ([defaultName] + names.prefix(16)).contains { opens($0) }
    }

    /// Whether a hint is a device in its own right. Names with arguments are spellings of the kernel's devices, unless
    /// a plug-in made them up.
    static func isWorthListing(_ name: String) -> Bool {
      guard name != defaultName else { return false }
      let base = String(name.prefix { $0 != ":" })
      return name.contains(":") ? !spellings.contains(base) : !converters.contains(name) && !spellings.contains(name)
    }

    private static func opens(_ name: String) -> Bool {
      AudioDirection.allCases.contains { direction in
        guard let pcm = try? PCMHandle(name: name, direction: direction) else { return false }
        return PCMPacing(pcm) != .none
      }
    }

    /// Whether the configuration defines a PCM, evaluated: `snd_config_search_definition`. Debian's `default` is
    /// defined through the first card, and so only where there is one.
    private static func isDefined(_ name: String) -> Bool {
      var top: OpaquePointer?
      guard snd_config_update_ref(&top) >= 0, let top else { return false }
      defer { snd_config_unref(top) }
      var definition: OpaquePointer?
      guard snd_config_search_definition(top, "pcm", name, &definition) >= 0, let definition else { return false }
      snd_config_delete(definition)
      return true
    }
  }

  /// One entry of `snd_device_name_hint`.
  struct PCMHint: Sendable, Hashable {
    /// `NAME`: the PCM's.
    var name: String
    /// `DESC`: for people, in one line.
    var description: String
    /// `IOID`; nil for both.
    var direction: AudioDirection?

    /// The devices it stands for.
    func devices(kind: AudioDeviceInfo.Kind, isDefault: Bool) -> [AudioDeviceInfo] {
      AudioDirection.allCases.filter { direction == nil || direction == $0 }.map {
        AudioDeviceInfo(id: name, name: description, direction: $0, kind: kind, isDefault: isDefault)
      }
    }

    /// All entries for PCMs; none where there is no configuration.
    static func all() -> [PCMHint] {
      var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
      guard snd_device_name_hint(-1, "pcm", &hints) >= 0, let hints else { return [] }
      defer { snd_device_name_free_hint(hints) }
      var all: [PCMHint] = []
      var next = hints
      while let hint = next.pointee {
        if let name = text("NAME", of: hint), !name.isEmpty {
          let direction: AudioDirection? =
            switch text("IOID", of: hint) {
            case "Input": .capture
            case "Output": .render
            default: nil
            }
          all.append(PCMHint(name: name, description: oneLine(text("DESC", of: hint) ?? name), direction: direction))
        }
        next += 1
      }
      return all
    }

    /// A description without its line ends: card and device, then what kind of access.
    static func oneLine(_ description: String) -> String {
      description.split(separator: "\n").joined(separator: ", ")
    }

    private static func text(_ key: String, of hint: UnsafeMutableRawPointer) -> String? {
      guard let text = snd_device_name_get_hint(hint, key) else { return nil }
      defer { free(text) }
      return String(cString: text)
    }
  }
#endif
