internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs one thing after another, for control work that may block: a queue that knows which thread it runs on, so that
/// what is called back from within can tell and need not wait for itself.
package final class SerialLane: Sendable {
  private let queue: DispatchQueue
  private let owner = Atomic<UInt>(0)

  package init(_ label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

  /// Whether the caller runs on the lane, however deep.
  package var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Runs `body` and waits for it; at once where the caller runs on the lane already.
  package func sync<Result>(_ body: () -> Result) -> Result {
    isCurrent ? body() : queue.sync { own(body) }
  }

  /// Runs `body` elsewhere, soon or after a time.
  package func async(after delay: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
    guard delay > .zero else {
      queue.async { self.own(body) }
      return
    }
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.wholeNanoseconds))) { self.own(body) }
  }

  private func own<Result>(_ body: () -> Result) -> Result {
    owner.store(UInt(pthread_self()), ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    return body()
  }
}
