internal import Synchronization

/// Feeds the client silence, or drains its audio, at the period pace while no device does.
///
/// One thread for one direction. Periods come at whole multiples of the period from the start, so that the count of a
/// second is right whatever the single wake-ups do; after a stall of more than ``catchUpLimit`` the rest is dropped.
/// While the device has the turn the thread sleeps, and looks now and then whether the device brings anything: the server
/// may hang, or hold the device back. Silence stands in 250 to 550 ms after the device's last period. ``GateBus`` wakes
/// the thread when the device has stopped.
final class SilencePacer: Sendable {
  static let catchUpLimit = Duration.milliseconds(200)
  /// How long a device that runs may bring nothing before silence stands in for it. Longer than machines stall when they
  /// are busy, and than the buffers that drivers ask for.
  static let patience = Duration.milliseconds(250)
  /// How often a device is looked at that works.
  static let lookInterval = Duration.milliseconds(500)
  /// A device that brought nothing for so long is looked at again as soon as patience ends.
  static let suspicion = Duration.milliseconds(50)

  private final class Ending: Sendable {
    let isDue = Atomic<Bool>(false)
  }

  private let direction: AudioDirection
  private let bus: GateBus
  private let waiter: any ClockWaiter
  private let ending = Ending()
  private let thread: RealtimeThread

  init(_ direction: AudioDirection, bus: GateBus, clock: any PeriodClock) throws(SystemCallError) {
    let waiter = try clock.makeWaiter()
    self.direction = direction
    self.bus = bus
    self.waiter = waiter
    do {
      thread = try RealtimeThread(name: "audio-silence") { [ending] in
        Self.run(direction, bus: bus, clock: clock, waiter: waiter, ending: ending)
      }
    } catch {
      waiter.invalidate()
      throw error
    }
    bus.setOnDeviceStop(direction) { waiter.wake() }
  }

  private static func run(
    _ direction: AudioDirection, bus: GateBus, clock: any PeriodClock, waiter: any ClockWaiter, ending: Ending
  ) {
    let period = (direction == .capture ? bus.captureFormat : bus.renderFormat).periodDuration
    var deadline = clock.now + period
    var seen = 0
    while !ending.isDue.load(ordering: .acquiring) {
      let periods = bus.devicePeriods(direction)
      if periods != seen {
        seen = periods
        guard periods > 0 else { continue }
        let (last, now) = (bus.lastDevicePeriod(direction), clock.now)
        if now - last < patience {
          _ = waiter.wait(until: now - last > suspicion ? last + patience : now + lookInterval)
        }
        deadline = clock.now + period
        continue
      }
      guard waiter.wait(until: deadline) == .deadline else { continue }
      bus.pace(direction, at: deadline - period, seen: seen)
      deadline = deadline + period
      let now = clock.now
      if now - deadline > catchUpLimit { deadline = now }
    }
    waiter.invalidate()
  }

  /// Ends the pacing; at return the client is not called any more.
  func stop() {
    bus.setOnDeviceStop(direction, nil)
    ending.isDue.store(true, ordering: .releasing)
    waiter.wake()
    thread.join()
  }
}

extension AudioInstant {
  /// The instant `duration` earlier.
  static func - (lhs: AudioInstant, duration: Duration) -> AudioInstant { lhs + (.zero - duration) }
}
