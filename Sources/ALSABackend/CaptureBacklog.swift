#if ALSA
  /// Finds captured audio that waits where it cannot be read.
  ///
  /// A sound server's plug-in (`pulse`) never reports an overrun: what it could not deliver during a stall stays queued
  /// behind its ring buffer, and everything captured from then on is late by that much, for good. What shows it is the
  /// delay that remains right after all that could be read was read: on a healthy PCM that hardly moves.
  struct CaptureBacklog: Sendable, BitwiseCopyable {
    /// Looks at the beginning that do not count: servers estimate the delay, and begin with too little.
    static let settlingLooks = 50
    /// Looks in a row that have to agree, because an estimate jumps.
    static let agreeingLooks = 5
    /// Looks without a backlog after which an earlier one is forgotten: 30 s of 10 ms periods.
    static let forgettingLooks = 3_000

    private let smallestLimit: Int
    private var limit: Int
    private var looks = 0
    private var agreeing = 0
    private var baseline = Int.max

    /// A look at a PCM that was just started for the first time.
    ///
    /// - Parameter limit: Frames above the baseline that are still no backlog: the PCM's buffer, because a stall of
    ///   less can be read in full.
    init(limit: Int) {
      smallestLimit = limit
      self.limit = limit
    }

    /// The PCM was started anew: its delay settles again.
    mutating func restart() {
      looks = 0
      agreeing = 0
      baseline = .max
    }

    /// Takes the delay after a read that left nothing readable. Neither blocks nor allocates.
    ///
    /// - Parameter delay: In frames, not negative.
    /// - Returns: Whether audio is late for good and can only be dropped, by starting the PCM anew. Each such answer
    ///   doubles the limit for a while, so that a delay which is no backlog after all (a headset that was moved to)
    ///   cannot make the PCM start over and over.
    mutating func isLate(delay: Int) -> Bool {
      looks += 1
      guard looks > Self.settlingLooks else { return false }
      if looks == Self.forgettingLooks { limit = smallestLimit }
      baseline = min(baseline, delay)
      guard delay - baseline > limit else {
        agreeing = 0
        return false
      }
      agreeing += 1
      guard agreeing >= Self.agreeingLooks else { return false }
      limit = min(limit * 2, smallestLimit * 16)
      return true
    }
  }
#endif
