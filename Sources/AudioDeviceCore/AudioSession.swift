/// The audio session of a call, as calling services hand it over.
public struct AudioSession: Sendable, Hashable {
  /// What the call is, which decides the route and the processing.
  public var mode: Mode

  /// A session.
  ///
  /// - Parameter mode: What the call is.
  public init(mode: Mode = .voiceChat) { self.mode = mode }

  /// The kinds of calls.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// Voice: at the ear or on a headset.
    case voiceChat
    /// Video: on the speaker.
    case videoChat
  }
}
