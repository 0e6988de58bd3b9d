import Glibc

extension Subprocess {
  /// What a command that has ended left.
  public struct Output: Sendable {
    /// How it ended.
    public let status: ExitStatus
    /// What it wrote to its standard output.
    public let bytes: [UInt8]
    /// What it wrote to its standard error.
    public let errorText: String

    /// The standard output as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Runs a command to its end. Blocks.
  ///
  /// - Parameters:
  ///   - command: The program (looked up in `PATH`) and its arguments.
  ///   - environment: All of its environment.
  ///   - input: What it reads from its standard input.
  ///   - limit: How long it may run; then it is killed.
  /// - Returns: Its output, whatever its exit status.
  /// - Throws: ``RigError`` when it can't be started or takes longer.
  public static func run(
    _ command: [String], environment: [String: String] = plainEnvironment, input: [UInt8] = [],
    within limit: Duration = .seconds(10)
  ) throws -> Output {
    // Files, not pipes: a command can't block on them, so nobody has to pump.
    let standardInput = try OwnedDescriptor.memoryFile()
    let output = try OwnedDescriptor.memoryFile()
    let errors = try OwnedDescriptor.memoryFile()
    try input.withUnsafeBytes { try standardInput.write($0) }
    lseek(standardInput.rawValue, 0, SEEK_SET)
    let process = try Subprocess(
      command, environment: environment, standardInput: standardInput.rawValue, standardOutput: output.rawValue,
      standardError: errors.rawValue)
    guard let status = process.wait(within: limit) else {
      process.end()
      throw RigError("\(command.joined(separator: " ")) still ran after \(limit)")
    }
    return Output(
      status: status, bytes: output.contents(), errorText: String(decoding: errors.contents(), as: UTF8.self))
  }

  /// Runs a command that must succeed. Blocks.
  ///
  /// - Parameters:
  ///   - command: The program (looked up in `PATH`) and its arguments.
  ///   - environment: All of its environment.
  ///   - limit: How long it may run.
  /// - Returns: Its standard output.
  /// - Throws: ``RigError`` when it exits with anything but 0.
  @discardableResult
  public static func check(
    _ command: [String], environment: [String: String] = plainEnvironment, within limit: Duration = .seconds(10)
  ) throws -> String {
    let output = try run(command, environment: environment, within: limit)
    guard output.status == .exited(0) else {
      throw RigError("\(command.joined(separator: " ")): \(output.status) \(output.errorText)\(output.text)")
    }
    return output.text
  }
}
