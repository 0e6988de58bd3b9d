internal import RealtimeSupport

/// Lets the first of many wishes through at once, then at most one each interval, and the last one always.
struct MuteThrottle: Sendable {
  /// The least time between two that are let through.
  let interval: Duration
  private var last: AudioInstant?
  private var waiting: Bool?

  init(interval: Duration = .seconds(1)) { self.interval = interval }

  /// What becomes of a wish.
  enum Outcome: Sendable, Hashable {
    /// It is let through.
    case now
    /// It waits: ask ``take(at:)`` then.
    case later(AudioInstant)
    /// It has taken the place of one that waits.
    case replaced
  }

  mutating func wish(_ isMuted: Bool, at now: AudioInstant) -> Outcome {
    if waiting != nil {
      waiting = isMuted
      return .replaced
    }
    if let last, now - last < interval {
      waiting = isMuted
      return .later(last + interval)
    }
    last = now
    return .now
  }

  /// Lets through what waits; nil when nothing does.
  mutating func take(at now: AudioInstant) -> Bool? {
    guard let wish = waiting.take() else { return nil }
    last = now
    return wish
  }
}
