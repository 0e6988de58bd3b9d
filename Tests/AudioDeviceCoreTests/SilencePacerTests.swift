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

  @Test func sleepsWhileTheDeviceFeedsAndIsThereAtOnceWhenItStops() throws {
    let clock = try CountingClock()
    let manager = AudioDeviceManager(clock: clock)
    let (device, bus) = (ScriptedDevice(), RecordingBus())
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
    try manager.startCapture()
    try manager.startRendering()
    device.capture(3)
    _ = device.render()
    // Both pacers learn of it at their next period.
    clock.manual.advance(by: .milliseconds(20))
    let before = clock.waits.load(ordering: .relaxed)
    clock.manual.advance(by: .seconds(10))
    let waits = clock.waits.load(ordering: .relaxed) - before
    #expect(waits <= 6, "\(waits) waits of two pacers in ten seconds")

    _ = (bus.takeCaptured(), bus.takeReads())
    try #require(device.host).setRinging(true)
    clock.manual.advance(by: .milliseconds(500))
    #expect((48...52).contains(bus.takeCaptured().count))
    #expect((48...52).contains(bus.takeReads()))
    manager.stopCapture()
    manager.stopRendering()
  }
}
