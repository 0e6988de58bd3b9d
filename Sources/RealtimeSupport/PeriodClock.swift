/// What paces audio where no device does: the machine's clock, or one that a test moves by hand.
public protocol PeriodClock: AnyObject, Sendable {
  /// The present on this clock. Any thread; lock-free on the system's clock.
  var now: AudioInstant { get }

  /// A means to wait on this clock, for one thread.
  ///
  /// - Returns: A waiter that counts as a participant of the clock until it is invalidated.
  /// - Throws: ``SystemCallError`` when the process is out of descriptors.
  func makeWaiter() throws(SystemCallError) -> any ClockWaiter
}

/// One thread's means to wait on a ``PeriodClock``.
public protocol ClockWaiter: AnyObject, Sendable {
  /// Blocks the owning thread until the deadline or a wake-up. Does not allocate on the system's clock.
  ///
  /// - Parameter deadline: When to return; a deadline that has passed returns at once.
  /// - Returns: What ended the wait. A wake-up counts before the deadline.
  func wait(until deadline: AudioInstant) -> ClockWaitOutcome

  /// Ends the present wait, or the next one. Any thread; does not block.
  func wake()

  /// Takes the waiter off its clock. The owning thread calls it when it will wait no more.
  func invalidate()
}

/// What ended a wait on a ``ClockWaiter``.
public enum ClockWaitOutcome: Sendable, Hashable {
  /// The deadline was reached.
  case deadline
  /// Somebody called ``ClockWaiter/wake()``.
  case woken
}
