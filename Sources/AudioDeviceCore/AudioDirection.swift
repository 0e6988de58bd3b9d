@_exported public import RealtimeSupport

/// One of the two ways audio goes.
public enum AudioDirection: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// From a microphone to the client.
  case capture
  /// From the client to a speaker.
  case render

  /// `capture` or `render`.
  public var description: String { rawValue }
}
