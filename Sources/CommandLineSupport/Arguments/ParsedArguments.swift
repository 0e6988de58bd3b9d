/// The values of a command line that was understood.
package struct ParsedArguments: Sendable {
  var values: [String: any Sendable] = [:]
  var positional: [String: String] = [:]

  package init() {}

  /// The value of an option: the given one, or its default.
  package subscript<Value>(option: Option<Value>) -> Value {
    values[option.name] as? Value ?? option.defaultValue
  }

  /// Whether a flag is given.
  package subscript(flag: Flag) -> Bool { values[flag.name] != nil }

  /// The text of an argument of the command.
  package subscript(argument: Argument) -> String { positional[argument.name] ?? "" }

  /// Whether an option is given, be it with its default.
  package func isGiven(_ option: any CommandOption) -> Bool { values[option.name] != nil }
}
