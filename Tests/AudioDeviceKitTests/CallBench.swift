import AudioDeviceKit
import AudioTestSupport
import RealtimeSupport
import VirtualBackend

/// A call on the virtual backend: a tone at the microphone, a speaker that is recorded, a buffered bus, and a clock in
/// the test's hand.
final class CallBench: Sendable {
  let clock: ManualPeriodClock
  let backend: VirtualBackend
  let manager: AudioDeviceManager
  let bus = MirrorBus()
  let speaker: SpeakerRecorder

  init(speakerFormat: AudioFormat = .voice) throws {
    let clock = try ManualPeriodClock()
    let speaker = SpeakerRecorder(format: speakerFormat)
    self.clock = clock
    self.speaker = speaker
    backend = try VirtualBackend(
      configuration: VirtualBackend.Configuration(
        speakers: [
          .init(id: "speaker", format: speakerFormat, target: .function { samples, _ in speaker.append(samples) }),
          .init(id: "other", format: speakerFormat),
        ],
        microphones: [.init(source: .tone(frequency: 440, level: -20))]),
      clock: clock)
    manager = AudioDeviceManager(clock: clock)
    try manager.setAudioBus(bus)
  }

  var configuration: DefaultAudioDevice.Configuration {
    var configuration = DefaultAudioDevice.Configuration()
    configuration.backend = .custom(backend)
    return configuration
  }

  func startCall() throws {
    try manager.startCapture()
    try manager.startRendering()
  }

  /// The names of the streams that exist at the backend.
  var openStreams: [String] { backend.openStreams.map(\.name).sorted() }
}

/// What a person at the speaker hears.
final class SpeakerRecorder: Sendable {
  let format: AudioFormat
  private let samples = Locked<[Int16]>([])

  init(format: AudioFormat) { self.format = format }

  func append(_ period: borrowing Span<Int16>) {
    let copy = period.withUnsafeBufferPointer { Array($0) }
    samples.withLock { $0 += copy }
  }

  func take() -> Signal {
    Signal(
      samples.withLock { samples in
        defer { samples = [] }
        return samples
      }, format: format)
  }
}

/// A client: it notes what is captured and renders a tone of 1000 Hz.
final class MirrorBus: AudioBus {
  private struct State {
    var captured: [Int16] = []
    var writes = 0
    var frame = 0
  }
  private let state = Locked(State())
  private let tone = Signal.tone(1000, for: .seconds(1))

  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {
    let copy = samples.withUnsafeBufferPointer { Array($0) }
    state.withLock { state in
      state.captured += copy
      state.writes += 1
    }
  }

  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int {
    let count = samples.count
    let first = state.withLock { state in
      defer { state.frame += count }
      return state.frame
    }
    for index in samples.indices { samples[index] = tone.samples[(first + index) % tone.samples.count] }
    return count
  }

  /// Samples captured since the last look.
  var pending: Int { state.withLock { $0.captured.count } }

  /// What was captured since the last look, and in how many writes.
  func take() -> (signal: Signal, writes: Int) {
    state.withLock { state in
      defer {
        state.captured = []
        state.writes = 0
      }
      return (Signal(state.captured, format: .voice), state.writes)
    }
  }
}
