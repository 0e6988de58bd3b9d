internal import Glibc

/// The machine's monotonic clock.
public final class SystemPeriodClock: PeriodClock {
  /// The clock, which every user may share.
  public static let shared = SystemPeriodClock()

  private init() {}

  /// The present (`CLOCK_MONOTONIC`).
  public var now: AudioInstant { .now }

  /// A waiter on an `eventfd(2)` and `ppoll(2)`.
  ///
  /// - Returns: The waiter.
  /// - Throws: ``SystemCallError`` when the process is out of descriptors.
  public func makeWaiter() throws(SystemCallError) -> any ClockWaiter {
    SystemClockWaiter(event: try WakeEvent())
  }
}

final class SystemClockWaiter: ClockWaiter {
  private let event: WakeEvent

  init(event: WakeEvent) { self.event = event }

  func wait(until deadline: AudioInstant) -> ClockWaitOutcome {
    event.wait(limit: deadline - .now) ? .woken : .deadline
  }

  func wake() { event.signal() }

  func invalidate() {}
}
