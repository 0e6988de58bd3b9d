internal import Glibc

/// A file descriptor that came in a message. Closed with its owner.
final class BusDescriptor: Sendable, Hashable {
  /// The descriptor.
  let number: Int32

  /// A duplicate of a descriptor that belongs to somebody else; nil when the process has too many.
  init?(duplicating number: Int32) {
    self.number = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard self.number >= 0 else { return nil }
  }

  deinit { close(number) }

  static func == (lhs: BusDescriptor, rhs: BusDescriptor) -> Bool { lhs === rhs }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
