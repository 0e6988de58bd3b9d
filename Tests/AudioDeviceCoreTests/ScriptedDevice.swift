import AudioDeviceCore

/// A device without audio of its own: the test says what its opens do and moves its periods by hand.
final class ScriptedDevice: AudioDevice {
  struct Script {
    var bus: (any AudioBus)?
    var host: (any AudioDeviceHost)?
    var isCapturing = false
    var isRendering = false
    var log: [String] = []
    /// What the next starts throw, one each.
    var captureFailures: [AudioDeviceError] = []
    var renderFailures: [AudioDeviceError] = []
  }
  let script = Locked(Script())
  /// What a start waits for.
  let openGate = Locked<(@Sendable () -> Void)?>(nil)
  let format: AudioFormat

  init(format: AudioFormat = .voice) { self.format = format }

  var log: [String] { script.withLock { $0.log } }
  var host: (any AudioDeviceHost)? { script.withLock { $0.host } }

  var captureFormat: AudioFormat { format }
  var renderFormat: AudioFormat { format }
  var captureIsAvailable: Bool { true }
  var renderingIsAvailable: Bool { true }
  var isCapturing: Bool { script.withLock { $0.isCapturing } }
  var isRendering: Bool { script.withLock { $0.isRendering } }
  func setAudioBus(_ bus: (any AudioBus)?) { script.withLock { $0.bus = bus } }
  func setHost(_ host: (any AudioDeviceHost)?) { script.withLock { $0.host = host } }

  func startCapture() throws(AudioDeviceError) {
    openGate.withLock { $0 }?()
    let failure = script.withLock { script -> AudioDeviceError? in
      script.log.append("startCapture")
      if !script.captureFailures.isEmpty { return script.captureFailures.removeFirst() }
      script.isCapturing = true
      return nil
    }
    if let failure { throw failure }
  }
  func stopCapture() {
    script.withLock { script in
      script.log.append("stopCapture")
      script.isCapturing = false
    }
  }
  func startRendering() throws(AudioDeviceError) {
    let failure = script.withLock { script -> AudioDeviceError? in
      script.log.append("startRendering")
      if !script.renderFailures.isEmpty { return script.renderFailures.removeFirst() }
      script.isRendering = true
      return nil
    }
    if let failure { throw failure }
  }
  func stopRendering() {
    script.withLock { script in
      script.log.append("stopRendering")
      script.isRendering = false
    }
  }

  /// One captured period of a constant, if the device is open.
  func capture(_ value: Int16, at time: AudioInstant = .now) {
    let bus = script.withLock { $0.isCapturing ? $0.bus : nil }
    let period = [Int16](repeating: value, count: format.samplesPerPeriod)
    bus?.writeCaptureData(period.span, capturedAt: time)
  }

  /// One rendered period, if the device is open.
  func render() -> [Int16]? {
    guard let bus = script.withLock({ $0.isRendering ? $0.bus : nil }) else { return nil }
    var period = [Int16](repeating: 0, count: format.samplesPerPeriod)
    var span = period.mutableSpan
    _ = bus.readRenderData(into: &span)
    return period
  }
}

/// A client's bus that notes what it gets and gives a constant.
final class RecordingBus: AudioBus {
  struct Record {
    var captured: [Int16] = []
    var reads = 0
  }
  let record = Locked(Record())
  let accepts: AudioFormat?

  init(accepts: AudioFormat? = nil) { self.accepts = accepts }

  func prepare(captureFormat: AudioFormat, renderFormat: AudioFormat) throws(AudioDeviceError) {
    if let accepts, accepts != captureFormat || accepts != renderFormat {
      throw AudioDeviceError(.formatNotSupported, "Only \(accepts).")
    }
  }

  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {
    let first = samples[0]
    record.withLock { $0.captured.append(first) }
  }

  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int {
    record.withLock { $0.reads += 1 }
    for index in samples.indices { samples[index] = 77 }
    return samples.count
  }

  /// The first sample of each period since the last look.
  func takeCaptured() -> [Int16] {
    record.withLock { record in
      defer { record.captured = [] }
      return record.captured
    }
  }
  func takeReads() -> Int {
    record.withLock { record in
      defer { record.reads = 0 }
      return record.reads
    }
  }
}

/// Waits for what another thread is about to do.
func eventually(_ limit: Duration = .seconds(5), _ condition: () -> Bool) -> Bool {
  let deadline = AudioInstant.now + limit
  guard let pause = try? WakeEvent() else { return false }
  while !condition() {
    guard AudioInstant.now < deadline else { return false }
    _ = pause.wait(limit: .milliseconds(2))
  }
  return true
}

/// The same without holding a thread, for what takes long.
func becomesTrue(within limit: Duration = .seconds(30), _ condition: () -> Bool) async -> Bool {
  let deadline = AudioInstant.now + limit
  while !condition() {
    guard AudioInstant.now < deadline else { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return true
}

/// A manager with a scripted device, a recording bus and a clock in the test's hand.
struct Bench {
  let clock: ManualPeriodClock
  let manager: AudioDeviceManager
  let device = ScriptedDevice()
  let bus = RecordingBus()

  init() throws {
    let clock = try ManualPeriodClock()
    try self.init(clock, pacing: clock)
  }

  /// A bench whose manager sees the clock through another one.
  init(_ clock: ManualPeriodClock, pacing: any PeriodClock) throws {
    self.clock = clock
    manager = AudioDeviceManager(clock: pacing)
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
  }

  func startCall() throws {
    try manager.startCapture()
    try manager.startRendering()
  }
}
