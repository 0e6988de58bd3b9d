internal import Dispatch

/// Runs tasks on a thread of its own: tests that block all of Swift's do not hold them up.
public final class OwnThreadExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "own-thread")

  /// An executor with nothing to do.
  public init() {}

  /// Runs a piece of a task.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
