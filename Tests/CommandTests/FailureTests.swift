import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

/// What goes wrong is told in one line, with the code 1, and in the document.
@Suite(.timeLimit(.minutes(1))) struct FailureTests {
  private func expectFailure(
    _ code: String, naming text: String, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let output = try Program.audioDevice.run(arguments + ["--json"])
    #expect(output.status == .exited(1), sourceLocation: sourceLocation)
    #expect(errorCode(try document(output.text)) == code, "\(output.text)", sourceLocation: sourceLocation)
    let lines = output.errorText.split(separator: "\n")
    #expect(lines.count == 1, "\(output.errorText)", sourceLocation: sourceLocation)
    #expect(lines.first?.contains(text) == true, "\(output.errorText)", sourceLocation: sourceLocation)
    #expect(
      lines.first?.hasPrefix("audio-device \(arguments[0]): ") == true, "\(output.errorText)",
      sourceLocation: sourceLocation)
  }

  @Test func missingFiles() throws {
    try expectFailure("fileNotFound", naming: "/no-such-folder/a.wav", ["play", "/no-such-folder/a.wav"])
    try expectFailure(
      "fileNotFound", naming: "/no-such-folder/a.wav", ["record", "/no-such-folder/a.wav", "--backend", "virtual"])
    try expectFailure(
      "fileNotFound", naming: "/no-such-folder/a.wav", ["meter", "--input-wav", "/no-such-folder/a.wav"])
    #if MP3
      try expectFailure(
        "fileNotFound", naming: "/no-such-folder/a.mp3", ["ring", "/no-such-folder/a.mp3", "--backend", "virtual"])
    #endif
  }

  @Test func filesOfNoUse() throws {
    let files = try Files()
    let text = files.path("text.wav")
    try Data("This is no sound.".utf8).write(to: URL(fileURLWithPath: text))
    try expectFailure("fileFormatNotSupported", naming: text, ["play", text])
    try expectFailure("fileNotReadable", naming: files.folder, ["play", files.folder])
    #if MP3
      try expectFailure("fileFormatNotSupported", naming: text, ["ring", text, "--backend", "virtual"])
    #endif
  }

  @Test func unknownDevices() throws {
    let files = try Files()
    let sound = try files.write(.tone(440, for: .milliseconds(100)), "sound.wav")
    try expectFailure(
      "deviceNotFound", naming: "headset", ["play", sound, "--backend", "virtual", "--output", "headset"])
    try expectFailure(
      "deviceNotFound", naming: "headset",
      ["record", files.path("out.wav"), "--backend", "virtual", "--input", "headset"])
  }

  @Test func aMicrophoneThatFailsDoesNotCostTheFileThatWasThere() throws {
    let files = try Files()
    let old = try files.write(.tone(440, for: .milliseconds(100)), "old.wav")
    try expectFailure("deviceNotFound", naming: "none", ["record", old, "--backend", "virtual", "--input", "none"])
    #expect(try files.read("old.wav").frameCount == 4800)
  }

  @Test func withEventsTheErrorIsAnEvent() throws {
    let output = try Program.audioDevice.run("play", "/no-such-folder/a.wav", "--events")
    #expect(output.status == .exited(1))
    let events = Event.parse(output.errorText)
    #expect(events.count == output.errorText.split(separator: "\n").count)
    #expect(events.last?.name == "error" && events.last?.members["code"] as? String == "fileNotFound")
  }

  #if PulseAudio
    @Test func noServer() throws {
      try expectFailure("serverUnavailable", naming: "server", ["list", "--backend", "pulse"])
      try expectFailure("serverUnavailable", naming: "server", ["meter", "--backend", "pulse"])
    }
  #endif

  @Test func theDoctorIsKindToMachinesWithoutSound() throws {
    let output = try Program.audioDevice.run("doctor")
    #expect(output.status == .exited(1))
    #expect(output.errorText.isEmpty)
    #expect(output.text.contains("This machine has no sound"))
    #expect(output.text.contains("XDG_RUNTIME_DIR is not set"))
    let document = try document(try Program.audioDevice.run("doctor", "--json").text)
    #expect(document["works"] as? Bool == false)
    #expect((document["findings"] as? [[String: Any]])?.isEmpty == false)
  }

  @Test func theDoctorTriesVirtualDevicesWhenAsked() throws {
    let output = try Program.audioDevice.run("doctor", "--backend", "virtual", "--input", "tone:440", "--json")
    #expect(output.status == .exited(0), "\(output.text)")
    let findings = try #require(document(output.text)["findings"] as? [[String: Any]])
    let verdicts = Dictionary(
      findings.map { ($0["subject"] as? String ?? "", $0["verdict"] as? String ?? "") }, uniquingKeysWith: { $1 })
    #expect(verdicts["microphone"] == "good" || verdicts["microphone"] == "warning", "\(findings)")
    #expect(verdicts["speaker"] == "good" || verdicts["speaker"] == "warning", "\(findings)")
    #expect(verdicts["level"] == "good", "\(findings)")
  }

  @Test func theDoctorSaysWhatIsWrongWithADevice() throws {
    let output = try Program.audioDevice.run("doctor", "--backend", "virtual", "--output", "headset")
    #expect(output.status == .exited(1))
    #expect(output.text.contains("PROBLEM  speaker:") && output.text.contains("See which there are"))
    #expect(output.text.hasSuffix("Calls cannot be heard here as things are.\n"))
  }
}
