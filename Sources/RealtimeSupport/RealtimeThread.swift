internal import CAudioSupport
internal import Glibc

/// A thread of our own for audio, in the best scheduling class that the system grants.
///
/// The thread starts in the initialiser and ends when its body returns; ``join()`` waits for that. The body is retained
/// until then. A thread that nobody joins is detached when this object goes.
public final class RealtimeThread: Sendable {
  /// The class that was granted, which may be lower than the one asked for (`EPERM` without `CAP_SYS_NICE` or rtprio).
  public let schedulingClass: SchedulingClass

  private let thread: Locked<pthread_t?>
  private let identity: pthread_t

  /// Starts a thread. Allocates; not for audio threads.
  ///
  /// - Parameters:
  ///   - name: As it appears in `/proc`; at most 15 bytes are kept.
  ///   - wished: The class to ask for. Where it is refused, the thread runs as ``SchedulingClass/normal``.
  ///   - body: What the thread does.
  /// - Throws: ``SystemCallError`` when no thread can be made at all.
  public init(
    name: String, scheduling wished: SchedulingClass = .audio, body: @escaping @Sendable () -> Void
  ) throws(SystemCallError) {
    var created: (thread: pthread_t, got: SchedulingClass)?
    var failure: Int32 = 0
    for attempt in wished == .normal ? [.normal] : [wished, .normal] {
      switch Self.create(name: name, scheduling: attempt, body: body) {
      case .success(let thread): created = (thread, attempt)
      case .failure(let error): failure = error.number
      }
      if created != nil { break }
    }
    guard let created else { throw SystemCallError(call: "pthread_create", number: failure) }
    schedulingClass = created.got
    identity = created.thread
    thread = Locked(created.thread)
  }

  deinit {
    if let thread = thread.withLock({ $0 }) { pthread_detach(thread) }
  }

  /// Whether the caller runs on this thread.
  public var isCurrent: Bool { pthread_equal(pthread_self(), identity) != 0 }

  /// Waits until the thread has ended. Idempotent, from any number of threads; from the thread itself it does nothing.
  public func join() {
    guard !isCurrent else { return }
    // Under the lock, so that whoever comes second waits as well.
    thread.withLock { thread in
      if let running = thread { pthread_join(running, nil) }
      thread = nil
    }
  }

  private final class Start {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private static func create(
    name: String, scheduling: SchedulingClass, body: @escaping @Sendable () -> Void
  ) -> Result<pthread_t, SystemCallError> {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_EXPLICIT_SCHED))
    var parameters = sched_param()
    switch scheduling {
    case .normal:
      pthread_attr_setschedpolicy(&attributes, SCHED_OTHER)
    case .fifo(let priority):
      parameters.sched_priority = priority
      pthread_attr_setschedpolicy(&attributes, SCHED_FIFO)
    }
    pthread_attr_setschedparam(&attributes, &parameters)
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        cas_name_current_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      start.release()
      return .failure(SystemCallError(call: "pthread_create", number: result))
    }
    return .success(thread)
  }
}
