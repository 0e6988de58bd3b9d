extension CommandSyntax {
  /// What a command line asks for.
  package enum Request: Sendable {
    /// Its help.
    case help
    /// To be run.
    case run(ParsedArguments)
  }

  /// Understands a command line.
  ///
  /// - Parameter words: What follows the command's name.
  /// - Returns: What is asked for; help, wherever on the line it is asked for.
  /// - Throws: ``UsageError``.
  package func parse(_ words: [String]) throws(UsageError) -> Request {
    var parsed = ParsedArguments()
    var texts: [String] = []
    var rest = words[...]
    var optionsHaveEnded = false
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) { return .help }
    while let word = rest.popFirst() {
      if optionsHaveEnded || !word.hasPrefix("-") || word == "-" {
        texts.append(word)
      } else if word == "--" {
        optionsHaveEnded = true
      } else {
        try parseOption(word, &rest, into: &parsed)
      }
    }
    guard texts.count <= arguments.count else {
      throw UsageError("'\(texts[arguments.count])' is one argument too many")
    }
    guard texts.count == arguments.count else {
      throw UsageError("\(arguments[texts.count].name) is missing: \(arguments[texts.count].help)")
    }
    for (argument, text) in zip(arguments, texts) {
      guard !text.isEmpty else { throw UsageError("\(argument.name) is empty: \(argument.help)") }
      parsed.positional[argument.name] = text
    }
    return .run(parsed)
  }

  private func parseOption(
    _ word: String, _ rest: inout ArraySlice<String>, into parsed: inout ParsedArguments
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let spelled = String(parts.first ?? "")
    guard spelled.hasPrefix("--"), let option = options.first(where: { "--\($0.name)" == spelled }) else {
      let known = options.map { "--\($0.name)" } + ["--help"]
      throw UsageError("unknown option \(spelled)\(suggestion(for: spelled, among: known))")
    }
    guard option.placeholder != nil else {
      guard parts.count == 1 else { throw UsageError("\(spelled) takes no value") }
      parsed.values[option.name] = try option.value(of: "")
      return
    }
    if parts.count == 2 {
      parsed.values[option.name] = try option.value(of: String(parts[1]))
    } else if let next = rest.first, !next.hasPrefix("--") {
      rest.removeFirst()
      parsed.values[option.name] = try option.value(of: next)
    } else {
      throw UsageError("\(spelled) needs a value: \(option.help)")
    }
  }
}

/// `; did you mean --bar?` for a word that resembles a known one, else nothing.
func suggestion(for word: String, among known: [String]) -> String {
  let best =
    known.map { (word: $0, distance: editDistance(word, $0)) }
    .min { $0.distance < $1.distance }
  if let best, best.distance <= max(1, min(word.count, best.word.count) / 3) { return "; did you mean \(best.word)?" }
  guard word.count > 3, let longer = known.first(where: { $0.hasPrefix(word) }) else { return "" }
  return "; did you mean \(longer)?"
}

/// How many insertions, deletions, replacements and exchanges of neighbours make one word of the other.
private func editDistance(_ lhs: String, _ rhs: String) -> Int {
  // Long words resemble nothing, and need not be measured.
  let left = Array(lhs.utf8.prefix(64))
  let right = Array(rhs.utf8.prefix(64))
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, leftByte) in left.enumerated() {
    var current = [row + 1]
    for (column, rightByte) in right.enumerated() {
      var cost = min(last[column + 1], current[column]) + 1
      cost = min(cost, last[column] + (leftByte == rightByte ? 0 : 1))
      if row > 0, column > 0, leftByte == right[column - 1], left[row - 1] == rightByte {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
