internal import Glibc

/// A value behind a lock, for control work: held for moments, never taken on an audio thread.
///
/// A `pthread_mutex_t` that inherits priorities, and not the standard library's `Mutex`, because ThreadSanitizer sees
/// what the former orders and reports false races behind the latter. Not recursive.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // Unchecked: `value` is reachable through `withLock` alone.

  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// A lock that protects `value`. Allocates.
  package init(_ value: consuming sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_setprotocol(&attributes, Int32(PTHREAD_PRIO_INHERIT))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Waits for the lock and runs `body` with it.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
