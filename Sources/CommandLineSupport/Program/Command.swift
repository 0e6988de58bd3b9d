package import AudioDeviceKit

/// One command of a program, or a program that is one command.
package protocol Command: Sendable {
  /// What it accepts.
  var syntax: CommandSyntax { get }

  /// Looks for what options mean together and no single one can tell.
  ///
  /// - Throws: ``UsageError``, which ends the program with the code 2.
  func check(_ arguments: ParsedArguments) throws(UsageError)

  /// Does it, and blocks until it is done.
  ///
  /// - Returns: What is to be said at the end.
  /// - Throws: ``AudioDeviceError``, which ends the program with the code 1.
  func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport
}

extension Command {
  package func check(_ arguments: ParsedArguments) throws(UsageError) {}
}

/// What a running command talks to.
package struct CommandContext: Sendable {
  package let console: Console
  package let stop: StopSignal
}

/// What a command says at its end.
package struct CommandReport: Sendable {
  /// For programs: the members of the JSON document.
  package var members: [JSONValue.Member] = []
  /// For people.
  package var words = ""
  /// What went wrong, where that did not keep the rest from being worth telling.
  package var failure: AudioDeviceError?
  /// Whether the code is 1 although there is no failure to explain.
  package var isNegative = false

  package init(words: String = "", failure: AudioDeviceError? = nil) {
    self.words = words
    self.failure = failure
  }

  /// Adds a member to the document.
  package mutating func add(_ name: String, _ value: JSONValue) { members.append(JSONValue.Member(name, value)) }

  /// Adds a line for people.
  package mutating func add(line: String) { words += words.isEmpty ? line : "\n\(line)" }
}

/// The options that say what is written and how; every command has them.
package enum OutputOptions {
  package static let json = Flag("json", help: "Write exactly one JSON document to standard output.")
  package static let events = Flag("events", help: "Write JSON lines to standard error, as things happen.")
}
