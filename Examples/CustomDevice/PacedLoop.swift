internal import AudioDeviceKit

/// A thread that does the same thing once a period, at the pace of a clock.
final class PacedLoop: Sendable {
  /// After a longer stall the periods that were missed are given up; after a shorter one they are made up for.
  private static let catchUpLimit = Duration.milliseconds(200)

  private let waiter: any ClockWaiter
  private let thread: RealtimeThread

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: As it appears in `/proc`, at most 15 bytes.
  ///   - period: The time from one call to the next.
  ///   - clock: What paces it.
  ///   - body: Called on the thread at the end of each period, and told when the period began. It may not block, lock
  ///     or allocate.
  /// - Throws: ``AudioDeviceError`` when the system has no thread or descriptor left.
  init(
    name: String, period: Duration, clock: any PeriodClock, body: @escaping @Sendable (AudioInstant) -> Void
  ) throws(AudioDeviceError) {
    do throws(SystemCallError) {
      let waiter = try clock.makeWaiter()
      self.waiter = waiter
      thread = try RealtimeThread(name: name) {
        var start = clock.now
        while waiter.wait(until: start + period) == .deadline {
          body(start)
          start = start + period
          if clock.now - start > Self.catchUpLimit { start = clock.now }
        }
        waiter.invalidate()
      }
    } catch {
      throw AudioDeviceError(error, "The device cannot run.")
    }
  }

  /// Ends the thread; at return the body is not called any more.
  func stop() {
    waiter.wake()
    thread.join()
  }
}
