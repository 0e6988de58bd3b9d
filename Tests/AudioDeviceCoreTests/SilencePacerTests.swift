import AudioDeviceCore
import Synchronization
import Testing

@Suite struct SilencePacerTests {
  /// A manual clock that counts how often somebody begins to wait.
  private final class CountingClock: PeriodClock {
    private final class Waiter: ClockWaiter {
      let base: any ClockWaiter
      let clock: CountingClock
      init(_ base: any ClockWaiter, clock: CountingClock) {
        self.base = base
        self.clock = clock
      }
      func wait(until deadline: AudioInstant) -> ClockWaitOutcome {
        clock.waits.wrappingAdd(1, ordering: .relaxed)
        return base.wait(until: deadline)
      }
      func wake() { base.wake() }
      func invalidate() { base.invalidate() }
    }
    let manual: ManualPeriodClock
    let waits = Atomic<Int>(0)
    init() throws { manual = try ManualPeriodClock() }
    var now: AudioInstant { manual.now }
    func makeWaiter() throws(SystemCallError) -> any ClockWaiter { Waiter(try manual.makeWaiter(), clock: self) }
  }

  /// A device that does its part for some periods of 10 ms: it captures a constant and renders.
  private func run(_ bench: Bench, periods: Int) {
    for _ in 0..<periods {
      bench.device.capture(3, at: bench.clock.now)
      _ = bench.device.render()
      bench.clock.advance(by: .milliseconds(10))
    }
  }

  @Test func sleepsWhileTheDeviceFeedsAndIsThereAtOnceWhenItStops() throws {
    let counting = try CountingClock()
    let bench = try Bench(counting.manual, pacing: counting)
    try bench.startCall()
    // Both pacers learn of it at their next period.
    run(bench, periods: 2)
    let before = counting.waits.load(ordering: .relaxed)
    run(bench, periods: 1_000)
    let waits = counting.waits.load(ordering: .relaxed) - before
    #expect(waits <= 42, "\(waits) waits of two pacers in ten seconds")

    _ = (bench.bus.takeCaptured(), bench.bus.takeReads())
    try #require(bench.device.host).setRinging(true)
    bench.clock.advance(by: .milliseconds(500))
    #expect((48...52).contains(bench.bus.takeCaptured().count))
    #expect((48...52).contains(bench.bus.takeReads()))
    bench.manager.stopCapture()
    bench.manager.stopRendering()
  }

  /// A device that hangs: the client gets silence at the pace, and what comes late is dropped, so that in all it gets
  /// just what time has passed.
  @Test func standsInForADeviceThatBringsNothing() throws {
    let bench = try Bench()
    let (clock, device, bus) = (bench.clock, bench.device, bench.bus)
    try bench.startCall()
    run(bench, periods: 100)
    let hang = clock.now
    _ = (bus.takeCaptured(), bus.takeReads())
    clock.advance(by: .seconds(2))
    let silent = bus.takeCaptured()
    #expect((140...200).contains(silent.count) && silent.allSatisfy { $0 == 0 })
    #expect((140...200).contains(bus.takeReads()))
    // All that was captured meanwhile comes at once.
    for period in 0..<200 { device.capture(4, at: hang + .milliseconds(10 * period)) }
    let late = bus.takeCaptured()
    #expect(late.count <= 1)
    let lost = bench.manager.statistics.capture.lostFrames
    #expect((198 * 480...200 * 480).contains(lost), "\(lost)")
    run(bench, periods: 100)
    let live = bus.takeCaptured()
    #expect((98...100).contains(live.count) && live.allSatisfy { $0 == 3 })
    #expect((98...101).contains(bus.takeReads()))
  }

  /// A driver whose times make no sense loses no more than stood in for it.
  @Test func timesThatMakeNoSenseCostNoMoreThanTheSilence() throws {
    let bench = try Bench()
    let (clock, device, bus) = (bench.clock, bench.device, bench.bus)
    try bench.manager.startCapture()
    for _ in 0..<10 {
      device.capture(3, at: AudioInstant(nanoseconds: 0))
      clock.advance(by: .milliseconds(10))
    }
    clock.advance(by: .seconds(1))
    _ = bus.takeCaptured()
    for _ in 0..<200 { device.capture(5, at: AudioInstant(nanoseconds: 0)) }
    #expect(bus.takeCaptured().count >= 80)
  }
}
