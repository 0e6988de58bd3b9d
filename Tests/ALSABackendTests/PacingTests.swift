#if ALSA
  import AudioDeviceCore
  import Testing

  @testable import ALSABackend

  @Suite struct PacingGovernorTests {
    private let period = Duration.milliseconds(10)
    private func governor() -> PacingGovernor {
      PacingGovernor(format: .voice, buffer: 1_920, now: AudioInstant(nanoseconds: 0))
    }

    /// A device whose clock is 2 % fast, with a hiccup of a buffer now and then.
    @Test func neverHoldsADeviceThatPaces() {
      var governor = governor()
      var now = AudioInstant(nanoseconds: 0)
      for index in 0..<10_000 {
        now = now + .microseconds(9_800)
        if index % 50 == 0 {
          now = now + .milliseconds(40)
          for _ in 0..<4 { #expect(governor.hold(480, now: now) == nil) }
        }
        #expect(governor.hold(480, now: now) == nil)
      }
      #expect(!governor.isUnpaced)
    }

    /// Hardware that wakes every 512 frames is read in pieces of 480 and 32.
    @Test func countsFramesAndNotTransfers() {
      var governor = governor()
      var now = AudioInstant(nanoseconds: 0)
      for _ in 0..<2_000 {
        now = now + AudioFormat.voice.duration(ofFrames: 512)
        #expect(governor.hold(480, now: now) == nil)
        #expect(governor.hold(32, now: now) == nil)
      }
      #expect(!governor.isUnpaced)
    }

    @Test func holdsWhatIsAlwaysReadyAndFindsItOut() {
      var governor = governor()
      var now = AudioInstant(nanoseconds: 0)
      var periods = 0
      while !governor.isUnpaced, periods < 1_000 {
        if let hold = governor.hold(480, now: now) {
          #expect(hold > .zero && hold <= period)
          now = now + hold
        } else {
          periods += 1
        }
      }
      // Found out within half a second, and by then no more than that much too fast.
      #expect(now < AudioInstant(nanoseconds: 500_000_000))
      #expect(period * periods - (now - AudioInstant(nanoseconds: 0)) < .milliseconds(200))
    }

    @Test func aClockThatStandsOrJumpsDoesNoHarm() {
      var governor = governor()
      for _ in 0..<6 { #expect(governor.hold(480, now: AudioInstant(nanoseconds: 0)) == nil) }
      #expect(governor.hold(480, now: AudioInstant(nanoseconds: -5_000)) != nil)
      #expect(governor.hold(480, now: AudioInstant(nanoseconds: 1 << 60)) == nil)
      #expect(governor.hold(480, now: AudioInstant(nanoseconds: 0)) == nil)
    }
  }

  @Suite struct CaptureBacklogTests {
    private func settled(limit: Int = 9_600, delay: Int = 480) -> CaptureBacklog {
      var backlog = CaptureBacklog(limit: limit)
      for _ in 0..<(CaptureBacklog.settlingLooks + 10) { expectInTime(&backlog, delay) }
      return backlog
    }

    private func expectInTime(_ backlog: inout CaptureBacklog, _ delay: Int) {
      let isLate = backlog.isLate(delay: delay)
      #expect(!isLate)
    }

    @Test func tellsWhatIsLateForGood() {
      var backlog = settled()
      for _ in 0..<(CaptureBacklog.agreeingLooks - 1) { expectInTime(&backlog, 96_480) }
      let isLate = backlog.isLate(delay: 96_480)
      #expect(isLate)
    }

    @Test func ignoresSpikesAndWhatTheBufferHolds() {
      var backlog = settled()
      for _ in 0..<1_000 {
        expectInTime(&backlog, 10_000)
        for _ in 0..<(CaptureBacklog.agreeingLooks - 1) { expectInTime(&backlog, 50_000) }
      }
    }

    @Test func waitsForTheDelayToSettle() {
      var backlog = CaptureBacklog(limit: 9_600)
      for _ in 0..<CaptureBacklog.settlingLooks { expectInTime(&backlog, 0) }
      for _ in 0..<100 { expectInTime(&backlog, 20_000) }
    }

    /// A device whose delay really is that long must not be started over and over.
    @Test func doublesItsPatienceWithEachAnswer() {
      var backlog = settled()
      var answers = 0
      for _ in 0..<50 {
        for _ in 0..<CaptureBacklog.agreeingLooks where backlog.isLate(delay: 40_000) { answers += 1 }
        backlog.restart()
        for _ in 0..<(CaptureBacklog.settlingLooks + 5) { expectInTime(&backlog, 480) }
      }
      #expect(answers == 3)
    }
  }
#endif
