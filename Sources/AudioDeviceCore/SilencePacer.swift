/// Feeds the client silence, or drains its audio, at the period pace while no device does.
///
/// One thread for one direction. Periods come at whole multiples of the period from the start, so that the count of a
/// second is right whatever the single wake-ups do; after a stall of more than ``catchUpLimit`` the rest is dropped.
final class SilencePacer: Sendable {
  static let catchUpLimit = Duration.milliseconds(200)

  private let waiter: any ClockWaiter
  private let thread: RealtimeThread

  init(_ direction: AudioDirection, bus: GateBus, clock: any PeriodClock) throws(SystemCallError) {
    let waiter = try clock.makeWaiter()
    let period = (direction == .capture ? bus.captureFormat : bus.renderFormat).periodDuration
    self.waiter = waiter
    do {
      thread = try RealtimeThread(name: "audio-silence") {
        var deadline = clock.now + period
        while waiter.wait(until: deadline) == .deadline {
          bus.pace(direction, at: deadline - period)
          deadline = deadline + period
          let now = clock.now
          if now - deadline > Self.catchUpLimit { deadline = now }
        }
        waiter.invalidate()
      }
    } catch {
      waiter.invalidate()
      throw error
    }
  }

  /// Ends the pacing; at return the client is not called any more.
  func stop() {
    waiter.wake()
    thread.join()
  }
}

extension AudioInstant {
  /// The instant `duration` earlier.
  static func - (lhs: AudioInstant, duration: Duration) -> AudioInstant { lhs + (.zero - duration) }
}
