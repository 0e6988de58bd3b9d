internal import CAudioSupport
internal import Glibc

/// A wake-up for a thread that waits in `poll(2)`: an `eventfd(2)`.
///
/// ``signal()`` may come from any thread, real-time threads included: one non-blocking system call, no allocation.
/// A signal stays until it is taken.
public final class WakeEvent: Sendable {
  /// For a `pollfd` with `POLLIN`. Owned by the event: it lives as long as the event does.
  public let fileDescriptor: Int32

  /// Makes an event that is not signalled. Allocates a descriptor.
  ///
  /// - Throws: ``SystemCallError`` when the process or the system is out of descriptors.
  public init() throws(SystemCallError) {
    fileDescriptor = cas_eventfd()
    guard fileDescriptor >= 0 else { throw SystemCallError(call: "eventfd", number: errno) }
  }

  deinit { close(fileDescriptor) }

  /// Wakes the waiter, now or at its next wait. Any thread; does not block.
  public func signal() {
    var one: UInt64 = 1
    // Fails only with EAGAIN when 2^64 - 2 signals wait, and then the event is signalled anyway.
    _ = write(fileDescriptor, &one, 8)
  }

  /// Takes the signals that came since the last take. Does not block.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  public func take() -> Bool {
    var count: UInt64 = 0
    return read(fileDescriptor, &count, 8) == 8
  }

  /// Waits for a signal and takes it.
  ///
  /// - Parameter limit: The longest wait.
  /// - Returns: Whether a signal came within the limit.
  public func wait(limit: Duration) -> Bool {
    let deadline = AudioInstant.now + limit
    while true {
      if take() { return true }
      let remaining = (deadline - AudioInstant.now).wholeNanoseconds
      guard remaining > 0 else { return false }
      var descriptor = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
      _ = cas_poll(&descriptor, 1, remaining)
    }
  }
}
