/// What a ``DefaultAudioDevice`` changes while a session of calling services is active.
public struct AudioSessionPolicy: Sendable, Hashable {
  /// Whether the sound server is asked for an echo canceller (`filter.want=echo-cancel`, which PulseAudio's
  /// `module-filter-apply` heeds); true at first.
  public var wantsEchoCancellation = true
  /// Whether a card's profile is switched where the call has no microphone otherwise, as with Bluetooth headsets that
  /// play music; true at first. Put back afterwards.
  public var switchesProfiles = true
  /// The least level of the speaker in use during a session, from 0 to 1 as the user's mixer shows it; nil leaves it
  /// alone. Put back afterwards, unless the user has changed it meanwhile.
  public var outputLevel: Double?
  /// In place of the system's default, for calls at the ear: a headset first.
  public var voiceChatRoute: AudioRoute? = .preferring([.bluetooth, .headset])
  /// In place of the system's default output, for calls on a screen: the machine's own speaker first.
  public var videoChatRoute: AudioRoute? = .preferring([.builtIn])

  /// Headsets first for voice, the speaker first for video, with an echo canceller.
  public init() {}

  /// What stands in place of the system's default.
  ///
  /// - Parameters:
  ///   - direction: Which way.
  ///   - mode: What the call is.
  /// - Returns: The route; nil for the system's default.
  func route(_ direction: AudioDirection, in mode: AudioSession.Mode) -> AudioRoute? {
    switch mode {
    case .voiceChat: voiceChatRoute
    // The microphone that is the default suits: a camera's, or that on the desk.
    case .videoChat: direction == .render ? videoChatRoute : nil
    }
  }
}
