internal import AudioDeviceKit
internal import CommandLineSupport
internal import Glibc

/// The system's microphone and speaker, with a robot's voice: what is captured is changed, what is rendered is
/// measured.
///
/// All that a subclass has to know stands at the two functions that it overrides: they are called on audio threads.
final class RobotVoiceDevice: DefaultAudioDevice, @unchecked Sendable {
  // Unchecked: `phase` belongs to the capture's audio thread; the rest is constant.

  /// The voice is turned on and off so often, which makes a robot of it.
  private static let buzz = 55.0
  /// What the voice loses by that, given back.
  private static let gain: Float = 1.4
  /// From here on peaks are rounded off, so that the gain never clips.
  private static let knee: Float = 24_000

  /// How loud the other side is.
  let speakerMeter: LevelMeter
  private let channelCount: Int
  /// One turn of the buzz. In memory of its own, so that no array is copied or counted on the audio thread.
  private let wave: UnsafeMutableBufferPointer<Float>
  private var phase = 0

  override init(_ configuration: Configuration = Configuration()) {
    let format = configuration.captureFormat
    channelCount = format.channelCount
    speakerMeter = LevelMeter(channelCount: configuration.renderFormat.channelCount)
    wave = .allocate(capacity: max(1, Int(Double(format.sampleRate) / Self.buzz)))
    let length = Double(wave.count)
    _ = wave.initialize(from: (0..<wave.count).map { Float(sin(2 * .pi * Double($0) / length)) })
    super.init(configuration)
  }

  deinit { wave.deallocate() }

  /// Makes a robot of the voice. The capture's audio thread: neither blocks nor allocates.
  override func processCapturedPeriod(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
    var index = 0
    while index < samples.count {
      let factor = wave[phase] * Self.gain
      phase = phase + 1 < wave.count ? phase + 1 : 0
      for channel in index..<min(index + channelCount, samples.count) {
        samples[channel] = Self.limited(Float(samples[channel]) * factor)
      }
      index += channelCount
    }
  }

  /// Measures the other side. The render's audio thread: neither blocks nor allocates.
  override func processRenderedPeriod(_ samples: inout MutableSpan<Int16>) { speakerMeter.add(samples.span) }

  /// As it is below the knee; above, ever closer to full scale and never beyond.
  private static func limited(_ value: Float) -> Int16 {
    let magnitude = abs(value)
    guard magnitude > knee else { return Int16(value) }
    let room = 32_767 - knee
    let limited = knee + room * (magnitude - knee) / (magnitude - knee + room)
    return Int16(value < 0 ? -limited : limited)
  }
}
