#if ALSA
  import AudioDeviceCore
  import Glibc
  import Testing

  @testable import ALSABackend

  /// Drives a machine by hand: what it sees, and the time.
  private struct Bench {
    var now = AudioInstant(nanoseconds: 1_000_000_000)
    var machine: PCMStateMachine

    init() { machine = PCMStateMachine(period: .milliseconds(10), now: now) }

    mutating func see(
      _ state: PCMState, error: Int32 = 0, poll: PCMPollOutcome = .ready, canTransfer: Bool = false
    ) -> PCMStateMachine.Action {
      machine.next(
        PCMStateMachine.Observation(state: state, error: error, poll: poll, canTransfer: canTransfer, now: now))
    }

    mutating func pass(_ duration: Duration) { now = now + duration }

    /// Lets audio flow for a while, a period at a time.
    mutating func flow(periods: Int) {
      for _ in 0..<periods {
        pass(.milliseconds(10))
        #expect(see(.running, canTransfer: true) == .transfer)
        machine.didTransfer(now: now)
      }
    }
  }

  @Suite struct PCMStateMachineTests {
    /// Every state with every error: the table that the stream's thread lives by.
    @Test(
      arguments: PCMState.allCases, [0, EAGAIN, EINTR, EPIPE, ESTRPIPE, EIO, EBADFD, EINVAL, ENODEV, ENXIO, ESHUTDOWN])
    func decidesForEveryStateAndError(state: PCMState, number: Int32) {
      var bench = Bench()
      let action = bench.see(state, error: -number, canTransfer: true)
      let expected: PCMStateMachine.Action =
        switch (state, number) {
        case (_, ENODEV), (_, ENXIO), (_, ESHUTDOWN): .lose(.gone(number))
        case (.disconnected, _): .lose(.gone(ENODEV))
        case (.suspended, _), (_, ESTRPIPE): .resume
        case (.xrun, _), (_, EPIPE): .restart(.xrun)
        case (.running, 0), (.running, EAGAIN), (.running, EINTR): .transfer
        default: .restart(.fault)
        }
      #expect(action == expected)
    }

    @Test(arguments: PCMState.allCases, PCMPollOutcome.allCases)
    func decidesForEveryStateAndPollResult(state: PCMState, poll: PCMPollOutcome) {
      var bench = Bench()
      let action = bench.see(state, poll: poll)
      let expected: PCMStateMachine.Action =
        switch (poll, state) {
        case (.stopRequested, _): .stop
        case (.invalid, _), (_, .disconnected): .lose(.gone(ENODEV))
        case (_, .suspended): .resume
        case (_, .xrun): .restart(.xrun)
        case (.faulty, .running): .restart(.fault)
        case (_, .running): .wait
        default: .restart(.fault)
        }
      #expect(action == expected)
    }

    @Test func stopComesBeforeEverything() {
      for state in PCMState.allCases {
        var bench = Bench()
        bench.pass(.seconds(100))
        #expect(bench.see(state, error: -ENODEV, poll: .stopRequested) == .stop)
      }
    }

    @Test func pollEventsAreReadInOrderOfGravity() {
      let (input, output, error) = (UInt16(POLLIN), UInt16(POLLOUT), UInt16(POLLERR))
      #expect(PCMPollOutcome(events: 0) == .timedOut)
      #expect(PCMPollOutcome(events: input) == .ready)
      #expect(PCMPollOutcome(events: output) == .ready)
      #expect(PCMPollOutcome(events: error | output) == .faulty)
      #expect(PCMPollOutcome(events: UInt16(POLLHUP)) == .faulty)
      #expect(PCMPollOutcome(events: UInt16(POLLNVAL) | error) == .invalid)
    }

    @Test func aFrozenDeviceIsLostAfterASecond() {
      var bench = Bench()
      bench.flow(periods: 5)
      for _ in 0..<33 {
        bench.pass(.milliseconds(30))
        #expect(bench.see(.running, poll: .timedOut) == .wait)
      }
      bench.pass(.milliseconds(30))
      #expect(bench.see(.running, poll: .timedOut) == .lose(.stalled))
    }

    @Test func wakeUpsForNothingAreSleptOn() {
      var bench = Bench()
      #expect(bench.see(.running) == .wait)
      #expect(bench.see(.running) == .wait)
      var looks = 0
      while case .sleep(let duration) = bench.see(.running) {
        #expect(duration == .milliseconds(5))
        bench.pass(duration)
        looks += 1
      }
      // Until the watchdog: 200 looks a second, no more.
      #expect(looks == 200)
      #expect(bench.see(.running) == .lose(.stalled))
    }

    /// A PCM that says it is ready, and then moves nothing.
    @Test func emptyTransfersAreSleptOn() {
      var bench = Bench()
      var looks = 0
      loop: while looks < 10_000 {
        looks += 1
        switch bench.see(.running, canTransfer: true) {
        case .transfer: bench.machine.didTransferNothing(now: bench.now)
        case .sleep(let duration): bench.pass(duration)
        case let action:
          #expect(action == .lose(.stalled))
          break loop
        }
      }
      #expect(looks < 500)
    }

    @Test func audioEndsTheSleeping() {
      var bench = Bench()
      for _ in 0..<3 { _ = bench.see(.running) }
      bench.flow(periods: 1)
      #expect(bench.see(.running) == .wait)
    }

    /// What `pulse` does when its server has died: an xrun, and prepare fails.
    @Test func aRestartThatFailsIsRepeatedOnlyForMoments() {
      var bench = Bench()
      bench.flow(periods: 10)
      let start = bench.now
      var tries = 0
      loop: while tries < 100 {
        switch bench.see(.xrun, error: -EPIPE) {
        case .restart(.xrun):
          tries += 1
          bench.machine.didRestart(-EIO, now: bench.now)
        case .sleep(let duration): bench.pass(duration)
        case let action:
          #expect(action == .lose(.failing(EIO)))
          break loop
        }
      }
      #expect(tries == PCMStateMachine.failureLimit)
      #expect(bench.now - start <= .milliseconds(100))
    }

    /// What `pipewire` does when its server has died: every restart succeeds and ends in an xrun at once.
    @Test func aStormOfRestartsSlowsDownAndEnds() {
      var bench = Bench()
      bench.flow(periods: 10)
      let start = bench.now
      var restarts: [AudioInstant] = []
      loop: while restarts.count < 1_000 {
        switch bench.see(.xrun, error: -EPIPE) {
        case .restart(.xrun):
          restarts.append(bench.now)
          bench.machine.didRestart(0, now: bench.now)
        case .sleep(let duration): bench.pass(duration)
        case let action:
          #expect(action == .lose(.failing(EPIPE)))
          break loop
        }
      }
      #expect(restarts.count <= PCMStateMachine.strikeLimit)
      #expect(bench.now - start <= .seconds(2))
      #expect(bench.now - start >= .milliseconds(500))
    }

    /// The same, with a period that gets through each time: no progress worth the name.
    @Test func aStormWithCrumbsOfAudioEndsToo() {
      var bench = Bench()
      var restarts = 0
      loop: while restarts < 1_000 {
        switch bench.see(.xrun, error: -EPIPE) {
        case .restart(.xrun):
          restarts += 1
          bench.machine.didRestart(0, now: bench.now)
          bench.flow(periods: 1)
        case .sleep(let duration): bench.pass(duration)
        case let action:
          #expect(action == .lose(.failing(EPIPE)))
          break loop
        }
      }
      #expect(restarts == PCMStateMachine.strikeLimit)
    }

    @Test func xrunsWithAudioBetweenThemGoOnForEver() {
      var bench = Bench()
      for _ in 0..<500 {
        #expect(bench.see(.xrun, error: -EPIPE) == .restart(.xrun))
        bench.machine.didRestart(0, now: bench.now)
        bench.flow(periods: PCMStateMachine.healthyTransfers)
      }
    }

    /// POLLERR that the state does not explain.
    @Test func aPCMThatOnlyReportsPollErrorsIsLost() {
      var bench = Bench()
      bench.flow(periods: 3)
      for _ in 1..<PCMStateMachine.failureLimit {
        // Even where frames could be moved: such a poll never sleeps again.
        #expect(bench.see(.running, poll: .faulty, canTransfer: true) == .restart(.fault))
        bench.machine.didRestart(0, now: bench.now)
        bench.pass(.milliseconds(100))
      }
      #expect(bench.see(.running, poll: .faulty, canTransfer: true) == .lose(.failing(EIO)))
    }

    @Test func resumesUntilTheDriverIsReady() {
      var bench = Bench()
      for _ in 0..<5 {
        #expect(bench.see(.suspended, error: -ESTRPIPE) == .resume)
        bench.machine.didResume(-EAGAIN, now: bench.now)
        #expect(bench.see(.suspended, error: -ESTRPIPE) == .sleep(.milliseconds(50)))
        bench.pass(.milliseconds(50))
      }
      #expect(bench.see(.suspended, error: -ESTRPIPE) == .resume)
      bench.machine.didResume(0, now: bench.now)
      bench.flow(periods: 1)
    }

    @Test func preparesWhereTheDriverCannotResume() {
      var bench = Bench()
      #expect(bench.see(.suspended, error: -ESTRPIPE) == .resume)
      bench.machine.didResume(-ENOSYS, now: bench.now)
      #expect(bench.see(.suspended, error: -ESTRPIPE) == .restart(.suspension))
      bench.machine.didRestart(0, now: bench.now)
      bench.flow(periods: 1)
      // The next sleep is asked about anew.
      #expect(bench.see(.suspended, error: -ESTRPIPE) == .resume)
    }

    @Test func resumingIsBounded() {
      var bench = Bench()
      let start = bench.now
      var resumes = 0
      while resumes < 1_000 {
        let action = bench.see(.suspended, error: -ESTRPIPE)
        if case .sleep(let duration) = action {
          bench.pass(duration)
          continue
        }
        guard action == .resume else {
          #expect(action == .restart(.suspension))
          break
        }
        resumes += 1
        bench.machine.didResume(-EAGAIN, now: bench.now)
      }
      #expect(resumes == PCMStateMachine.resumeLimit)
      #expect(bench.now - start <= .seconds(1.5))
    }

    /// A driver that claims to have resumed and stays suspended.
    @Test func aResumeThatLiesIsBounded() {
      var bench = Bench()
      var resumes = 0
      while resumes < 1_000, bench.see(.suspended) == .resume {
        resumes += 1
        bench.machine.didResume(0, now: bench.now)
      }
      #expect(resumes == PCMStateMachine.resumeLimit)
    }

    @Test func stalledAfterAnErrorTellsTheError() {
      var bench = Bench()
      #expect(bench.see(.running, error: -EIO) == .restart(.fault))
      bench.machine.didRestart(0, now: bench.now)
      var action = PCMStateMachine.Action.wait
      while action == .wait {
        bench.pass(.milliseconds(30))
        action = bench.see(.running, poll: .timedOut)
      }
      #expect(action == .lose(.failing(EIO)))
    }

    /// The process was stopped, or the machine slept: nobody looked, so nobody can say that the PCM stood still.
    @Test func timeWithoutALookIsNoStall() {
      let outcomes: [(PCMState, PCMStateMachine.Action)] = [
        (.xrun, .restart(.xrun)), (.suspended, .resume), (.running, .wait), (.disconnected, .lose(.gone(ENODEV))),
      ]
      for (state, action) in outcomes {
        var bench = Bench()
        bench.flow(periods: 5)
        bench.pass(.seconds(3_600))
        #expect(bench.see(state, poll: .timedOut) == action)
      }
    }
  }
#endif
