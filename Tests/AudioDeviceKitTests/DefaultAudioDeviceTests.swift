import AudioDeviceKit
import AudioTestSupport
import RealtimeSupport
import Testing
import VirtualBackend

@Suite struct DefaultAudioDeviceTests {
  /// Halves what is captured and silences what is rendered.
  final class Processor: DefaultAudioDevice, @unchecked Sendable {
    override func processCapturedPeriod(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
      for index in samples.indices { samples[index] /= 2 }
    }
    override func processRenderedPeriod(_ samples: inout MutableSpan<Int16>) {
      for index in samples.indices { samples[index] = 0 }
    }
  }

  @Test func carriesBothDirections() throws {
    let bench = try CallBench()
    let device = DefaultAudioDevice(bench.configuration)
    try bench.manager.setAudioDevice(device)
    try bench.startCall()
    bench.clock.advance(by: .seconds(1))
    let captured = bench.bus.take().signal
    #expect(abs((captured.dominantFrequency() ?? 0) - 440) < 4.4)
    #expect(abs(captured.peakLevel + 20) < 0.5)
    let heard = bench.speaker.take()
    #expect(abs((heard.dominantFrequency() ?? 0) - 1000) < 10)
    #expect(device.isCapturing && device.isRendering)
    #expect(device.captureDeviceID == "microphone" && device.renderDeviceID == "speaker")
    bench.manager.stopCapture()
    bench.manager.stopRendering()
    #expect(bench.openStreams == [])
    #expect(device.estimatedCaptureDelay == .zero && device.estimatedRenderDelay == .zero)
  }

  @Test func hooksChangeThePeriodsInPlace() throws {
    let bench = try CallBench()
    try bench.manager.setAudioDevice(Processor(bench.configuration))
    try bench.startCall()
    bench.clock.advance(by: .milliseconds(500))
    #expect(abs(bench.bus.take().signal.peakLevel + 26) < 0.5)
    #expect(bench.speaker.take().isSilent())
  }

  @Test func theDelaysAreTheStreamsOwn() throws {
    let bench = try CallBench()
    var configuration = bench.configuration
    configuration.latency = .milliseconds(80)
    let device = DefaultAudioDevice(configuration)
    try bench.manager.setAudioDevice(device)
    try bench.startCall()
    bench.clock.advance(by: .milliseconds(100))
    #expect(device.estimatedRenderDelay == .milliseconds(80))
    #expect(device.estimatedCaptureDelay == .milliseconds(10))
    #expect(bench.manager.estimatedRenderDelay == .milliseconds(80))
  }

  @Test func whatTheBusDoesNotGiveIsSilenceAndCounted() throws {
    let bench = try CallBench()
    let bus = BufferedAudioBus()
    try bench.manager.setAudioBus(bus)
    let device = DefaultAudioDevice(bench.configuration)
    try bench.manager.setAudioDevice(device)
    try bench.manager.startRendering()
    bench.clock.advance(by: .seconds(1))
    #expect(bench.speaker.take().isSilent())
    #expect(device.statistics.render.shortfallFrames >= 47_000)
  }

  @Test func anUnknownDeviceFailsTheStartAndLeavesNothingOpen() throws {
    let bench = try CallBench()
    var configuration = bench.configuration
    configuration.inputRoute = .device("no such microphone", orDefault: false)
    try bench.manager.setAudioDevice(DefaultAudioDevice(configuration))
    #expect { try bench.manager.startCapture() } throws: { ($0 as? AudioDeviceError)?.code == .deviceNotFound }
    #expect(bench.openStreams == [])
  }

  /// As PipeWire does with names that it does not know.
  @Test(arguments: [true, false]) func aBackendThatOpensTheDefaultWithoutAWord(mayStandIn: Bool) async throws {
    let bench = try CallBench()
    let events = bench.manager.events()
    var configuration = bench.configuration
    configuration.backend = .custom(AlteredBackend(bench.backend) { $0.deviceID = nil })
    configuration.outputRoute = .device("other", orDefault: mayStandIn)
    try bench.manager.setAudioDevice(DefaultAudioDevice(configuration))
    if mayStandIn {
      try bench.manager.startRendering()
      #expect(bench.backend.openStreams.map(\.deviceID) == ["speaker"])
      for await event in events where event.kind.name == "fellBack" {
        #expect(event.kind == .fellBack(.render, wished: "other", deviceID: "speaker"))
        break
      }
    } else {
      #expect { try bench.manager.startRendering() } throws: { ($0 as? AudioDeviceError)?.code == .deviceNotFound }
      #expect(bench.openStreams == [])
    }
  }

