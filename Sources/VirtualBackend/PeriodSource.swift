internal import AudioDeviceCore
internal import Glibc

/// What a virtual microphone hears. One object for one stream, used by its thread alone.
///
/// All functions but the initialiser are called on the stream's audio thread, and neither block nor allocate.
protocol PeriodSource: AnyObject {
  /// Fills a period.
  ///
  /// - Parameters:
  ///   - period: Interleaved, in the format of the stream; holds what the client left in it.
  ///   - time: When its first frame is captured, by the device's clock.
  /// - Returns: Frames that should have been there and were not; they are silence.
  func fill(_ period: UnsafeMutableBufferPointer<Int16>, capturedAt time: AudioInstant) -> Int

  /// Passes over periods that nobody takes.
  func skip(_ count: Int)
}

/// Nothing.
final class SilenceSource: PeriodSource {
  func fill(_ period: UnsafeMutableBufferPointer<Int16>, capturedAt time: AudioInstant) -> Int {
    period.update(repeating: 0)
    return 0
  }

  func skip(_ count: Int) {}
}

/// A sine, the same in all channels, that begins at zero with the stream.
final class ToneSource: PeriodSource {
  private let format: AudioFormat
  private let amplitude: Double
  /// In turns for each frame, below one half.
  private let step: Double
  private var turns = 0.0

  /// - Parameters:
  ///   - frequency: In hertz.
  ///   - level: Of the peak, in decibels below full scale.
  ///   - format: Of the stream.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the rate cannot carry the frequency.
  init(frequency: Double, level: Double, format: AudioFormat) throws(AudioDeviceError) {
    guard frequency * 2 < Double(format.sampleRate) else {
      throw AudioDeviceError(
        .formatNotSupported, "A tone of \(frequency) Hz needs a sample rate of more than \(frequency * 2) Hz.")
    }
    self.format = format
    amplitude = 32_767 * pow(10, level / 20)
    step = frequency / Double(format.sampleRate)
  }

  func fill(_ period: UnsafeMutableBufferPointer<Int16>, capturedAt time: AudioInstant) -> Int {
    let channels = format.channelCount
    for frame in 0..<period.count / channels {
      let sample = Int16((amplitude * sin(2 * .pi * turns)).rounded())
      for channel in 0..<channels { period[frame * channels + channel] = sample }
      turns += step
      if turns >= 1 { turns -= 1 }
    }
    return 0
  }

  func skip(_ count: Int) {
    let skipped = turns + step * Double(count * format.framesPerPeriod)
    turns = skipped - skipped.rounded(.down)
  }
}

/// A function of the user's.
final class FunctionSource: PeriodSource {
  typealias Function = @Sendable (inout MutableSpan<Int16>, AudioFormat, AudioInstant) -> Void

  private let format: AudioFormat
  private let clock: DeviceClock
  private let function: Function

  init(format: AudioFormat, clock: DeviceClock, _ function: @escaping Function) {
    self.format = format
    self.clock = clock
    self.function = function
  }

  func fill(_ period: UnsafeMutableBufferPointer<Int16>, capturedAt time: AudioInstant) -> Int {
    period.update(repeating: 0)
    var span = period.mutableSpan
    function(&span, format, clock.baseInstant(time))
    return 0
  }

  func skip(_ count: Int) {}
}
