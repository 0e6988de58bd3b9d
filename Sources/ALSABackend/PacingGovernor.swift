#if ALSA
  internal import AudioDeviceCore

  /// Keeps a PCM from moving audio faster than time passes, and finds out whether it would.
  ///
  /// A bucket of credit: it fills at 1.25 × real time, a period costs what it lasts, and a full bucket lets one whole
  /// buffer through at once, which is what a device that paces asks for after a stall. A device that paces never empties
  /// it. A PCM that is always ready (`null`, `file`, a plug-in without a clock) empties it at once and is then held before
  /// every period; when that has gone on for ``holdLimit`` periods, the PCM has no clock.
  struct PacingGovernor: Sendable, BitwiseCopyable {
    /// Periods in a row that had to be held before a PCM counts as unpaced: 0.4 s.
    static let holdLimit = 40

    private let period: Int64
    private let capacity: Int64
    private var credit: Int64
    private var last: AudioInstant
    private var isHolding = false
    private var holds = 0

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - period: Of the client.
    ///   - buffer: Of the PCM.
    ///   - now: The present.
    init(period: Duration, buffer: Duration, now: AudioInstant) {
      self.period = period.wholeNanoseconds
      capacity = buffer.wholeNanoseconds + 2 * period.wholeNanoseconds
      credit = capacity
      last = now
    }

    /// Whether the PCM showed no clock of its own.
    var isUnpaced: Bool { holds >= Self.holdLimit }

    /// Asks to move one period. Neither blocks nor allocates.
    ///
    /// - Parameter now: The present.
    /// - Returns: Nil to go on; else how long to wait before asking again.
    mutating func hold(now: AudioInstant) -> Duration? {
      let elapsed = min(max(now.nanoseconds &- last.nanoseconds, 0), capacity)
      last = now
      credit = min(capacity, credit + elapsed + elapsed / 4)
      guard credit >= period else {
        isHolding = true
        return .nanoseconds((period - credit) * 4 / 5 + 1)
      }
      credit -= period
      holds = isHolding ? holds + 1 : 0
      isHolding = false
      return nil
    }
  }
#endif
