/// The shape of the samples: interleaved signed 16-bit at a rate and a channel count.
///
/// All counts in this package are frames: one frame is one sample of every channel. Trivial to copy.
public struct AudioFormat: Sendable, Hashable, BitwiseCopyable, CustomStringConvertible {
  /// Frames per second, 8000 … 192000.
  public let sampleRate: Int
  /// Samples per frame, 1 … 8.
  public let channelCount: Int

  /// The rates that a format may have, in hertz.
  public static let sampleRates = 8_000...192_000
  /// The channel counts that a format may have.
  public static let channelCounts = 1...8

  /// A checked format.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames per second, 8000 … 192000.
  ///   - channelCount: Samples per frame, 1 … 8.
  /// - Throws: ``AudioDeviceError`` with the code ``AudioDeviceError/Code/formatNotSupported`` when out of range.
  public init(sampleRate: Int, channelCount: Int) throws(AudioDeviceError) {
    guard Self.sampleRates.contains(sampleRate) else {
      throw AudioDeviceError(
        .formatNotSupported, "A sample rate of \(sampleRate) Hz is out of range; choose one of 8000 to 192000 Hz.")
    }
    guard Self.channelCounts.contains(channelCount) else {
      throw AudioDeviceError(
        .formatNotSupported, "\(channelCount) channels are out of range; choose 1 to 8.")
    }
    self.init(uncheckedRate: sampleRate, channels: channelCount)
  }

  private init(uncheckedRate: Int, channels: Int) {
    sampleRate = uncheckedRate
    channelCount = channels
  }

  /// 48 kHz mono: what voice codecs want, and the default everywhere in this package.
  public static let voice = AudioFormat(uncheckedRate: 48_000, channels: 1)
  /// 48 kHz stereo.
  public static let stereo = AudioFormat(uncheckedRate: 48_000, channels: 2)

  /// Frames in one period, the unit that devices and the bus exchange: 10 ms, rounded down to whole frames.
  public var framesPerPeriod: Int { sampleRate / 100 }

  /// Samples in one period, all channels together.
  public var samplesPerPeriod: Int { framesPerPeriod * channelCount }

  /// The exact time that one period lasts: 10 ms, or a little less where the rate is no multiple of 100.
  public var periodDuration: Duration { duration(ofFrames: framesPerPeriod) }

  /// How long a number of frames lasts.
  ///
  /// - Parameter frames: A count of frames; may be negative.
  /// - Returns: The duration, to the nanosecond.
  public func duration(ofFrames frames: Int) -> Duration {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: sampleRate)
    return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / sampleRate)
  }

  /// How long a number of frames lasts, in nanoseconds: for the audio path, where ``Swift/Duration``'s 128 bits cost
  /// more than all other arithmetic. The count is that of some buffer; it does not reach 292 years.
  package func nanoseconds(ofFrames frames: Int) -> Int64 {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: sampleRate)
    return Int64(seconds &* 1_000_000_000 &+ rest &* 1_000_000_000 / sampleRate)
  }

  /// How many periods begin in so many nanoseconds.
  func periods(in nanoseconds: Int64) -> Int {
    let period = self.nanoseconds(ofFrames: framesPerPeriod)
    return Int((nanoseconds + period - 1) / period)
  }

  /// How many whole frames fit into a duration.
  ///
  /// - Parameter duration: Clamped to ±1 day.
  /// - Returns: The count, rounded toward zero.
  public func frames(in duration: Duration) -> Int {
    let day: Int64 = 86_400_000_000_000
    let nanoseconds = Int(min(max(duration.wholeNanoseconds, -day), day))
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * sampleRate + rest * sampleRate / 1_000_000_000
  }

  /// `48000 Hz, 1 channel`.
  public var description: String { "\(sampleRate) Hz, \(channelCount) channel\(channelCount == 1 ? "" : "s")" }
}
