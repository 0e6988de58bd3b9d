/// Where the audio session of calling services stands: the rules alone, without devices or time.
struct CallingServicesState: Sendable, Hashable {
  /// What a step leads to beside the new state.
  enum Outcome: Sendable, Hashable {
    /// Nothing changed.
    case none
    /// The gate or what is stored for the next activation changed.
    case changed
    /// A notice came outside the calling-services mode and was ignored.
    case ignored
    /// The session became active although nobody had prepared it.
    case activatedUnprepared
  }

  private(set) var isEnabled = false
  private(set) var isActive = false
  private(set) var preparedMode: AudioSession.Mode?
  /// The session that is active.
  private(set) var session: AudioSession?

  /// Whether the session keeps the devices closed.
  var gateIsClosed: Bool { isEnabled && !isActive }

  mutating func enable() -> Outcome {
    guard !isEnabled else { return .none }
    isEnabled = true
    return .changed
  }

  mutating func prepare(_ mode: AudioSession.Mode) -> Outcome {
    guard preparedMode != mode else { return .none }
    preparedMode = mode
    return .changed
  }

  mutating func activate(_ session: AudioSession?) -> Outcome {
    guard isEnabled else { return .ignored }
    guard !isActive else { return .none }
    let wasPrepared = preparedMode != nil
    isActive = true
    self.session = session ?? AudioSession(mode: preparedMode ?? .voiceChat)
    // What was prepared for this call must not reach the next one.
    preparedMode = nil
    return wasPrepared || session != nil ? .changed : .activatedUnprepared
  }

  mutating func deactivate() -> Outcome {
    guard isEnabled else { return .ignored }
    guard isActive else { return .none }
    isActive = false
    session = nil
    return .changed
  }
}
