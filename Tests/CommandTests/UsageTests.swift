import AudioTestSupport
import Testing

@Suite struct UsageTests {
  static let wrong: [(arguments: [String], message: String)] = [
    (["lst"], "audio-device: unknown command lst; did you mean list?"),
    (["--lst"], "audio-device: unknown option --lst"),
    (["record"], "audio-device: FILE is missing: The WAV file to write; what is there is replaced."),
    (["record", "a.wav", "b.wav"], "audio-device: 'b.wav' is one argument too many"),
    (["play", "a.wav", "--sconds", "1"], "audio-device: unknown option --sconds; did you mean --seconds?"),
    (["meter", "--rate", "44"], "audio-device: --rate expects a whole number from 8000 to 192000, not '44'"),
    (
      ["meter", "--seconds", "nan"],
      "audio-device: --seconds expects a number of seconds from 0.1 to 604800, not 'nan'"
    ),
    (
      ["list", "--backend", "jack"],
      "audio-device: --backend expects one of automatic, pulse, alsa, virtual, not 'jack'"
    ),
    (
      ["play", "a.wav", "--backend", "pulse", "--output-wav", "b.wav"],
      "audio-device: --output-wav belongs to the virtual backend, not to 'pulse'; leave --backend out"
    ),
    (
      ["meter", "--input", "mic", "--input-wav", "b.wav"],
      "audio-device: --input-wav is a device by itself; leave --input out"
    ),
    (["help", "recrod"], "audio-device: unknown command recrod; did you mean record?"),
  ]

  @Test(arguments: wrong) func wrongUsageEndsWithTwo(_ arguments: [String], _ message: String) throws {
    let output = try Program.audioDevice.run(arguments)
    #expect(output.status == .exited(2))
    #expect(output.errorText.split(separator: "\n").first.map(String.init) == message)
    #expect(output.text.isEmpty)
  }

  @Test func wrongUsageIsADocumentToo() throws {
    let output = try Program.audioDevice.run("record", "--json")
    #expect(output.status == .exited(2))
    #expect(errorCode(try document(output.text)) == "usage")
    #expect(!output.errorText.isEmpty)
  }

  @Test func withoutACommandItSaysWhichThereAre() throws {
    let output = try Program.audioDevice.run()
    #expect(output.status == .exited(2))
    #expect(output.text.isEmpty && output.errorText.contains("loopback"))
  }

  @Test(arguments: ["list", "doctor", "meter", "record", "play", "ring", "loopback"])
  func everyCommandHasHelp(_ command: String) throws {
    for arguments in [[command, "--help"], ["help", command]] {
      let output = try Program.audioDevice.run(arguments)
      #expect(output.status == .exited(0))
      #expect(output.text.contains("Usage: audio-device \(command)"))
      #expect(output.text.contains("Example:\n  audio-device \(command)"))
      #expect(output.errorText.isEmpty)
    }
  }

  @Test(arguments: [Program.ringtone, .customDevice]) func examplesHaveHelpToo(_ program: Program) throws {
    let help = try program.run("--help")
    #expect(help.status == .exited(0) && help.text.contains("Usage: \(program.rawValue)"))
    #expect(try program.run("--wrong").status == .exited(2))
    let mixed = try program.run("--backend", "alsa", "--output-wav", "a.wav")
    #expect(mixed.status == .exited(2), "\(mixed.errorText)")
  }
}
