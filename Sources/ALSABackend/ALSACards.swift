#if ALSA
  internal import AudioDeviceCore
  internal import CALSA
  internal import Glibc

  /// The kernel's cards and their PCMs, by the control devices; no PCM is opened. All functions allocate and call
  /// alsa-lib.
  enum ALSACards {
    /// One direction of one PCM of a card.
    static func devices() -> [AudioDeviceInfo] {
      var devices: [AudioDeviceInfo] = []
      forEachCard { card in devices += card.devices() }
      return devices
    }

    /// Whether a card has a PCM.
    static var haveDevices: Bool {
      var found = false
      forEachCard { card in found = found || card.nextDevice(after: -1) != nil }
      return found
    }

    private static func forEachCard(_ body: (borrowing Card) -> Void) {
      var index: Int32 = -1
      // The kernel has at most 32 cards; the bound keeps a broken answer from looping for ever.
      for _ in 0..<64 {
        guard snd_card_next(&index) >= 0, index >= 0 else { return }
        if let card = Card(index: index) { body(card) }
      }
    }

    /// What a PCM is, by the names that the kernel's drivers give.
    static func kind(driver: String, card: String, pcm: String) -> AudioDeviceInfo.Kind {
      let driver = driver.lowercased()
      let names = "\(card) \(pcm)".lowercased()
      if driver == "loopback" || driver == "dummy" { return .virtual }
      if driver == "usb-audio" { return names.contains("headset") ? .headset : .usb }
      if driver.contains("hdmi") || names.contains("hdmi") || names.contains("displayport") { return .hdmi }
      return .builtIn
    }
  }

  /// An open control device: `snd_ctl_t`.
  private struct Card: ~Copyable {
    private let raw: OpaquePointer
    private let id: String
    private let name: String
    private let driver: String

    init?(index: Int32) {
      var opened: OpaquePointer?
      guard snd_ctl_open(&opened, "hw:\(index)", SND_CTL_NONBLOCK) >= 0, let opened else { return nil }
      var info: OpaquePointer?
      guard snd_ctl_card_info_malloc(&info) >= 0, let info else {
        snd_ctl_close(opened)
        return nil
      }
      defer { snd_ctl_card_info_free(info) }
      guard snd_ctl_card_info(opened, info) >= 0 else {
        snd_ctl_close(opened)
        return nil
      }
      raw = opened
      id = String(cString: snd_ctl_card_info_get_id(info))
      name = String(cString: snd_ctl_card_info_get_name(info))
      driver = String(cString: snd_ctl_card_info_get_driver(info))
    }

    deinit { snd_ctl_close(raw) }

    /// The card's next PCM: `snd_ctl_pcm_next_device`.
    func nextDevice(after device: Int32) -> Int32? {
      var device = device
      return snd_ctl_pcm_next_device(raw, &device) >= 0 && device >= 0 ? device : nil
    }

    func devices() -> [AudioDeviceInfo] {
      var info: OpaquePointer?
      guard snd_pcm_info_malloc(&info) >= 0, let info else { return [] }
      defer { snd_pcm_info_free(info) }
      var devices: [AudioDeviceInfo] = []
      var device: Int32 = -1
      while let next = nextDevice(after: device), next > device {
        device = next
        for direction in AudioDirection.allCases {
          snd_pcm_info_set_device(info, UInt32(device))
          snd_pcm_info_set_subdevice(info, 0)
          snd_pcm_info_set_stream(
            info, direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK)
          // A direction that the PCM does not have is no error worth telling.
          guard snd_ctl_pcm_info(raw, info) >= 0 else { continue }
          let pcmName = String(cString: snd_pcm_info_get_name(info))
          let kind = ALSACards.kind(driver: driver, card: name, pcm: pcmName)
          devices.append(
            AudioDeviceInfo(
              id: "hw:CARD=\(id),DEV=\(device)", name: pcmName.isEmpty ? name : "\(name), \(pcmName)",
              direction: direction, kind: kind, formFactor: kind == .headset ? "headset" : nil))
        }
      }
      return devices
    }
  }
#endif
