/// A clock that stands still until somebody moves it: with it, what takes minutes runs in milliseconds and always the
/// same way.
///
/// ``advance(by:limit:)`` goes from deadline to deadline. It moves time only while every participant (a thread with a
/// waiter) waits, and returns when all wait again, so a test sees all that was to happen by then.
public final class ManualPeriodClock: PeriodClock {
  private struct Participant {
    let event: WakeEvent
    var deadline: AudioInstant?
    var isWoken = false
  }
  private struct State {
    var now: AudioInstant
    var participants: [Int: Participant] = [:]
    var nextKey = 0
  }
  private let state: Locked<State>
  private let settled: WakeEvent

  /// A clock that shows `start`.
  ///
  /// - Parameter start: What it shows at first.
  /// - Throws: ``SystemCallError`` when the process is out of descriptors.
  public init(start: AudioInstant = AudioInstant(nanoseconds: 1_000_000_000)) throws(SystemCallError) {
    state = Locked(State(now: start))
    settled = try WakeEvent()
  }

  /// What the clock shows.
  public var now: AudioInstant { state.withLock { $0.now } }

  /// A waiter that ``advance(by:limit:)`` waits for until it is invalidated.
  ///
  /// - Returns: The waiter.
  /// - Throws: ``SystemCallError`` when the process is out of descriptors.
  public func makeWaiter() throws(SystemCallError) -> any ClockWaiter {
    let event = try WakeEvent()
    let key = state.withLock { state in
      state.nextKey += 1
      state.participants[state.nextKey] = Participant(event: event)
      return state.nextKey
    }
    return ManualClockWaiter(clock: self, key: key, event: event)
  }

  /// Moves the clock, stopping at each deadline on the way until all participants have done what was due.
  ///
  /// - Parameters:
  ///   - duration: How far to move.
  ///   - limit: How long, in real time, participants may take to settle at each stop.
  /// - Returns: Whether the clock got there; `false` when a participant did not settle within the limit.
  @discardableResult
  public func advance(by duration: Duration, limit: Duration = .seconds(10)) -> Bool {
    let target = now + duration
    while true {
      guard waitUntilSettled(limit: limit) else { return false }
      let arrived = state.withLock { state in
        let earliest = state.participants.values.compactMap(\.deadline).min()
        guard let earliest, earliest <= target else {
          state.now = max(state.now, target)
          return true
        }
        state.now = max(state.now, earliest)
        for key in state.participants.keys {
          guard let deadline = state.participants[key]?.deadline, deadline <= state.now else { continue }
          state.participants[key]?.deadline = nil
          state.participants[key]?.event.signal()
        }
        return false
      }
      if arrived { return true }
    }
  }

  private func waitUntilSettled(limit: Duration) -> Bool {
    let deadline = AudioInstant.now + limit
    while true {
      let isSettled = state.withLock { state in state.participants.values.allSatisfy { $0.deadline != nil } }
      if isSettled { return true }
      let remaining = deadline - AudioInstant.now
      guard remaining > .zero else { return false }
      _ = settled.wait(limit: remaining)
    }
  }

  // MARK: For the waiter

  fileprivate func begin(_ key: Int, until deadline: AudioInstant) -> ClockWaitOutcome? {
    let outcome = state.withLock { state -> ClockWaitOutcome? in
      guard var participant = state.participants[key] else { return .woken }
      defer { state.participants[key] = participant }
      if participant.isWoken {
        participant.isWoken = false
        return .woken
      }
      if state.now >= deadline { return .deadline }
      participant.deadline = deadline
      return nil
    }
    if outcome == nil { settled.signal() }
    return outcome
  }

  fileprivate func outcome(_ key: Int) -> ClockWaitOutcome? {
    state.withLock { state in
      guard let participant = state.participants[key] else { return .woken }
      if participant.isWoken {
        state.participants[key]?.isWoken = false
        return .woken
      }
      return participant.deadline == nil ? .deadline : nil
    }
  }

  fileprivate func wake(_ key: Int) {
    state.withLock { state in
      state.participants[key]?.isWoken = true
      state.participants[key]?.deadline = nil
      state.participants[key]?.event.signal()
    }
  }

  fileprivate func remove(_ key: Int) {
    state.withLock { state in
      let removed = state.participants.removeValue(forKey: key)
      removed?.event.signal()
    }
    settled.signal()
  }
}

private final class ManualClockWaiter: ClockWaiter {
  private let clock: ManualPeriodClock
  private let key: Int
  private let event: WakeEvent

  init(clock: ManualPeriodClock, key: Int, event: WakeEvent) {
    self.clock = clock
    self.key = key
    self.event = event
  }

  func wait(until deadline: AudioInstant) -> ClockWaitOutcome {
    if let outcome = clock.begin(key, until: deadline) { return outcome }
    while true {
      _ = event.wait(limit: .seconds(1))
      if let outcome = clock.outcome(key) { return outcome }
    }
  }

  func wake() { clock.wake(key) }

  func invalidate() { clock.remove(key) }
}
