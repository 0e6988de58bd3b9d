import AudioDeviceCore
import AudioTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CustomDeviceExampleTests {
  @Test func theDriverFromNothingHearsItsFile() throws {
    let files = try Files()
    let format = try AudioFormat(sampleRate: 16_000, channelCount: 2)
    let wave = try files.write(.tone(440, level: -9, for: .milliseconds(500), format: format), "in.wav")
    let output = try Program.customDevice.run("--wav", wave, "--seconds", "1", "--json")
    #expect(output.status == .exited(0), "\(output.errorText)")
    let document = try document(output.text)
    #expect(document["driver"] as? String == "WaveFileDevice")
    #expect(document["speakerPeakDecibels"] as? Double == -9)
    let capture = try #require(document["capture"] as? [String: Int])
    let render = try #require(document["render"] as? [String: Int])
    #expect(abs((capture["frames"] ?? 0) - 16_000) < 4000, "\(capture)")
    #expect(abs((render["frames"] ?? 0) - 16_000) < 4000, "\(render)")
  }

  @Test func theRobotsVoiceIsModulated() throws {
    let files = try Files()
    let voice = try files.write(.tone(1000, level: -12, for: .seconds(3)), "in.wav")
    let output = try Program.customDevice.run(
      "--input-wav", voice, "--output-wav", files.path("out.wav"), "--seconds", "1.5", "--json")
    #expect(output.status == .exited(0), "\(output.errorText)")
    #expect(try document(output.text)["driver"] as? String == "RobotVoiceDevice")
    let heard = try files.read("out.wav")
    // A tone times a buzz of 55 Hz is two tones beside the first: half of it each, and 3 dB of gain.
    let isModulated = heard.hasPart { part in
      abs(part.toneLevel(at: 945) + 15) < 1 && abs(part.toneLevel(at: 1055) + 15) < 1 && part.toneLevel(at: 1000) < -40
    }
    #expect(isModulated)
  }

  @Test func theDriverThatActivatesItselfGivesSilenceUntilThen() throws {
    let files = try Files()
    let voice = try files.write(.tone(1000, level: -12, for: .seconds(5)), "in.wav")
    let output = try Program.customDevice.run(
      "--input-wav", voice, "--output-wav", files.path("out.wav"), "--active-after", "0.5", "--seconds", "2", "--json")
    #expect(output.status == .exited(0), "\(output.errorText)")
    let result = try document(output.text)
    #expect(result["driver"] as? String == "SelfActivatingDevice")
    let capture = try #require(result["capture"] as? [String: Int])
    let silent = capture["silentFrames"] ?? 0
    // The client was fed from the start on, at first with silence.
    #expect(silent > 19_200 && (capture["frames"] ?? 0) > silent + 24_000, "\(capture)")
    #expect(try files.read("out.wav").hasPart { abs($0.toneLevel(at: 1000) + 12) < 1 })
  }

  @Test func aFileThatIsMissingIsNamed() throws {
    let output = try Program.customDevice.run("--wav", "/no-such-folder/a.wav", "--json")
    #expect(output.status == .exited(1))
    #expect(errorCode(try document(output.text)) == "fileNotFound")
    #expect(output.errorText.contains("/no-such-folder/a.wav"))
    #expect(try Program.customDevice.run("--wav", "a.wav", "--input", "mic").status == .exited(2))
  }
}
