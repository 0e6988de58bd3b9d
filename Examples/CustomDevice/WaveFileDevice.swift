internal import AudioDeviceKit

/// A driver from nothing: its microphone hears a WAV file, and its speaker is a level meter.
///
/// This is all that a driver has to do, whether it stands for a file, a radio or a board of one's own: take the bus,
/// say the formats, and while a direction runs, write or read a period every 10 ms. Everything else, such as mutes,
/// calling services and silence, is done by the manager that hosts it.
final class WaveFileDevice: AudioDevice {
  private struct State {
    var bus: (any AudioBus)?
    var capture: PacedLoop?
    var render: PacedLoop?
  }
  /// For control; no audio thread takes the lock.
  private let state = Locked(State())
  private let clock: any PeriodClock
  private let microphone: FileMicrophone
  /// What would be heard.
  let speaker: MeterSpeaker

  /// Reads the file. Both directions have its format.
  ///
  /// - Parameters:
  ///   - path: A WAVE file of at most ten minutes.
  ///   - clock: What paces both directions.
  /// - Throws: ``AudioDeviceError`` that names the file.
  init(path: String, clock: any PeriodClock = SystemPeriodClock.shared) throws(AudioDeviceError) {
    microphone = try FileMicrophone(path: path)
    speaker = MeterSpeaker(format: microphone.format)
    self.clock = clock
  }

  func setAudioBus(_ bus: (any AudioBus)?) { state.withLock { $0.bus = bus } }

  var statistics: AudioDeviceStatistics {
    var statistics = AudioDeviceStatistics()
    statistics.capture.frames = microphone.frameCount
    statistics.render.frames = speaker.frameCount
    statistics.render.shortfallFrames = speaker.missingFrameCount
    return statistics
  }

  // MARK: Microphone

  var captureFormat: AudioFormat { microphone.format }
  var captureIsAvailable: Bool { true }
  var isCapturing: Bool { state.withLock { $0.capture != nil } }
  /// A period is given when its last frame was heard, and so its first one is that old.
  var estimatedCaptureDelay: Duration { captureFormat.periodDuration }

  func startCapture() throws(AudioDeviceError) {
    try state.withLock { (state) throws(AudioDeviceError) in
      guard state.capture == nil else { return }
      let bus = try Self.bus(state)
      state.capture = try PacedLoop(
        name: "file-microphone", period: captureFormat.periodDuration, clock: clock
      ) { [microphone] start in microphone.writePeriod(to: bus, capturedAt: start) }
    }
  }

  func stopCapture() {
    // Waited for outside of the lock, and when this returns, the bus is not touched any more.
    let loop = state.withLock { $0.capture.take() }
    loop?.stop()
  }

  // MARK: Speaker

  var renderFormat: AudioFormat { speaker.format }
  var renderingIsAvailable: Bool { true }
  var isRendering: Bool { state.withLock { $0.render != nil } }

  func startRendering() throws(AudioDeviceError) {
    try state.withLock { (state) throws(AudioDeviceError) in
      guard state.render == nil else { return }
      let bus = try Self.bus(state)
      state.render = try PacedLoop(
        name: "meter-speaker", period: renderFormat.periodDuration, clock: clock
      ) { [speaker] _ in speaker.renderPeriod(from: bus) }
    }
  }

  func stopRendering() {
    let loop = state.withLock { $0.render.take() }
    loop?.stop()
  }

  private static func bus(_ state: State) throws(AudioDeviceError) -> any AudioBus {
    guard let bus = state.bus else {
      throw AudioDeviceError(.invalidState, "The device has no bus yet; call setAudioBus first.")
    }
    return bus
  }
}
