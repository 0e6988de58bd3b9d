/// Why something cannot be done with a call, in a form for programs (``code-swift.property``) and for people
/// (``message``).
public struct CallError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// A sentence or two.
  public let message: String

  /// An error from its parts.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What is wrong.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// The kinds of failure. An open set: a `switch` over them needs a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case callInProgress, unknownCall, wrongMoment, refused, callEnded, audioFailed, invalidated, systemFailure
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// There is a call already, and there can be one at a time.
    public static let callInProgress = Code(.callInProgress)
    /// There is no call of that id.
    public static let unknownCall = Code(.unknownCall)
    /// Not in the state that the call is in.
    public static let wrongMoment = Code(.wrongMoment)
    /// The delegate refused.
    public static let refused = Code(.refused)
    /// The call ended before it was done.
    public static let callEnded = Code(.callEnded)
    /// The microphone cannot be opened again.
    public static let audioFailed = Code(.audioFailed)
    /// The provider was invalidated.
    public static let invalidated = Code(.invalidated)
    /// The process is out of threads or descriptors.
    public static let systemFailure = Code(.systemFailure)

    /// The code's name, such as `callInProgress`.
    public var description: String { kind.rawValue }
  }
}
