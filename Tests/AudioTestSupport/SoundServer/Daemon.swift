import Foundation

/// A server's program and the socket it serves.
struct Daemon: Sendable {
  let process: Subprocess
  let logPath: String

  /// Starts the program and waits until its socket accepts connections.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - environment: All of its environment.
  ///   - logPath: Takes its standard output and standard error.
  ///   - socketPath: What it serves; nil when there is nothing to wait for.
  /// - Throws: ``RigError`` with the log.
  init(
    _ command: [String], environment: [String: String], logPath: String, socketPath: String?
  ) throws {
    let log = try OwnedDescriptor(
      open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600), from: "open \(logPath)")
    let process = try Subprocess(
      command, environment: environment, standardOutput: log.rawValue, standardError: log.rawValue)
    self.process = process
    self.logPath = logPath
    guard let socketPath else { return }
    let isUp = eventually(within: .seconds(10)) { accepts(socketPath) || !process.isRunning }
    guard isUp, process.isRunning else {
      process.end()
      throw RigError("\(command.joined(separator: " ")) did not come up:\n\(readText(logPath))")
    }
  }
}

/// Reads a text file.
///
/// - Parameter path: The file's path.
/// - Returns: Its content; empty when there is no such file.
func readText(_ path: String) -> String {
  String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
}

/// Writes a text file.
///
/// - Parameters:
///   - text: Its content.
///   - path: Its path; the folder must exist.
/// - Throws: ``RigError``.
func writeText(_ text: String, to path: String) throws {
  guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
    throw RigError("Cannot write \(path)")
  }
}

/// Makes folders, their parents included, that only we may enter.
///
/// - Parameter paths: Their paths.
/// - Throws: What `FileManager` throws.
func makeFolders(_ paths: String...) throws {
  for path in paths {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }
}
