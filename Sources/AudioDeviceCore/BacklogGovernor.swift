/// Keeps the backlog of a ring near its target: the rules alone, in frames.
///
/// The consumer asks before each read. After a shortfall the backlog is first built up to the target again, since
/// otherwise each late chunk of the producer would be heard as another hole. When even the *smallest* backlog of a
/// whole window lies above the target by a period or more, that much is dropped: the delay comes back to where it was
/// after a stall or under clock drift, and a burst that is consumed at once costs nothing.
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
  private var isFilling = true

  init(target: Int, maximum: Int, period: Int, window: Int) {
    self.target = target
    self.maximum = max(maximum, target + period)
    self.period = period
    self.window = window
  }

  mutating func plan(available: Int, wanted: Int) -> Plan {
    guard wanted > 0 else { return Plan(discard: 0, read: 0) }
    if isFilling {
      // One period above the target is what the read itself is about to take.
      guard available >= max(target + min(wanted, period), wanted) else { return Plan(discard: 0, read: 0) }
      isFilling = false
    }
    guard available >= wanted else {
      isFilling = target > 0
      startWindow()
      return Plan(discard: 0, read: available)
    }
    if available - wanted > maximum {
      startWindow()
      return Plan(discard: available - wanted - target, read: wanted)
    }
    smallest = min(smallest, available - wanted)
    consumedInWindow += wanted
    guard consumedInWindow >= window else { return Plan(discard: 0, read: wanted) }
    let excess = smallest - target
    startWindow()
    return Plan(discard: excess >= period ? excess : 0, read: wanted)
  }

  private mutating func startWindow() {
    smallest = .max
    consumedInWindow = 0
  }
}
