internal import Synchronization

/// Feeds the client silence, or drains its audio, at the period pace while no device does.
///
/// One thread for one direction. Periods come at whole multiples of the period from the start, so that the count of a
/// second is right whatever the single wake-ups do; after a stall of more than ``catchUpLimit`` the rest is dropped.
/// While the device has the turn the thread sleeps, until ``GateBus`` says that the device has stopped.
final class SilencePacer: Sendable {
  static let catchUpLimit = Duration.milliseconds(200)
  /// How often a sleeping pacer looks whether the device still has the turn, should it not be told.
  static let longestSleep = Duration.seconds(5)

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
    while !ending.isDue.load(ordering: .acquiring) {
      if bus.isFedByDevice(direction) {
        _ = waiter.wait(until: clock.now + longestSleep)
        deadline = clock.now + period
        continue
      }
      guard waiter.wait(until: deadline) == .deadline else { continue }
      bus.pace(direction, at: deadline - period)
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
