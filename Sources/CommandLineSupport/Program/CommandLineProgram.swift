internal import AudioDeviceKit
internal import Glibc

/// A program of several commands, or of one.
///
/// Exit codes: 0 when all went well, 1 when something failed, 2 when the command line was not understood.
package struct CommandLineProgram: Sendable {
  private let name: String
  private let summary: String
  private let commands: [any Command]
  private let isSingle: Bool

  /// A program of several commands.
  package init(name: String, summary: String, commands: [any Command]) {
    self.name = name
    self.summary = summary
    self.commands = commands
    isSingle = false
  }

  /// A program that is one command.
  package init(_ command: any Command) {
    name = command.syntax.name
    summary = command.syntax.summary
    commands = [command]
    isSingle = true
  }

  /// Runs with the process's arguments. Blocks; call it on the main thread before anything else.
  ///
  /// - Returns: The exit code.
  package func main() -> Int32 { run(Array(CommandLine.arguments.dropFirst())) }

  /// Runs with given arguments.
  ///
  /// - Parameter words: The arguments, without the program's name.
  /// - Returns: The exit code.
  func run(_ words: [String]) -> Int32 {
    // Looked for before anything is understood, so that what is not understood is told in JSON as well.
    let console = Console(
      isJSON: words.contains("--\(OutputOptions.json.name)"),
      reportsEvents: words.contains("--\(OutputOptions.events.name)"))
    if isSingle, let command = commands.first { return run(command, words, console) }
    guard let word = words.first else {
      console.writeError(overview)
      return 2
    }
    switch word {
    case "--help", "-h":
      console.writeOutput(overview)
      return 0
    case "help":
      guard words.count > 1 else {
        console.writeOutput(overview)
        return 0
      }
      guard let command = commands.first(where: { $0.syntax.name == words[1] }) else {
        return fail(unknown(words[1]), help: "\(name) --help", console)
      }
      console.writeOutput(command.syntax.help(program: name))
      return 0
    default:
      guard let command = commands.first(where: { $0.syntax.name == word }) else {
        return fail(unknown(word), help: "\(name) --help", console)
      }
      return run(command, Array(words.dropFirst()), console)
    }
  }

  private func run(_ command: any Command, _ words: [String], _ console: Console) -> Int32 {
    let fullName = isSingle ? name : "\(name) \(command.syntax.name)"
    let arguments: ParsedArguments
    do throws(UsageError) {
      switch try command.syntax.parse(words) {
      case .help:
        console.writeOutput(command.syntax.help(program: isSingle ? "" : name))
        return 0
      case .run(let parsed):
        try command.check(parsed)
        arguments = parsed
      }
    } catch {
      return fail(error, help: "\(fullName) --help", console)
    }
    var report: CommandReport
    do throws(AudioDeviceError) {
      let stop: StopSignal
      do throws(SystemCallError) {
        stop = try StopSignal()
      } catch {
        throw AudioDeviceError(error, "The program cannot be set up.")
      }
      report = try command.run(arguments, CommandContext(console: console, stop: stop))
    } catch {
      report = CommandReport(failure: error)
    }
    console.clearProgress()
    if console.isJSON {
      if let failure = report.failure { report.add("error", JSONValue(failure)) }
      console.writeOutput(JSONValue.object(report.members).text)
    } else if !report.words.isEmpty {
      console.writeOutput(report.words)
    }
    if let failure = report.failure { console.fail(fullName, failure) }
    return report.failure == nil && !report.isNegative ? 0 : 1
  }

  private func fail(_ error: UsageError, help: String, _ console: Console) -> Int32 {
    if console.isJSON {
      console.writeOutput(
        JSONValue.object([.init("error", ["code": "usage", "message": .string(error.message)])]).text)
    }
    console.writeError("\(name): \(error.message)\nTry '\(help)'.")
    return 2
  }

  private func unknown(_ word: String) -> UsageError {
    let kind = word.hasPrefix("-") ? "option" : "command"
    return UsageError("unknown \(kind) \(word)\(suggestion(for: word, among: commands.map(\.syntax.name)))")
  }

  private var overview: String {
    let rows = commands.map { (name: $0.syntax.name, text: $0.syntax.summary) }
    return """
      \(wrapped(summary))

      Usage: \(name) COMMAND [options]

      Commands:
      \(table(rows).joined(separator: "\n"))

      '\(name) COMMAND --help' explains a command.
      Exit codes: 0 done, 1 failed, 2 wrong usage.
      """
  }
}
