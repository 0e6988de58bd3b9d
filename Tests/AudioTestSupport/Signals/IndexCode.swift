public import AudioDeviceCore

/// A signal in which every frame carries its own number, so that a recording of it tells which frames were lost,
/// repeated or replaced by silence, and how old each frame is. It survives only bit-exact ways: no resampling, no
/// volume.
///
/// Frame *f* has the value 1 + *f* mod 30000 on all channels: never 0, which is silence.
public enum IndexCode {
  /// How many frames are told apart: 625 ms at 48 kHz.
  public static let period = 30_000

  /// The value of a frame.
  ///
  /// - Parameter frame: Its number, not negative.
  /// - Returns: 1 … 30000.
  public static func value(ofFrame frame: Int) -> Int16 { Int16(1 + frame % period) }

  /// A coded signal.
  ///
  /// - Parameters:
  ///   - duration: How long.
  ///   - first: The number of its first frame.
  ///   - format: Its format.
  /// - Returns: The signal.
  public static func signal(_ duration: Duration, from first: Int = 0, format: AudioFormat = .voice) -> Signal {
    Signal.make(frames: format.frames(in: duration), format: format) { value(ofFrame: first + $0) }
  }

  /// How many frames ago a received frame was sent.
  ///
  /// - Parameters:
  ///   - value: What was received.
  ///   - sent: How many frames were sent by then.
  /// - Returns: Frames, 1 … 30000; nil when the value is silence or foreign.
  public static func lag(of value: Int16, sent: Int) -> Int? {
    guard (1...Int16(period)).contains(value) else { return nil }
    let lag = (sent - (Int(value) - 1)) % period
    return lag > 0 ? lag : lag + period
  }

  /// What a recording of a coded signal tells.
  public struct Report: Sendable, Hashable, CustomStringConvertible {
    /// Zeros before the first coded frame; the whole recording when there is none.
    public internal(set) var leadingSilence = 0
    /// Zeros after the last coded frame.
    public internal(set) var trailingSilence = 0
    /// Coded frames.
    public internal(set) var codedFrames = 0
    /// Frames that are neither coded nor silent, or differ between channels.
    public internal(set) var foreignFrames = 0
    /// Where it does not go on as it should, in order.
    public internal(set) var breaks: [Break] = []

    /// Zeros inside the signal.
    public var silentFrames: Int { breaks.reduce(0) { $0 + $1.silence } }
    /// Frames that never came.
    public var lostFrames: Int { breaks.reduce(0) { $0 + max(0, $1.skipped) } }
    /// Frames that came more than once.
    public var repeatedFrames: Int { breaks.reduce(0) { $0 + max(0, -$1.skipped) } }
    /// Whether from the first coded frame to the last all is as it was sent.
    public var isContinuous: Bool { breaks.isEmpty && foreignFrames == 0 }

    /// One line for messages.
    public var description: String {
      "\(codedFrames) coded frames after \(leadingSilence) silent ones, \(lostFrames) lost, \(repeatedFrames) "
        + "repeated, \(silentFrames) silent, \(foreignFrames) foreign, breaks: \(breaks.prefix(10))"
    }
  }

  /// A place where the code does not go on.
  public struct Break: Sendable, Hashable {
    /// The frame of the recording where it begins.
    public let frame: Int
    /// How many zeros are there.
    public let silence: Int
    /// How many frames of the signal are left out after that; negative when it goes back and repeats some.
    public let skipped: Int

    /// A break with all it tells.
    public init(frame: Int, silence: Int, skipped: Int) {
      self.frame = frame
      self.silence = silence
      self.skipped = skipped
    }
  }

  /// Follows the code through a recording.
  ///
  /// - Parameter recording: A recording of ``signal(_:from:format:)``.
  /// - Returns: What is wrong with it.
  public static func examine(_ recording: Signal) -> Report {
    // A pointer, because debug builds go through millions of samples here.
    recording.samples.withUnsafeBufferPointer { examine($0, channels: recording.format.channelCount) }
  }

  private static func examine(_ samples: UnsafeBufferPointer<Int16>, channels: Int) -> Report {
    var report = Report()
    var expected: Int?
    var silence = 0
    var start = 0
    while start + channels <= samples.count {
      let frame = start / channels
      let value = Int(samples[start])
      var isCode = value >= 0 && value <= period
      for channel in 1..<max(channels, 1) where Int(samples[start + channel]) != value { isCode = false }
      start += channels
      guard isCode else {
        report.foreignFrames += 1
        expected = expected.map { $0 + 1 }
        continue
      }
      if value == 0 {
        silence += 1
        continue
      }
      report.codedFrames += 1
      let index = value - 1
      if let expected {
        let ahead = ((index - expected) % period + period) % period
        let skipped = ahead < period / 2 ? ahead : ahead - period
        if silence > 0 || skipped != 0 {
          report.breaks.append(Break(frame: frame - silence, silence: silence, skipped: skipped))
        }
      } else {
        report.leadingSilence = silence
      }
      silence = 0
      expected = index + 1
    }
    if expected == nil { report.leadingSilence = silence } else { report.trailingSilence = silence }
    return report
  }
}
