import AudioDeviceCore
import Testing

@testable import PulseBackend

@Suite struct PulseArrivalsTests {
  /// Passes at these milliseconds, measured without a rest.
  private func arrivals(step: Duration = .milliseconds(10), at times: [Double]) -> PulseArrivals {
    var arrivals = PulseArrivals(key: 1, step: step)
    for time in times { arrivals.pass(now: instant(time), wasAwaited: false) }
    return arrivals
  }

  private func instant(_ milliseconds: Double) -> AudioInstant {
    AudioInstant(nanoseconds: Int64((1000 + milliseconds) * 1_000_000))
  }

  private func due(_ arrivals: PulseArrivals) -> Double? {
    arrivals.due.map { Double($0) / 1_000_000 - 1000 }
  }

  @Test func aStreamIsBelievedOnceItHasKeptToItsSteps() {
    let times = (0...PulseArrivals.neededPasses).map { Double($0) * 10 }
    #expect(due(arrivals(at: times.dropLast())) == nil)
    #expect(due(arrivals(at: times)) == 90)
  }

  @Test func jitterOfLessThanAMillisecondIsPunctual() {
    #expect(due(arrivals(at: [0, 10.9, 20.1, 30.5, 39.8, 50.4, 60.2, 70, 80.25])) == 90.25)
  }

  @Test func whoComesLateOrEarlyIsNotBelievedAnyMore() {
    let steady = (0...8).map { Double($0) * 10 }
    #expect(due(arrivals(at: steady + [91.5])) == nil)
    #expect(due(arrivals(at: steady + [88])) == nil)
  }

  @Test(arguments: [1, 2, 3, 4]) func aDeviceMayTakeItsStepsInParts(parts: Int) {
    let step = 12.0 / Double(parts)
    let times = (0...9).map { Double($0) * step }
    #expect(due(arrivals(step: .milliseconds(12), at: times)) == 10 * step)
  }

  @Test func manySmallPassesAreNoSteps() {
    #expect(due(arrivals(at: (0...30).map { Double($0) })) == nil)
  }

  @Test func nowAndThenAPassIsMeasuredAndNotAwaited() {
    var stream = arrivals(at: (0...8).map { Double($0) * 10 })
    for count in 1...PulseArrivals.awaitedPassesInARow {
      #expect(!stream.isToBeMeasured)
      stream.pass(now: instant(80.5 + Double(count) * 10), wasAwaited: true)
    }
    #expect(stream.isToBeMeasured)
    stream.pass(now: instant(1089.75), wasAwaited: false)
    #expect(!stream.isToBeMeasured)
    #expect(due(stream) == 1099.75)
  }

  @Test func whatWasAwaitedIsTakenToHaveBeenOnTime() {
    var stream = arrivals(at: (0...8).map { Double($0) * 10 })
    stream.pass(now: instant(90.5), wasAwaited: true)
    #expect(due(stream) == 100)
    // More than the rest can account for.
    stream.pass(now: instant(103), wasAwaited: true)
    #expect(due(stream) == nil)
  }
}
