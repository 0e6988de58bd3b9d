internal import Glibc

/// How the kernel schedules a thread.
public enum SchedulingClass: Sendable, Hashable, CustomStringConvertible {
  /// `SCHED_OTHER`: shares the processor with everything else.
  case normal
  /// `SCHED_FIFO` at a priority of 1 … 99: runs before everything of lower priority.
  case fifo(priority: Int32)

  /// The class that audio threads ask for: above normal work, below the sound servers' own threads (often 88).
  public static let audio = SchedulingClass.fifo(priority: 20)

  /// `SCHED_OTHER` or `SCHED_FIFO 20`.
  public var description: String {
    switch self {
    case .normal: "SCHED_OTHER"
    case .fifo(let priority): "SCHED_FIFO \(priority)"
    }
  }

  /// The class of the calling thread, as the kernel tells it (`pthread_getschedparam`). Round robin counts as FIFO.
  public static var current: SchedulingClass {
    var policy: Int32 = 0
    var parameters = sched_param()
    guard pthread_getschedparam(pthread_self(), &policy, &parameters) == 0 else { return .normal }
    return policy == SCHED_FIFO || policy == SCHED_RR ? .fifo(priority: parameters.sched_priority) : .normal
  }
}
