#if PulseAudio
  internal import AudioDeviceCore

  /// When a stream's audio passes, and when it is due next. Trivial to copy; nothing here blocks or allocates.
  ///
  /// A server gives a stream its audio, or asks for it, in the steps of its device: as wished for, or in halves, thirds
  /// or quarters of that. Only a stream that has kept to its steps for a while is believed to do so again. All in
  /// nanoseconds: this is done for every period.
  struct PulseArrivals: BitwiseCopyable {
    /// The stream's number.
    let key: Int
    private let wishedStep: Int64
    private var step: Int64
    private var last: Int64 = 0
    private var punctualPasses = 0
    private var awaitedPasses = 0

    /// How much a pass may be early or late and still be punctual.
    static let tolerance: Int64 = 1_000_000
    /// How many punctual passes are believed.
    static let neededPasses = 8
    /// How many passes in a row may be awaited.
    static let awaitedPassesInARow = 100

    /// Arrivals of which nothing is known.
    ///
    /// - Parameters:
    ///   - key: The stream's number.
    ///   - step: The time between two passes, as it was wished for.
    init(key: Int, step: Duration) {
      self.key = key
      wishedStep = step.wholeNanoseconds
      self.step = wishedStep
    }

    /// When the next pass is due, on the clock of ``AudioInstant``; nil while the stream is not known to be punctual.
    var due: Int64? { punctualPasses >= Self.neededPasses ? last &+ step : nil }

    /// Whether the next pass is not to be awaited: who rests does not see what came early, so that is looked for now and
    /// then.
    var isToBeMeasured: Bool { awaitedPasses >= Self.awaitedPassesInARow }

    /// Audio passed.
    ///
    /// - Parameters:
    ///   - now: When.
    ///   - wasAwaited: Whether it may have come earlier than it was taken, because the thread rested.
    mutating func pass(now: AudioInstant, wasAwaited: Bool) {
      let gap = now.nanoseconds &- last
      let error = gap &- step
      if wasAwaited, error >= 0, error <= Self.tolerance {
        last &+= step
        awaitedPasses += 1
        return
      }
      awaitedPasses = 0
      last = now.nanoseconds
      if error.magnitude <= Self.tolerance {
        punctualPasses = min(punctualPasses + 1, Self.neededPasses)
      } else {
        punctualPasses = 0
        // For whole parts, to a quarter, of what was wished for.
        let parts = gap > 0 ? (wishedStep + gap / 2) / gap : 0
        if (1...4).contains(parts) { step = wishedStep / parts }
      }
    }
  }
#endif
