internal import AudioDeviceCore

/// When the periods of a stream are due, and which of them a stall has cost. Pure arithmetic.
///
/// Period `n`, counted from 1, is due at the anchor plus the exact time of `n` periods: no rounding adds up, whatever
/// the rate. A stream that comes late catches up as long as its buffer would have held out; when it is later than that,
/// all periods that have become due are lost but for the latest, and the stream goes on with that one, on the same
/// grid.
struct PeriodPace {
  /// When period 0 was due.
  let anchor: AudioInstant
  /// The period that comes next.
  private(set) var index = 1

  private let format: AudioFormat
  private let tolerance: Duration

  /// - Parameters:
  ///   - format: Of the stream.
  ///   - anchor: When period 0 was due.
  ///   - tolerance: How late a period may be without a loss; at least one period.
  init(format: AudioFormat, anchor: AudioInstant, tolerance: Duration) {
    self.format = format
    self.anchor = anchor
    self.tolerance = max(tolerance, format.periodDuration)
  }

  /// When the next period is due.
  var due: AudioInstant { instant(ofPeriod: index) }

  /// When a period is due.
  func instant(ofPeriod index: Int) -> AudioInstant {
    anchor + format.duration(ofFrames: index * format.framesPerPeriod)
  }

  /// How many periods, beginning with the next, are lost at an instant.
  func lostPeriods(at now: AudioInstant) -> Int {
    guard now - due > tolerance else { return 0 }
    let elapsed = now - anchor
    let seconds = Int(elapsed.components.seconds)
    let frames = seconds * format.sampleRate + format.frames(in: elapsed - .seconds(seconds))
    return max(0, frames / format.framesPerPeriod - index)
  }

  /// Goes on to the period after a number of others.
  mutating func advance(by count: Int) { index += count }
}
