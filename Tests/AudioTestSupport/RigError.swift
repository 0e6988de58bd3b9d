/// Something in the test rig itself went wrong: a missing program, a server that did not start, a command that failed.
public struct RigError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, with the output of the program concerned.
  public let description: String

  /// An error with its description.
  public init(_ description: String) { self.description = description }
}
