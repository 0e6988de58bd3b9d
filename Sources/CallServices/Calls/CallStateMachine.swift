/// The rules of a call's states alone: which step is possible when.
public struct CallStateMachine: Sendable, Hashable {
  /// Where the call stands.
  public private(set) var state: CallState

  /// A call at its beginning.
  ///
  /// - Parameter direction: Incoming calls ring, outgoing ones connect.
  public init(_ direction: Call.Direction) {
    state = direction == .incoming ? .ringing : .connecting
  }

  /// What can happen to a call.
  public enum Step: Sendable, Hashable {
    /// An incoming call is answered.
    case answer
    /// Both sides are joined.
    case connect
    /// This side gives the audio up.
    case hold
    /// This side takes the audio again.
    case resume
    /// The call is over.
    case end(CallEndReason)
  }

  /// The state that a step leads to.
  ///
  /// - Parameter step: What is to happen.
  /// - Returns: The state after it.
  /// - Throws: ``CallError`` with ``CallError/Code-swift.struct/wrongMoment`` where the step is not possible.
  public func state(after step: Step) throws(CallError) -> CallState {
    switch (state, step) {
    case (.ringing, .answer): .connecting
    case (.connecting, .connect): .connected
    case (.connected, .hold): .held
    case (.held, .resume): .connected
    case (.ringing, .end(let reason)), (.connecting, .end(let reason)), (.connected, .end(let reason)),
      (.held, .end(let reason)):
      .ended(reason)
    default: throw CallError(.wrongMoment, "\(step) is not possible while the call is \(state).")
    }
  }

  /// Takes a step; where it is not possible nothing changes.
  ///
  /// - Parameter step: What happens.
  /// - Throws: ``CallError`` with ``CallError/Code-swift.struct/wrongMoment``.
  public mutating func take(_ step: Step) throws(CallError) { state = try state(after: step) }
}
