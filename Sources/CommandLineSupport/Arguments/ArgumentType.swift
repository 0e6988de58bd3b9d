/// How the text of an option's value is understood.
package struct ArgumentType<Value: Sendable>: Sendable {
  /// What stands for the value in the help, such as `MS`.
  let placeholder: String
  /// What is expected, as in "--rate expects *a whole number from 8000 to 192000*".
  let expectation: String
  /// Gives nil for a text that is not what is expected.
  let parse: @Sendable (String) -> Value?
  /// How a default is shown in the help; nil for one that needs no mention.
  let describe: @Sendable (Value) -> String?

  package init(
    placeholder: String, expectation: String, parse: @escaping @Sendable (String) -> Value?,
    describe: @escaping @Sendable (Value) -> String?
  ) {
    self.placeholder = placeholder
    self.expectation = expectation
    self.parse = parse
    self.describe = describe
  }

  /// The same, with nil for an option that is not given.
  package var optional: ArgumentType<Value?> {
    ArgumentType<Value?>(
      placeholder: placeholder, expectation: expectation, parse: { [parse] text in parse(text).map(Optional.some) },
      describe: { [describe] value in value.flatMap(describe) })
  }
}

extension ArgumentType where Value == String {
  /// Any text but an empty one, such as a path.
  ///
  /// - Parameter placeholder: What stands for it in the help.
  /// - Returns: The type.
  package static func text(_ placeholder: String) -> ArgumentType {
    ArgumentType(
      placeholder: placeholder, expectation: "a text", parse: { $0.isEmpty ? nil : $0 },
      describe: { $0.isEmpty ? nil : $0 })
  }
}

extension ArgumentType where Value == Int {
  /// A whole number.
  ///
  /// - Parameters:
  ///   - placeholder: What stands for it in the help.
  ///   - range: What is accepted.
  /// - Returns: The type.
  package static func integer(_ placeholder: String, in range: ClosedRange<Int>) -> ArgumentType {
    ArgumentType(
      placeholder: placeholder, expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      parse: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }, describe: { String($0) })
  }
}

extension ArgumentType where Value == Double {
  /// A decimal number.
  ///
  /// - Parameters:
  ///   - placeholder: What stands for it in the help.
  ///   - range: What is accepted.
  /// - Returns: The type.
  package static func decimal(_ placeholder: String, in range: ClosedRange<Double>) -> ArgumentType {
    ArgumentType(
      placeholder: placeholder,
      expectation: "a number from \(range.lowerBound.shortText) to \(range.upperBound.shortText)",
      parse: { text in decimalNumber(text).flatMap { range.contains($0) ? $0 : nil } }, describe: { $0.shortText })
  }
}

extension ArgumentType where Value == Duration {
  /// A number of seconds, with or without a fraction.
  ///
  /// - Parameter range: What is accepted, in seconds.
  /// - Returns: The type.
  package static func seconds(in range: ClosedRange<Double>) -> ArgumentType {
    duration("S", unit: 1, name: "seconds", in: range)
  }

  /// A number of milliseconds, with or without a fraction.
  ///
  /// - Parameter range: What is accepted, in milliseconds.
  /// - Returns: The type.
  package static func milliseconds(in range: ClosedRange<Double>) -> ArgumentType {
    duration("MS", unit: 0.001, name: "milliseconds", in: range)
  }

  private static func duration(
    _ placeholder: String, unit: Double, name: String, in range: ClosedRange<Double>
  ) -> ArgumentType {
    ArgumentType(
      placeholder: placeholder,
      expectation: "a number of \(name) from \(range.lowerBound.shortText) to \(range.upperBound.shortText)",
      parse: { text in decimalNumber(text).flatMap { range.contains($0) ? .seconds($0 * unit) : nil } },
      describe: { ($0 / .seconds(unit)).shortText })
  }
}

extension ArgumentType {
  /// One of a few names.
  ///
  /// - Parameters:
  ///   - placeholder: What stands for it in the help.
  ///   - choices: The names, and what each means.
  /// - Returns: The type.
  package static func choice(_ placeholder: String, _ choices: KeyValuePairs<String, Value>) -> ArgumentType
  where Value: Equatable {
    let choices = choices.map { (name: $0.key, value: $0.value) }
    return ArgumentType(
      placeholder: placeholder, expectation: "one of \(choices.map(\.name).joined(separator: ", "))",
      parse: { text in choices.first { $0.name == text }?.value },
      describe: { value in choices.first { $0.value == value }?.name })
  }
}

/// A finite number in plain decimal notation; `Double.init` alone takes `nan`, `inf` and hexadecimal as well.
private func decimalNumber(_ text: String) -> Double? {
  guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || ".-+".utf8.contains($0) }) else {
    return nil
  }
  return Double(text).flatMap { $0.isFinite ? $0 : nil }
}
