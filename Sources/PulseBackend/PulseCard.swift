#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  /// What the server tells about one card, `pa_card_info`, as far as we use it.
  struct PulseCard: Sendable, Hashable {
    /// One of the ways in which a card can be used, `pa_card_profile_info2`.
    struct Profile: Sendable, Hashable {
      var name: String
      var priority: UInt32
      /// How many sinks and sources there are in it.
      var sinks: Int
      var sources: Int
      /// Whether it can be switched to; `true` where the server does not know.
      var isAvailable = true

      /// Whether it is good for both directions of a call.
      var isDuplex: Bool { isAvailable && sinks > 0 && sources > 0 }
    }

    /// The server's name for it.
    var name: String
    var isBluetooth: Bool
    var profiles: [Profile]
    var activeProfile: String

    /// The profile that gives a call its microphone: of a Bluetooth headset that is set to play music (A2DP), the best
    /// hands-free one. Other cards have their microphones anyway, and a call on the speaker leaves headsets alone.
    ///
    /// - Parameter mode: What the call is.
    /// - Returns: The profile's name; nil where the active one is good, or nothing is better.
    func profile(for mode: AudioSession.Mode) -> String? {
      guard mode == .voiceChat, isBluetooth else { return nil }
      // A headset that the user has switched off stays so.
      guard let active = profiles.first(where: { $0.name == activeProfile }), active.sinks > 0, !active.isDuplex
      else { return nil }
      return profiles.filter(\.isDuplex).max { $0.priority < $1.priority }?.name
    }
  }

  extension PulseCard {
    init(_ info: pa_card_info) {
      func property(_ key: String) -> String { String(pulse: pa_proplist_gets(info.proplist, key)) }
      name = String(pulse: info.name)
      isBluetooth = property(PA_PROP_DEVICE_BUS) == "bluetooth" || property(PA_PROP_DEVICE_API).hasPrefix("bluez")
      profiles = (0..<Int(info.n_profiles)).compactMap { index in
        info.profiles2?[index].map { profile in
          Profile(
            name: String(pulse: profile.pointee.name), priority: profile.pointee.priority,
            sinks: Int(profile.pointee.n_sinks), sources: Int(profile.pointee.n_sources),
            isAvailable: profile.pointee.available != 0)
        }
      }
      activeProfile = info.active_profile2.map { String(pulse: $0.pointee.name) } ?? ""
    }
  }
#endif
