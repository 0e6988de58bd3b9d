extension CommandSyntax {
  /// How the command line looks, such as `audio-device record FILE [options]`.
  ///
  /// - Parameter program: What comes before the command's name; empty when the command is the program.
  /// - Returns: One line.
  package func usage(program: String) -> String {
    ([program, name].filter { !$0.isEmpty } + arguments.map(\.name) + ["[options]"]).joined(separator: " ")
  }

  /// The whole help, for a terminal of 80 columns.
  ///
  /// - Parameter program: What comes before the command's name; empty when the command is the program.
  /// - Returns: Several lines.
  package func help(program: String) -> String {
    var lines = [wrapped(summary), "", "Usage: \(usage(program: program))"]
    if !details.isEmpty { lines += ["", wrapped(details)] }
    if !arguments.isEmpty {
      lines.append("")
      lines += table(arguments.map { ($0.name, $0.help) })
    }
    lines += ["", "Options:"]
    lines += table(
      options.map { option in
        let name = ["--\(option.name)", option.placeholder].compactMap { $0 }.joined(separator: " ")
        return (name, option.help + (option.defaultText.map { " [default: \($0)]" } ?? ""))
      } + [("--help", "Show this help.")])
    lines += ["", "Example:", "  \(example)"]
    return lines.joined(separator: "\n")
  }
}

/// Names in one column, explanations in the next.
func table(_ rows: [(name: String, text: String)]) -> [String] {
  let indent = min(24, (rows.map(\.name.count).max() ?? 0) + 4)
  return rows.map { row in
    let text = wrapped(row.text, indent: indent)
    let name = "  \(row.name)"
    // A name that leaves no gap has its explanation below.
    guard name.count + 2 <= indent else { return "\(name)\n\(text)" }
    return name + text.dropFirst(name.count)
  }
}

/// Breaks a text into lines of at most 80 columns, all indented.
func wrapped(_ text: String, indent: Int = 0) -> String {
  let margin = String(repeating: " ", count: indent)
  var lines: [String] = []
  var line = margin
  for word in text.split(separator: " ") {
    if line.count > indent, line.count + 1 + word.count > 80 {
      lines.append(line)
      line = margin
    }
    line += line.count > indent ? " \(word)" : "\(word)"
  }
  return (lines + [line]).joined(separator: "\n")
}
