/// What went wrong, in a form for programs (``code``) and for people (``message``).
///
/// The one error type of the package. Codes are an open set: a `switch` over them needs a `default`.
public struct AudioDeviceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// One or two sentences: what is wrong, and what a person can do.
  public let message: String
  /// The C call that failed, such as `snd_pcm_open`; nil where none did.
  public let call: String?
  /// The number that the call gave, in the library's own numbering; nil where there is none.
  public let number: Int?
  /// The library's own words for the number; nil where there are none.
  public let detail: String?

  /// An error from its parts.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What is wrong, and what a person can do.
  ///   - call: The C call that failed.
  ///   - number: The number it gave.
  ///   - detail: The library's words for the number.
  public init(_ code: Code, _ message: String, call: String? = nil, number: Int? = nil, detail: String? = nil) {
    self.code = code
    self.message = message
    self.call = call
    self.number = number
    self.detail = detail
  }

  /// An error from a system call's failure.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - message: What could not be done because of it.
  public init(_ error: SystemCallError, _ message: String) {
    self.init(
      .systemFailure, message, call: error.call, number: Int(error.number), detail: error.description)
  }

  /// Whether it can be over without anybody changing what was asked for: the server or the device may come back.
  public var isTransient: Bool {
    switch code {
    case .serverUnavailable, .deviceNotFound, .deviceBusy, .deviceLost, .timedOut: true
    default: false
    }
  }

  /// The message, followed by the call, its number and the library's words where there are any.
  public var description: String {
    guard let call else { return message }
    let origin = [call, number.map { "error \($0)" }, detail].compactMap { $0 }.joined(separator: ", ")
    return "\(message) (\(origin))"
  }

  /// The kinds of failure.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case invalidArgument, invalidState, formatNotSupported, directionNotSupported, backendUnavailable
      case serverUnavailable, deviceNotFound, deviceBusy, deviceLost, permissionDenied, timedOut
      case fileNotFound, fileNotReadable, fileNotWritable, fileFormatNotSupported, systemFailure
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// An argument is out of its range or has no meaning here.
    public static let invalidArgument = Code(.invalidArgument)
    /// The call does not fit what the object is doing now.
    public static let invalidState = Code(.invalidState)
    /// The sample rate, the channel count or the sample format cannot be had.
    public static let formatNotSupported = Code(.formatNotSupported)
    /// The device has no such direction.
    public static let directionNotSupported = Code(.directionNotSupported)
    /// The wished backend was not built in, or its library does not work here.
    public static let backendUnavailable = Code(.backendUnavailable)
    /// No sound server answers.
    public static let serverUnavailable = Code(.serverUnavailable)
    /// There is no device of that id.
    public static let deviceNotFound = Code(.deviceNotFound)
    /// Another program holds the device.
    public static let deviceBusy = Code(.deviceBusy)
    /// The device or the server went away while in use.
    public static let deviceLost = Code(.deviceLost)
    /// This user may not do that.
    public static let permissionDenied = Code(.permissionDenied)
    /// The other side did not answer in time.
    public static let timedOut = Code(.timedOut)
    /// There is no file of that name.
    public static let fileNotFound = Code(.fileNotFound)
    /// The file exists and cannot be read.
    public static let fileNotReadable = Code(.fileNotReadable)
    /// The file cannot be made or written.
    public static let fileNotWritable = Code(.fileNotWritable)
    /// The file is not what it should be, or damaged beyond use.
    public static let fileFormatNotSupported = Code(.fileFormatNotSupported)
    /// The operating system refused something that is expected to work.
    public static let systemFailure = Code(.systemFailure)

    /// The code's name, such as `deviceNotFound`.
    public var description: String { kind.rawValue }
  }
}
