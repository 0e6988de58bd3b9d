internal import AudioDeviceCore

/// A device's own clock: the backend's, some parts per million fast or slow.
///
/// It says when frames come and go; clients are told times of the backend's clock. Any thread; allocates only where it
/// makes a waiter.
final class DeviceClock: PeriodClock {
  private let base: any PeriodClock
  private let epoch: AudioInstant
  private let drift: Double

  /// - Parameters:
  ///   - base: The backend's.
  ///   - epoch: When both showed the same.
  ///   - drift: How fast it runs against that, in parts per million.
  init(_ base: any PeriodClock, epoch: AudioInstant, drift: Double) {
    self.base = base
    self.epoch = epoch
    self.drift = drift * 1e-6
  }

  var now: AudioInstant {
    let now = base.now
    return drift == 0 ? now : now + .nanoseconds(Int64((Double(now.nanoseconds - epoch.nanoseconds) * drift).rounded()))
  }

  /// When the backend's clock shows what this one shows at an instant.
  func baseInstant(_ instant: AudioInstant) -> AudioInstant {
    guard drift != 0 else { return instant }
    let elapsed = Double(instant.nanoseconds - epoch.nanoseconds) / (1 + drift)
    return epoch + .nanoseconds(Int64(elapsed.rounded()))
  }

  func makeWaiter() throws(SystemCallError) -> any ClockWaiter { Waiter(clock: self, base: try base.makeWaiter()) }

  private final class Waiter: ClockWaiter {
    private let clock: DeviceClock
    private let base: any ClockWaiter

    init(clock: DeviceClock, base: any ClockWaiter) {
      self.clock = clock
      self.base = base
    }

    func wait(until deadline: AudioInstant) -> ClockWaitOutcome { base.wait(until: clock.baseInstant(deadline)) }
    func wake() { base.wake() }
    func invalidate() { base.invalidate() }
  }
}
