import AudioDeviceCore
import Foundation

extension Signal {
  /// The root mean square of all channels in dBFS (0 is the square wave that fills the range; a full sine has -3).
  /// Negative infinity for silence.
  public var rmsLevel: Double {
    guard !samples.isEmpty else { return -.infinity }
    let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return 10 * log10(energy / Double(samples.count)) - Signal.fullScale
  }

  /// The largest sample of all channels in dBFS. Negative infinity for silence.
  public var peakLevel: Double {
    20 * log10(Double(samples.lazy.map(\.magnitude).max() ?? 0)) - Signal.fullScale
  }

  /// Whether no sample is above a level.
  ///
  /// - Parameter level: In dBFS; by default only zeros are silent.
  /// - Returns: Whether that is so.
  public func isSilent(below level: Double = -.infinity) -> Bool { peakLevel <= level }

  /// Where there is silence.
  ///
  /// - Parameters:
  ///   - minimum: Shorter silences do not count.
  ///   - level: In dBFS; by default only zeros are silent.
  /// - Returns: Ranges of frames in which all channels are silent, in order.
  public func silences(longerThan minimum: Duration, below level: Double = -.infinity) -> [Range<Int>] {
    let channels = format.channelCount
    let limit = level == -.infinity ? 0 : Int(32_768 * pow(10, level / 20))
    let shortest = max(1, format.frames(in: minimum))
    var found: [Range<Int>] = []
    var start: Int?
    for frame in 0...frameCount {
      let isSilent =
        frame < frameCount
        && samples[frame * channels..<(frame + 1) * channels].allSatisfy { Int($0.magnitude) <= limit }
      if isSilent {
        start = start ?? frame
      } else if let begin = start {
        if frame - begin >= shortest { found.append(begin..<frame) }
        start = nil
      }
    }
    return found
  }

  /// Frames at which something loud begins after quiet: what becomes of ``impulses(every:value:for:format:)``.
  ///
  /// - Parameters:
  ///   - level: What is loud, in dBFS.
  ///   - rest: How long it must have been quiet before; ringing of a resampler stays within.
  /// - Returns: The frames, in order.
  public func onsets(above level: Double = -20, after rest: Duration = .milliseconds(5)) -> [Int] {
    let channels = format.channelCount
    let limit = 32_768 * pow(10, level / 20)
    let restFrames = format.frames(in: rest)
    var found: [Int] = []
    var lastLoud = -restFrames - 1
    for frame in 0..<frameCount
    where samples[frame * channels..<(frame + 1) * channels].contains(where: { Double($0.magnitude) > limit }) {
      if frame - lastLoud > restFrames { found.append(frame) }
      lastLoud = frame
    }
    return found
  }

  /// 20 log10(32768)
  private static let fullScale = 90.308_998_699_194_36
}
