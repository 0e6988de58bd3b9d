#if ALSA
  internal import AudioDeviceCore
  internal import Glibc

  extension ALSAStreamLoop {
    /// How far behind its clock the stream catches up period by period; what is beyond is dropped.
    private static let catchUpLimit = Duration.milliseconds(100)

    /// Serves a PCM that takes and gives without end: one period each time the clock has moved by one.
    func serveUnpaced() -> Ending {
      let waiter: any ClockWaiter
      do {
        // May allocate: it happens once, before the first period of this kind.
        waiter = try shared.makeWaiter()
      } catch {
        return .lost(.failing(error.number))
      }
      defer { waiter.invalidate() }
      let clock = shared.clock
      var deadline = clock.now
      machine = PCMStateMachine(period: format.periodDuration, now: deadline)
      while true {
        deadline = deadline + format.periodDuration
        let late = clock.now - deadline
        if late > Self.catchUpLimit {
          meter.addLostFrames(format.frames(in: late))
          deadline = clock.now
        }
        guard waiter.wait(until: deadline) == .deadline, !gate.isShut else { return .stopped }
        tick = deadline
        if let ending = perform(look(after: (.ready, 0))) { return ending }
      }
    }
  }
#endif
