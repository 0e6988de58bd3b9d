/// Keeps the backlog of a ring near its target: the rules alone, in frames.
///
/// The consumer asks before each read. After a shortfall the backlog is first built up to the target again, since
/// otherwise each late chunk of the producer would be heard as another hole. When even the *smallest* backlog of a
/// whole window lies above the target by a period or more, that much is dropped: the delay comes back to where it was
/// after a stall or under clock drift, and a burst that is consumed at once costs nothing.
///
/// Who corrects the rate knows the delay better, and tells how much of it is surplus: then no more than that is
/// dropped, and only what would take the correction too long.
struct BacklogGovernor {
  struct Plan: Equatable {
    var discard: Int
    var read: Int
  }

  private let target: Int
  private let maximum: Int
  private let period: Int
  private let window: Int
  private var smallest = Int.max
  private var consumedInWindow = 0
  /// Whether the backlog is built up, and nothing is read meanwhile.
  private(set) var isFilling = true

  init(target: Int, maximum: Int, period: Int, window: Int) {
    self.target = target
    self.maximum = max(maximum, target + period)
    self.period = period
    self.window = window
  }

  /// What the next read is to do.
  ///
  /// - Parameters:
  ///   - available: Frames in the ring.
  ///   - wanted: Frames that the consumer takes.
  ///   - surplus: Frames by which the delay is too long, from who corrects the rate.
  /// - Returns: How many frames to drop, then how many to read.
  mutating func plan(available: Int, wanted: Int, surplus: Int? = nil) -> Plan {
    guard wanted > 0 else { return Plan(discard: 0, read: 0) }
    if isFilling {
      // One period above the target is what the read itself is about to take. A corrected delay begins where it stays,
      // so the target has to be left whatever the read takes.
      let room = surplus == nil ? period : maximum
      guard available >= max(target + min(wanted, room), wanted) else { return Plan(discard: 0, read: 0) }
      isFilling = false
    }
    guard available >= wanted else {
      isFilling = target > 0
      startWindow()
      return Plan(discard: 0, read: available)
    }
    let tolerance = surplus == nil ? period : period * 3 / 2
    if available - wanted > maximum {
      // A burst above the maximum that is no surplus fills a hole that was before it.
      let excess = min(available - wanted - target, surplus ?? .max)
      if surplus == nil || excess >= tolerance {
        startWindow()
        return Plan(discard: excess, read: wanted)
      }
    }
    smallest = min(smallest, available - wanted)
    consumedInWindow += wanted
    guard consumedInWindow >= window else { return Plan(discard: 0, read: wanted) }
    let excess = min(smallest - target, surplus ?? .max)
    startWindow()
    return Plan(discard: excess >= tolerance ? excess : 0, read: wanted)
  }

  private mutating func startWindow() {
    smallest = .max
    consumedInWindow = 0
  }
}