  /// The devices are looked at while the stream still starts; then the user moves it to the default.
  @Test func theDefaultIsKnownBeforeTheStreamRuns() throws {
    let bench = try CallBench()
    /// Waits until a look is over that the router was about to take: the next one has begun.
    @Sendable func waitForLook(_ backend: AlteredBackend, after count: Int, adding id: String) {
      #expect(throws: Never.self) { try bench.backend.addSpeaker(.init(id: id)) }
      #expect(eventually { backend.listCount >= count + 2 })
    }
    let backend = AlteredBackend(
      bench.backend, whenStarting: { waitForLook($0, after: 0, adding: "one") })
    var configuration = bench.configuration
    configuration.backend = .custom(backend)
    configuration.outputRoute = .device("other")
    try bench.manager.setAudioDevice(DefaultAudioDevice(configuration))
    try bench.manager.startRendering()
    let count = backend.listCount
    bench.backend.send(.moved(deviceID: "speaker"))
    bench.clock.advance(by: .milliseconds(10))
    waitForLook(backend, after: count, adding: "two")
    #expect(bench.backend.openedCount(.render) == 1)
    bench.manager.stopRendering()
  }

  @Test func aDeviceWishedByItsIDIsOpenedWhereTheListFails() throws {
    let bench = try CallBench()
    var configuration = bench.configuration
    configuration.backend = .custom(ListlessBackend(bench.backend))
    configuration.outputRoute = .device("other", orDefault: false)
    try bench.manager.setAudioDevice(DefaultAudioDevice(configuration))
    try bench.manager.startRendering()
    #expect(bench.manager.currentAudioDevice?.renderDeviceID == "other")
    try bench.manager.startCapture()
    #expect(bench.openStreams.count == 2)
  }

  @Test func withoutABusAStartSaysSo() throws {
    let bench = try CallBench()
    let device = DefaultAudioDevice(bench.configuration)
    #expect { try device.startCapture() } throws: { ($0 as? AudioDeviceError)?.code == .invalidState }
  }

  @Test func xrunsBecomeEvents() async throws {
    let bench = try CallBench()
    let events = bench.manager.events()
    try bench.manager.setAudioDevice(DefaultAudioDevice(bench.configuration))
    try bench.startCall()
    bench.clock.advance(by: .milliseconds(100))
    bench.backend.stallStreams(periods: 10) { $0.direction == .capture }
    bench.clock.advance(by: .milliseconds(200))
    for await event in events {
      guard case .xrun(let direction, let count, let lostFrames) = event.kind else { continue }
      #expect(direction == .capture && count == 1 && lostFrames == 4800)
      break
    }
    #expect(bench.manager.statistics.capture.xruns == 1)
  }

  @Test func aLostStreamComesBack() throws {
    let bench = try CallBench()
    try bench.manager.setAudioDevice(DefaultAudioDevice(bench.configuration))
    try bench.startCall()
    bench.clock.advance(by: .milliseconds(100))
    bench.backend.send(.lost(AudioDeviceError(.deviceLost, "Gone."))) { $0.direction == .capture }
    bench.clock.advance(by: .milliseconds(100))
    #expect(eventually(within: .seconds(5)) { bench.backend.openedCount(.capture) == 2 })
    _ = bench.bus.take()
    bench.clock.advance(by: .seconds(1))
    #expect(abs((bench.bus.take().signal.dominantFrequency() ?? 0) - 440) < 4.4)
    #expect(bench.backend.openedCount(.render) == 1)
  }

  @Test func twoHundredCallsLeaveNothingBehind() throws {
    let bench = try CallBench()
    let device = DefaultAudioDevice(bench.configuration)
    try bench.manager.setAudioDevice(device)
    try bench.startCall()
    bench.manager.stopCapture()
    bench.manager.stopRendering()
    for _ in 0..<200 {
      try bench.startCall()
      bench.clock.advance(by: .milliseconds(20))
      bench.manager.stopCapture()
      bench.manager.stopRendering()
    }
    #expect(bench.openStreams == [])
    #expect(bench.manager.statistics.capture.opens == 201)
  }
}

/// A backend whose list of devices does not come.
private final class ListlessBackend: AudioBackend {
  private let backend: any AudioBackend
  init(_ backend: any AudioBackend) { self.backend = backend }

  var name: String { backend.name }
  var isAvailable: Bool { true }
  func devices() throws(AudioDeviceError) -> [AudioDeviceInfo] { throw AudioDeviceError(.timedOut, "It hangs.") }
  func watchDevices(
    onChange: @escaping @Sendable () -> Void
  ) throws(AudioDeviceError) -> any AudioDeviceWatch { try backend.watchDevices(onChange: onChange) }
  func openStream(
    _ configuration: AudioStreamConfiguration, client: any AudioStreamClient
  ) throws(AudioDeviceError) -> any AudioStream { try backend.openStream(configuration, client: client) }
}
