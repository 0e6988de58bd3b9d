internal import CommandLineSupport

/// One thing that the doctor looked at.
struct Finding: Sendable {
  enum Verdict: String, Sendable {
    /// As it should be.
    case good
    /// Works, and could be better.
    case warning
    /// Does not work.
    case problem
    /// Says nothing about right and wrong.
    case information
  }

  /// What was looked at, such as `microphone`.
  var subject: String
  var verdict: Verdict
  /// What was found, as a sentence.
  var message: String
  /// What to do about it, as a sentence; nil where there is nothing to do.
  var advice: String?

  var line: String {
    let mark =
      switch verdict {
      case .good: "ok     "
      case .warning: "warning"
      case .problem: "PROBLEM"
      case .information: "       "
      }
    let advice = advice.map { "\n          \($0)" } ?? ""
    return "\(mark)  \(subject): \(message)\(advice)"
  }

  var json: JSONValue {
    [
      "subject": .string(subject), "verdict": .string(verdict.rawValue), "message": .string(message),
      "advice": JSONValue(advice),
    ]
  }
}
