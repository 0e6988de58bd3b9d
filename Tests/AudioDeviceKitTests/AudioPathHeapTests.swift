import AudioDeviceKit
import AudioTestSupport
import RealtimeSupport
import Synchronization
import VirtualBackend
import XCTest

/// That nothing on the audio path asks anything of the heap. In XCTest, because Swift Testing allocates at each
/// `throw`.
final class AudioPathHeapTests: XCTestCase {
  /// Reads the heap counter of the very thread that carries the audio, in each hook: what is between two readings is a
  /// whole turn of the backend's thread, through the device, the manager's bus and the client's bus.
  final class CountingDevice: DefaultAudioDevice, @unchecked Sendable {
    final class Count: Sendable {
      let periods = Atomic<Int>(0)
      let calls = Atomic<Int>(0)
      private let last = Atomic<Int>(-1)

      /// Periods that set the path up: the first ones may.
      static let warmUp = 20

      func turn() {
        let now = HeapCalls.ofThisThread.total
        let before = last.exchange(now, ordering: .relaxed)
        let number = periods.wrappingAdd(1, ordering: .relaxed).newValue
        if number > Self.warmUp, before >= 0 { calls.wrappingAdd(now - before, ordering: .relaxed) }
      }
    }
    let captured = Count()
    let rendered = Count()

    override func processCapturedPeriod(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
      captured.turn()
    }
    override func processRenderedPeriod(_ samples: inout MutableSpan<Int16>) { rendered.turn() }
  }

  func testTenThousandPeriodsCallTheHeapNever() throws {
    let clock = try ManualPeriodClock()
    let backend = VirtualBackend(clock: clock)
    try run(.custom(backend), clock: clock, periods: 10_000) { clock.advance(by: .seconds(1)) }
  }

  private func run(
    _ backend: BackendChoice, clock: any PeriodClock, periods: Int, proceed: () -> Void
  ) throws {
    guard HeapCalls.areCounted else { return }  // Under sanitizers, which bring a heap of their own.
    var configuration = DefaultAudioDevice.Configuration()
    configuration.backend = backend
    let device = CountingDevice(configuration)
    let manager = AudioDeviceManager(clock: clock)
    let bus = BufferedAudioBus()
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
    try manager.startCapture()
    try manager.startRendering()
    defer {
      manager.stopCapture()
      manager.stopRendering()
    }
    let deadline = AudioInstant.now + .seconds(60)
    var period = [Int16](repeating: 1, count: 480)
    func done(_ count: CountingDevice.Count) -> Bool {
      count.periods.load(ordering: .relaxed) >= periods + CountingDevice.Count.warmUp
    }
    var isMuted = false
    while !done(device.captured) || !done(device.rendered) {
      guard AudioInstant.now < deadline else { return XCTFail("the periods did not come") }
      proceed()
      // Both ways of the bus, and both states of the mute.
      bus.writeRenderedFrames(period.span)
      var span = period.mutableSpan
      _ = bus.readCapturedFrames(into: &span)
      isMuted.toggle()
      manager.setAudioSoftMute(isMuted)
    }
    XCTAssertEqual(device.captured.calls.load(ordering: .relaxed), 0, "on the capture path")
    XCTAssertEqual(device.rendered.calls.load(ordering: .relaxed), 0, "on the render path")
  }

  func testTheClientsSideOfTheBufferedBusCallsTheHeapNever() throws {
    guard HeapCalls.areCounted else { return }
    let bus = BufferedAudioBus()
    var period = [Int16](repeating: 1, count: 480)
    func turn() {
      bus.writeRenderedFrames(period.span)
      bus.writeCaptureData(period.span, capturedAt: .now)
      var span = period.mutableSpan
      _ = bus.readRenderData(into: &span)
      _ = bus.readCapturedFrames(into: &span)
    }
    turn()
    let calls = heapCalls { for _ in 0..<10_000 { turn() } }
    XCTAssertEqual(calls.total, 0, "\(calls)")
  }

  func testTheCounterCounts() {
    guard HeapCalls.areCounted else { return }
    var kept: [[Int16]] = []
    kept.reserveCapacity(100)
    let calls = heapCalls { for size in 1...100 { kept.append([Int16](repeating: 0, count: size)) } }
    XCTAssertGreaterThanOrEqual(calls.allocations, 100)
  }
}
