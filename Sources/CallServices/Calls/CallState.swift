/// Where a call stands.
public enum CallState: Sendable, Hashable {
  /// An incoming call that nobody has answered.
  case ringing
  /// A call that was started or answered, before both sides are joined.
  case connecting
  /// Both sides are joined.
  case connected
  /// Both sides are joined and this one has given up the audio for a while.
  case held
  /// It is over, for good.
  case ended(CallEndReason)

  /// Whether the call is over.
  public var isEnded: Bool {
    if case .ended = self { true } else { false }
  }
}

/// Why a call is over.
public enum CallEndReason: String, Sendable, Hashable, CaseIterable {
  /// Ended on this side.
  case ended
  /// Declined on this side instead of being answered.
  case declined
  /// Ended by the other side.
  case remoteEnded
  /// Nobody answered in time.
  case unanswered
  /// It could not be started, answered or kept up.
  case failed
  /// Answered on another device of the user.
  case answeredElsewhere
  /// Declined on another device of the user.
  case declinedElsewhere
  /// The provider was reset.
  case reset
}
