/// A command line that cannot be understood: what is wrong with it, in one sentence.
package struct UsageError: Error, Sendable, Hashable {
  package let message: String

  package init(_ message: String) { self.message = message }
}
