import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

/// A program of the package, as it was built with the tests.
enum Program: String {
  case audioDevice = "audio-device"
  case ringtone = "ringtone-example"
  case customDevice = "custom-device-example"

  /// The folder of the test bundle, in which the programs are.
  static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

  var path: String { "\(Self.folder)/\(rawValue)" }

  /// Runs it to its end. Blocks.
  func run(
    _ arguments: String..., environment: [String: String] = Subprocess.plainEnvironment
  ) throws -> Subprocess.Output {
    try run(arguments, environment: environment)
  }

  /// Runs it to its end. Blocks.
  func run(
    _ arguments: [String], environment: [String: String] = Subprocess.plainEnvironment
  ) throws -> Subprocess.Output {
    try Subprocess.run([path] + arguments, environment: Self.sanitized(environment), within: .seconds(30))
  }

  /// Starts it.
  func start(
    _ arguments: [String], environment: [String: String] = Subprocess.plainEnvironment
  ) throws -> RunningProgram {
    try RunningProgram([path] + arguments, environment: Self.sanitized(environment))
  }

  /// The programs are built with the sanitizers that the tests are built with, and heed the same options.
  static func sanitized(_ environment: [String: String]) -> [String: String] {
    let options = ProcessInfo.processInfo.environment.filter { ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key) }
    return environment.merging(options) { $1 }
  }
}

/// A program that runs, whose output can be looked at meanwhile.
final class RunningProgram: Sendable {
  let process: Subprocess
  private let folder: String

  init(_ command: [String], environment: [String: String]) throws {
    let folder = try ProcessWarden.shared().makeFolder("program")
    let files = try ["out", "err"].map { name in
      let path = "\(folder)/\(name)"
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      return try #require(FileHandle(forWritingAtPath: path))
    }
    self.folder = folder
    process = try Subprocess(
      command, environment: environment, standardOutput: files[0].fileDescriptor,
      standardError: files[1].fileDescriptor)
  }

  var output: String { text("out") }
  var errorText: String { text("err") }

  /// The events that were written to standard error (`--events`) or output so far.
  var events: [Event] { Event.parse(errorText) + Event.parse(output) }

  private func text(_ name: String) -> String {
    (FileManager.default.contents(atPath: "\(folder)/\(name)")).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Waits until an event was written. Blocks.
  func waitForEvent(_ name: String, _ direction: String? = nil, within limit: Duration = .seconds(5)) throws {
    let isThere = eventually(within: limit) {
      events.contains { $0.name == name && (direction == nil || $0.direction == direction) } || !process.isRunning
    }
    try #require(isThere && process.isRunning, "no \(name): \(errorText)\(output)")
  }

  /// Sends Ctrl-C and waits for the end.
  func interrupt() throws -> Subprocess.ExitStatus {
    process.send(SIGINT)
    return try #require(process.wait(within: .seconds(5)), "does not end: \(errorText)\(output)")
  }
}

/// A line of JSON about something that happened.
struct Event {
  let time: Double
  let name: String
  let members: [String: Any]

  var direction: String? { members["direction"] as? String }

  /// The lines that are whole.
  static func parse(_ text: String) -> [Event] {
    text.split(separator: "\n").compactMap { line in
      guard let members = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let time = members["time"] as? Double, let name = members["event"] as? String
      else { return nil }
      return Event(time: time, name: name, members: members)
    }
  }
}

/// The one JSON document that a text is.
func document(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
  // Not even a second line, and not an empty one.
  #expect(text.hasSuffix("\n") && text.dropLast().allSatisfy { !$0.isNewline }, sourceLocation: sourceLocation)
  let object = try? JSONSerialization.jsonObject(with: Data(text.utf8))
  return try #require(object as? [String: Any], "no document: \(text)", sourceLocation: sourceLocation)
}

/// The code of the error in a document.
func errorCode(_ document: [String: Any]) -> String? { (document["error"] as? [String: Any])?["code"] as? String }
