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
}
