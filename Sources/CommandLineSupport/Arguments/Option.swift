/// An option with a value: `--name VALUE` or `--name=VALUE`. The last one of a name counts.
package struct Option<Value: Sendable>: CommandOption {
  package let name: String
  package let help: String
  let type: ArgumentType<Value>
  let defaultValue: Value

  /// An option.
  ///
  /// - Parameters:
  ///   - name: Without the dashes.
  ///   - type: How its value is understood.
  ///   - defaultValue: What holds when it is not given.
  ///   - help: A sentence for the help.
  package init(_ name: String, _ type: ArgumentType<Value>, default defaultValue: Value, help: String) {
    self.name = name
    self.type = type
    self.defaultValue = defaultValue
    self.help = help
  }

  /// An option that has no default: nil when it is not given.
  ///
  /// - Parameters:
  ///   - name: Without the dashes.
  ///   - type: How its value is understood.
  ///   - help: A sentence for the help.
  package init<Wrapped>(_ name: String, _ type: ArgumentType<Wrapped>, help: String) where Value == Wrapped? {
    self.init(name, type.optional, default: nil, help: help)
  }

  package var placeholder: String? { type.placeholder }
  package var defaultText: String? { type.describe(defaultValue) }

  package func value(of text: String) throws(UsageError) -> any Sendable {
    guard let value = type.parse(text) else {
      throw UsageError("--\(name) expects \(type.expectation), not '\(text)'")
    }
    return value
  }
}

/// An option without a value: `--name`.
package struct Flag: CommandOption {
  package let name: String
  package let help: String

  /// A flag.
  ///
  /// - Parameters:
  ///   - name: Without the dashes.
  ///   - help: A sentence for the help.
  package init(_ name: String, help: String) {
    self.name = name
    self.help = help
  }

  package var placeholder: String? { nil }
  package var defaultText: String? { nil }
  package func value(of text: String) throws(UsageError) -> any Sendable { true }
}

/// What stands on the command line without a name: a file, as a rule.
package struct Argument: Sendable {
  /// In capitals, as the help shows it.
  package let name: String
  package let help: String

  package init(_ name: String, help: String) {
    self.name = name
    self.help = help
  }
}

/// What ``Option`` and ``Flag`` have in common.
package protocol CommandOption: Sendable {
  /// Without the dashes.
  var name: String { get }
  var help: String { get }
  /// Nil for what takes no value.
  var placeholder: String? { get }
  /// The default as the help shows it; nil for none.
  var defaultText: String? { get }
  /// Understands the text of a value.
  func value(of text: String) throws(UsageError) -> any Sendable
}
