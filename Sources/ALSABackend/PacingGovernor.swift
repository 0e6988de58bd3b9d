#if ALSA
  internal import AudioDeviceCore

  /// Keeps a PCM from moving audio faster than time passes, and finds out whether it would.
  ///
  /// A bucket of credit: it fills at 1.25 × real time, frames cost what they last, and a full bucket lets one whole
  /// buffer through at once, which is what a device that paces asks for after a stall. A device that paces never
  /// empties it. A PCM that is always ready (a plug-in without a clock) empties it at once and is then held before
  /// every transfer; when that has gone on for ``holdLimit`` transfers of a period, the PCM has no clock.
  struct PacingGovernor: Sendable, BitwiseCopyable {
    /// Transfers in a row that had to be held before a PCM counts as unpaced: 0.4 s.
    static let holdLimit = 40

    private let sampleRate: Int64
    private let capacity: Int64
    private var credit: Int64
    private var last: AudioInstant
    private var isHolding = false
    private var holds = 0

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - format: Of the client.
    ///   - buffer: Of the PCM, in frames.
    ///   - now: The present.
    init(format: AudioFormat, buffer: Int, now: AudioInstant) {
      sampleRate = Int64(format.sampleRate)
      capacity = format.duration(ofFrames: buffer + 2 * format.framesPerPeriod).wholeNanoseconds
      credit = capacity
      last = now
    }

    /// Whether the PCM showed no clock of its own.
    var isUnpaced: Bool { holds >= Self.holdLimit }

    /// Asks to move frames. Neither blocks nor allocates.
    ///
    /// - Parameters:
    ///   - frames: How many: a period at the most.
    ///   - now: The present.
    /// - Returns: Nil to go on; else how long to wait before asking again.
    mutating func hold(_ frames: Int, now: AudioInstant) -> Duration? {
      let cost = Int64(frames) * 1_000_000_000 / sampleRate
      let elapsed = min(max(now.nanoseconds &- last.nanoseconds, 0), capacity)
      last = now
      credit = min(capacity, credit + elapsed + elapsed / 4)
      guard credit >= cost else {
        isHolding = true
        return .nanoseconds((cost - credit) * 4 / 5 + 1)
      }
      credit -= cost
      holds = isHolding ? holds + 1 : 0
      isHolding = false
      return nil
    }
  }
#endif
