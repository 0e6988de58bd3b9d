import Testing

@testable import CommandLineSupport

@Suite struct CommandSyntaxTests {
  private let file = Argument("FILE", help: "A file.")
  private let rate = Option("rate", .integer("HZ", in: 8000...192_000), default: 48_000, help: "Frames per second.")
  private let gain = Option("gain", .decimal("DB", in: -60...20), default: 0, help: "Decibels.")
  private let latency = Option("latency", .milliseconds(in: 1...2000), help: "The wished delay.")
  private let seconds = Option("seconds", .seconds(in: 0.1...60), help: "How long.")
  private let backend = Option("backend", .choice("NAME", ["one": 1, "two": 2]), default: 1, help: "Which.")
  private let verbose = Flag("verbose", help: "Say more.")
  private var syntax: CommandSyntax {
    CommandSyntax(
      "try", summary: "Tries.", details: "In earnest.", arguments: [file],
      options: [rate, gain, latency, seconds, backend, verbose], example: "try it --rate 8000")
  }

  private func parse(_ words: String...) throws -> ParsedArguments {
    guard case .run(let parsed) = try syntax.parse(words) else { throw UsageError("help") }
    return parsed
  }

  private func failure(_ words: String...) -> String? {
    do {
      _ = try syntax.parse(words)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func givesDefaults() throws {
    let parsed = try parse("a.wav")
    #expect(parsed[file] == "a.wav")
    #expect(parsed[rate] == 48_000)
    #expect(parsed[gain] == 0)
    #expect(parsed[latency] == nil)
    #expect(parsed[backend] == 1)
    #expect(!parsed[verbose])
    #expect(!parsed.isGiven(rate))
  }

  @Test func takesValuesInBothForms() throws {
    let parsed = try parse(
      "--rate", "8000", "a.wav", "--latency=12.5", "--verbose", "--seconds", "1.5", "--backend=two")
    #expect(parsed[rate] == 8000)
    #expect(parsed.isGiven(rate))
    #expect(parsed[latency] == .microseconds(12_500))
    #expect(parsed[seconds] == .milliseconds(1500))
    #expect(parsed[backend] == 2)
    #expect(parsed[verbose])
  }

  @Test func takesNegativeValuesAndTheLastOfSeveral() throws {
    let parsed = try parse("a.wav", "--gain", "-12.5", "--rate", "8000", "--rate", "16000")
    #expect(parsed[gain] == -12.5)
    #expect(parsed[rate] == 16_000)
  }

  @Test func takesAnythingAfterTwoDashes() throws {
    #expect(try parse("--", "--rate")[file] == "--rate")
    #expect(try parse("--", "--help")[file] == "--help")
    #expect(try parse("-")[file] == "-")
  }

  @Test func suggestsWhatWasMeant() {
    #expect(failure("a", "--rat", "1") == "unknown option --rat; did you mean --rate?")
    #expect(failure("a", "--sceonds", "1") == "unknown option --sceonds; did you mean --seconds?")
    #expect(failure("a", "--verb") == "unknown option --verb; did you mean --verbose?")
    #expect(failure("a", "--quux") == "unknown option --quux")
    #expect(failure("a", "-r", "1") == "unknown option -r")
  }

  @Test func saysWhatIsWrong() {
    #expect(failure() == "FILE is missing: A file.")
    #expect(failure("") == "FILE is empty: A file.")
    #expect(failure("a", "b") == "'b' is one argument too many")
    #expect(failure("a", "--rate") == "--rate needs a value: Frames per second.")
    #expect(failure("a", "--rate", "--verbose") == "--rate needs a value: Frames per second.")
    #expect(failure("a", "--rate", "7999") == "--rate expects a whole number from 8000 to 192000, not '7999'")
    #expect(failure("a", "--rate=") == "--rate expects a whole number from 8000 to 192000, not ''")
    #expect(failure("a", "--verbose=yes") == "--verbose takes no value")
    #expect(failure("a", "--backend", "three") == "--backend expects one of one, two, not 'three'")
    #expect(failure("a", "--gain", "20.5") == "--gain expects a number from -60 to 20, not '20.5'")
  }

  @Test(arguments: ["nan", "inf", "-inf", "1e3", "0x10", "", " 1", "1 ", "٣", "1,5", "99999999999999999999999", "--"])
  func refusesWhatIsNoPlainNumber(_ text: String) {
    #expect(failure("a", "--seconds=\(text)") != nil)
    #expect(failure("a", "--gain=\(text)") != nil)
    #expect(failure("a", "--rate=\(text)") != nil)
  }

  @Test func showsHelpWhereverItIsAskedFor() throws {
    for words in [["--help"], ["a", "b", "c", "-h"], ["--quux", "--help"]] {
      guard case .help = try syntax.parse(words) else {
        Issue.record("no help for \(words)")
        continue
      }
    }
  }

  @Test func helpHasDefaultsAndAnExample() {
    let help = syntax.help(program: "program")
    #expect(
      help == """
        Tries.

        Usage: program try FILE [options]

        In earnest.

          FILE  A file.

        Options:
          --rate HZ       Frames per second. [default: 48000]
          --gain DB       Decibels. [default: 0]
          --latency MS    The wished delay.
          --seconds S     How long.
          --backend NAME  Which. [default: one]
          --verbose       Say more.
          --help          Show this help.

        Example:
          try it --rate 8000
        """)
  }

  @Test func breaksLongTextBetweenWords() {
    let text = wrapped(Array(repeating: "word", count: 40).joined(separator: " "), indent: 10)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { $0.count <= 80 && $0.hasPrefix(String(repeating: " ", count: 10) + "word") })
  }

  @Test func survivesAnyWord() {
    let words = ["", "-", "--", "---", "=", "--=", "--=x", "--rate=", "\u{0}", "é", "-1", "--rate", "\n", "--verbose"]
    for first in words {
      for second in words {
        for third in words { _ = try? syntax.parse([first, second, third]) }
      }
    }
  }
}
