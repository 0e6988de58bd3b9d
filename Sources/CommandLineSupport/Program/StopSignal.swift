internal import Glibc
package import RealtimeSupport
internal import Synchronization

/// Ctrl-C and its relatives (`SIGINT`, `SIGTERM`, `SIGHUP`), as something that a command can wait for and end by.
///
/// The signals are blocked in all threads and taken by one of its own, so that no audio thread is ever interrupted. The
/// second signal does what it does by default: it ends a command that does not end by itself.
package final class StopSignal: Sendable {
  private let wakeEvent: WakeEvent
  private final class Request: Sendable {
    let isMade = Atomic<Bool>(false)
  }
  private let request: Request
  private let thread: RealtimeThread

  /// Begins to take the signals. Only once in a process, before there are other threads, which inherit what is blocked.
  ///
  /// - Throws: ``SystemCallError`` when the process can have no thread or descriptor.
  package init() throws(SystemCallError) {
    let wakeEvent = try WakeEvent()
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let taken = signals
    let request = Request()
    thread = try RealtimeThread(name: "signals", scheduling: .normal) {
      var signals = taken
      var number: Int32 = 0
      guard sigwait(&signals, &number) == 0 else { return }
      request.isMade.store(true, ordering: .relaxed)
      wakeEvent.signal()
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      // Stays, as the one thread that the next signal can come to; the process's end ends it.
      while true { pause() }
    }
    self.wakeEvent = wakeEvent
    self.request = request
  }

  /// Whether the command is to end.
  package var isRequested: Bool { request.isMade.load(ordering: .relaxed) }

  /// Ends the present wait, or the next one. Any thread, audio threads included.
  package func wake() { wakeEvent.signal() }

  /// Blocks the calling thread until the deadline, a signal, or a call of ``wake()``.
  ///
  /// - Parameter deadline: When to return at the latest.
  /// - Returns: Whether the command is to go on.
  @discardableResult
  package func wait(until deadline: AudioInstant) -> Bool {
    guard !isRequested else { return false }
    _ = wakeEvent.wait(limit: deadline - .now)
    return !isRequested
  }

  /// Calls `body` at once, then after each interval and each wake-up.
  ///
  /// - Parameters:
  ///   - interval: The longest time between two calls.
  ///   - deadline: When to end; nil for no time.
  ///   - body: Returns whether to go on.
  /// - Throws: What the body throws.
  package func repeating<Failure: Error>(
    every interval: Duration, until deadline: AudioInstant?, _ body: () throws(Failure) -> Bool
  ) throws(Failure) {
    while try body() {
      let now = AudioInstant.now
      if let deadline, now >= deadline { return }
      let next = now + interval
      guard wait(until: deadline.map { min($0, next) } ?? next) else { return }
    }
  }

  /// What `nohup` and shells in the background have set to be ignored stays ignored.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
