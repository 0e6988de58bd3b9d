public import AudioDeviceCore
import Foundation

extension Signal {
  /// Silence.
  ///
  /// - Parameters:
  ///   - duration: How long.
  ///   - format: Its format.
  /// - Returns: Zeros.
  public static func silence(_ duration: Duration, format: AudioFormat = .voice) -> Signal {
    Signal([Int16](repeating: 0, count: format.frames(in: duration) * format.channelCount), format: format)
  }

  /// A sine, the same on all channels.
  ///
  /// - Parameters:
  ///   - frequency: In hertz.
  ///   - level: Its peak in dBFS.
  ///   - duration: How long.
  ///   - format: Its format.
  /// - Returns: The tone; it begins at phase 0.
  public static func tone(
    _ frequency: Double, level: Double = -12, for duration: Duration, format: AudioFormat = .voice
  ) -> Signal {
    let amplitude = 32_767 * pow(10, level / 20)
    let step = 2 * Double.pi * frequency / Double(format.sampleRate)
    return make(frames: format.frames(in: duration), format: format) { frame in
      Int16((amplitude * sin(step * Double(frame))).rounded())
    }
  }

  /// Silence with single samples that stand out, the first of them in the first frame.
  ///
  /// - Parameters:
  ///   - interval: From one to the next.
  ///   - value: The samples' value.
  ///   - duration: How long.
  ///   - format: Its format.
  /// - Returns: The impulses.
  public static func impulses(
    every interval: Duration, value: Int16 = 16_384, for duration: Duration, format: AudioFormat = .voice
  ) -> Signal {
    let period = max(1, format.frames(in: interval))
    return make(frames: format.frames(in: duration), format: format) { $0.isMultiple(of: period) ? value : 0 }
  }

  /// A signal from a function.
  ///
  /// - Parameters:
  ///   - frames: How many frames.
  ///   - format: Its format.
  ///   - sample: The value of each frame, on all channels.
  /// - Returns: The signal.
  public static func make(frames: Int, format: AudioFormat = .voice, _ sample: (Int) -> Int16) -> Signal {
    var samples: [Int16] = []
    samples.reserveCapacity(frames * format.channelCount)
    for frame in 0..<frames {
      let value = sample(frame)
      for _ in 0..<format.channelCount { samples.append(value) }
    }
    return Signal(samples, format: format)
  }
}
