internal import CAudioSupport

/// A point on the machine's monotonic clock (`CLOCK_MONOTONIC`), to the nanosecond.
///
/// Trivial to copy; reading and comparing neither block nor allocate.
public struct AudioInstant: Sendable, Hashable, Comparable, BitwiseCopyable {
  /// Nanoseconds since the clock's epoch (on Linux: boot).
  public var nanoseconds: Int64

  /// An instant from its nanoseconds since the clock's epoch.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The present, as `clock_gettime(CLOCK_MONOTONIC)` tells it. Any thread, real-time threads included.
  public static var now: AudioInstant { AudioInstant(nanoseconds: cas_monotonic_nanoseconds()) }

  /// Whether `lhs` is earlier.
  public static func < (lhs: AudioInstant, rhs: AudioInstant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// The instant `duration` later; saturates at the ends of the clock's range.
  public static func + (lhs: AudioInstant, duration: Duration) -> AudioInstant {
    let (sum, overflow) = lhs.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    guard !overflow else { return AudioInstant(nanoseconds: duration < .zero ? .min : .max) }
    return AudioInstant(nanoseconds: sum)
  }

  /// The time from `rhs` to `lhs`; negative when `lhs` is earlier. Saturates at ±292 years.
  public static func - (lhs: AudioInstant, rhs: AudioInstant) -> Duration {
    let (difference, overflow) = lhs.nanoseconds.subtractingReportingOverflow(rhs.nanoseconds)
    guard !overflow else { return .nanoseconds(lhs < rhs ? Int64.min : .max) }
    return .nanoseconds(difference)
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded toward zero; saturates at ±292 years.
  public var wholeNanoseconds: Int64 {
    // `components` divides 128 bits by 128, which takes as long as all the rest of a period's arithmetic. This is one
    // instruction of the processor.
    let magnitude = attoseconds.magnitude
    let high = UInt64(truncatingIfNeeded: magnitude >> 64)
    guard high < 500_000_000 else { return attoseconds < 0 ? .min : .max }
    let low = UInt64(truncatingIfNeeded: magnitude)
    let nanoseconds = Int64((1_000_000_000 as UInt64).dividingFullWidth((high, low)).quotient)
    return attoseconds < 0 ? -nanoseconds : nanoseconds
  }
}
