import Testing

@testable import AudioDeviceCore

@Suite struct BacklogGovernorTests {
  /// A ring between a producer and a consumer of 480 frames a turn, both in frames alone.
  struct Ring {
    var governor = BacklogGovernor(target: 480, maximum: 4800, period: 480, window: 48_000)
    var backlog = 0
    var dropped = 0
    var shortfall = 0

    mutating func consume(_ wanted: Int = 480) {
      let plan = governor.plan(available: backlog, wanted: wanted)
      #expect(plan.discard >= 0 && plan.read >= 0 && plan.read <= wanted)
      #expect(plan.discard + plan.read <= backlog)
      backlog -= plan.discard + plan.read
      dropped += plan.discard
      shortfall += wanted - plan.read
    }
  }

  @Test func fillsToTheTargetFirst() {
    var ring = Ring()
    ring.backlog = 480
    ring.consume()
    #expect(ring.shortfall == 480)
    ring.backlog += 480
    ring.consume()
    #expect(ring.backlog == 480)
    #expect(ring.shortfall == 480)
  }

  @Test func steadyFlowDropsNothing() {
    var ring = Ring()
    ring.backlog = 480
    for _ in 0..<10_000 {
      ring.backlog += 480
      ring.consume()
    }
    #expect(ring.dropped == 0)
    #expect(ring.shortfall == 0)
    #expect(ring.backlog == 480)
  }

  @Test func burstsThatAreConsumedCostNothing() {
    var ring = Ring()
    ring.backlog = 480
    for turn in 0..<10_000 {
      // Four periods at once, every fourth turn.
      if turn.isMultiple(of: 4) { ring.backlog += 4 * 480 }
      ring.consume()
    }
    #expect(ring.dropped == 0)
  }

  @Test func aStallComesBackToTheTargetWithinTwoSeconds() {
    var ring = Ring()
    ring.backlog = 480
    for _ in 0..<100 {
      ring.backlog += 480
      ring.consume()
    }
    ring.backlog += 4000
    for _ in 0..<200 {
      ring.backlog += 480
      ring.consume()
    }
    #expect(ring.backlog == 480)
    #expect(ring.dropped == 4000)
  }

  @Test func aLongStallIsDroppedAtOnce() {
    var ring = Ring()
    ring.backlog = 48_000
    ring.consume()
    #expect(ring.backlog == 480)
  }

  @Test(arguments: [500, -500]) func driftKeepsTheDelayWithinAPeriodAndAHalf(ppm: Int) {
    var ring = Ring()
    ring.backlog = 960
    var fraction = 0
    for turn in 0..<60_000 {  // ten minutes
      fraction += 480 * ppm
      ring.backlog += 480 + fraction / 1_000_000
      fraction %= 1_000_000
      ring.consume()
      if turn > 200 { #expect(ring.backlog < 480 * 5 / 2 + 48) }
    }
    if ppm > 0 {
      #expect(ring.dropped > 0)
      #expect(ring.shortfall == 0)
    } else {
      #expect(ring.dropped == 0)
      // 300 ms are missing in ten minutes, and each hole costs one target on top.
      #expect(ring.shortfall < 48_000)
    }
  }

  // MARK: Where the rate is corrected

  @Test func onlySurplusIsDropped() {
    var governor = BacklogGovernor(target: 480, maximum: 4800, period: 480, window: 48_000)
    _ = governor.plan(available: 960, wanted: 480, surplus: 0)
    for turn in 0..<300 {
      // The backlog is high all the time, but for the corrector no more than a period too high.
      let plan = governor.plan(available: 2400, wanted: 480, surplus: turn < 200 ? 480 : 1000)
      #expect(plan == .init(discard: turn < 200 || turn % 100 != 98 ? 0 : 1000, read: 480))
    }
  }

  @Test func aBurstAboveTheMaximumThatFillsAHoleStays() {
    var governor = BacklogGovernor(target: 480, maximum: 4800, period: 480, window: 48_000)
    _ = governor.plan(available: 960, wanted: 480, surplus: 0)
    #expect(governor.plan(available: 6000, wanted: 480, surplus: 100) == .init(discard: 0, read: 480))
    #expect(governor.plan(available: 6000, wanted: 480, surplus: 4000) == .init(discard: 4000, read: 480))
  }

  @Test func aCorrectedStartLeavesTheTargetWhateverIsRead() {
    var governor = BacklogGovernor(target: 480, maximum: 4800, period: 480, window: 48_000)
    #expect(governor.plan(available: 1439, wanted: 960, surplus: 0).read == 0)
    #expect(governor.plan(available: 1440, wanted: 960, surplus: 0).read == 960)
  }
}
