/// When frame zero of a stream passed a place, judged by the frames that pass there now: the rules alone.
///
/// Frames come in chunks and may be late, but never early. The earliest of the last half second to second therefore
/// tells the stream's own pace, without the jitter and without the size of the chunks. With clock drift the answer
/// moves slowly.
struct PaceLine {
  /// What comes later than this is a pause, not jitter: the line begins anew.
  private static let pause: Int64 = 200_000_000

  private let format: AudioFormat
  private var earliest = Int64.max
  private var earliestBefore = Int64.max
  private var windowStart = 0

  init(format: AudioFormat) { self.format = format }

  /// Frames have passed.
  ///
  /// - Parameters:
  ///   - position: How many have passed by now, in all.
  ///   - time: Now.
  /// - Returns: When frame zero passed, in nanoseconds.
  mutating func note(_ position: Int, at time: AudioInstant) -> Int64 {
    let origin = time.nanoseconds &- format.duration(ofFrames: position).wholeNanoseconds
    let known = min(earliest, earliestBefore)
    if known != .max, origin &- known > Self.pause {
      earliest = .max
      earliestBefore = .max
      windowStart = position
    }
    if position &- windowStart >= format.sampleRate / 2 {
      earliestBefore = earliest
      earliest = .max
      windowStart = position
    }
    earliest = min(earliest, origin)
    return min(earliest, earliestBefore)
  }
}
