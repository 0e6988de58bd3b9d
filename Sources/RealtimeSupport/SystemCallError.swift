internal import Glibc

/// A system call that failed, with its `errno`.
public struct SystemCallError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call's name, such as `eventfd`.
  public let call: String
  /// Its error number.
  public let number: Int32

  /// An error from a call's name and its number.
  public init(call: String, number: Int32) {
    self.call = call
    self.number = number
  }

  /// `pthread_create: Resource temporarily unavailable (11)`.
  public var description: String { "\(call): \(String(cString: strerror(number))) (\(number))" }
}
