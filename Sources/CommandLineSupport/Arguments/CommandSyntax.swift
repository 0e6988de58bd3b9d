/// What a command accepts, from which both its parser and its help are made.
package struct CommandSyntax: Sendable {
  /// As it is typed.
  package let name: String
  /// What it does, in one sentence.
  package let summary: String
  /// What else there is to know, in whole sentences.
  package let details: String
  /// In order; all of them must be given.
  package let arguments: [Argument]
  /// In the order of the help.
  package let options: [any CommandOption]
  /// A command line that works.
  package let example: String

  package init(
    _ name: String, summary: String, details: String = "", arguments: [Argument] = [],
    options: [any CommandOption] = [], example: String
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.arguments = arguments
    self.options = options
    self.example = example
  }
}
