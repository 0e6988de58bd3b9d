import Glibc

/// Waits for a condition by looking again and again, every 5 ms. Blocks the calling thread.
///
/// - Parameters:
///   - limit: How long to go on. Generous: a machine with busy cores stalls for 50 ms now and then.
///   - condition: What is to become true.
/// - Returns: Whether it did.
/// - Throws: What the condition throws.
public func eventually<Failure: Error>(
  within limit: Duration = .seconds(5), _ condition: () throws(Failure) -> Bool
) throws(Failure) -> Bool {
  let deadline = ContinuousClock.now + limit
  while true {
    if try condition() { return true }
    guard ContinuousClock.now < deadline else { return false }
    usleep(5_000)
  }
}

/// The same for asynchronous tests: suspends the task, and leaves the thread to others.
///
/// Chosen where the condition awaits something, or says so itself: `await eventually { () async in isDone }`.
///
/// - Parameters:
///   - limit: How long to go on.
///   - isolation: That of the caller.
///   - condition: What is to become true.
/// - Returns: Whether it did.
/// - Throws: What the condition throws.
public func eventually<Failure: Error>(
  within limit: Duration = .seconds(5), isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws(Failure) -> Bool
) async throws(Failure) -> Bool {
  let deadline = ContinuousClock.now + limit
  while true {
    if try await condition() { return true }
    guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
}
