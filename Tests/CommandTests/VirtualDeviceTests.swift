import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

/// The commands on a machine without sound: files are what is heard.
@Suite(.timeLimit(.minutes(1))) struct VirtualDeviceTests {
  @Test func recordTakesWhatTheMicrophoneHears() throws {
    let files = try Files()
    let microphone = try files.write(IndexCode.signal(.seconds(3)), "in.wav")
    let output = try Program.audioDevice.run(
      "record", files.path("out.wav"), "--input-wav", microphone, "--seconds", "1", "--json")
    #expect(output.status == .exited(0), "\(output.errorText)")
    let document = try document(output.text)
    #expect(document["frames"] as? Int == 48_000)
    #expect(document["backend"] as? String == "virtual")
    let recorded = try files.read("out.wav")
    #expect(recorded.format == .voice && recorded.frameCount == 48_000)
    // What came while the microphone was opening is not in it; from there on, each frame is.
    let report = IndexCode.examine(recorded)
    #expect(report.isContinuous && report.codedFrames == 48_000, "\(report)")
  }

  @Test func recordHasTheFormatThatWasAskedFor() throws {
    let files = try Files()
    let output = try Program.audioDevice.run(
      "record", files.path("out.wav"), "--backend", "virtual", "--input", "tone:440", "--rate", "16000", "--channels",
      "2", "--seconds", "0.5")
    #expect(output.status == .exited(0), "\(output.errorText)")
    #expect(output.text.contains("0.50 s, peak -20.0 dB"))
    let recorded = try files.read("out.wav")
    #expect(recorded.format == (try AudioFormat(sampleRate: 16_000, channelCount: 2)))
    #expect(recorded.frameCount == 8000)
    #expect(abs(recorded.toneLevel(at: 440, channel: 1) + 20) < 0.5)
  }

  @Test func recordLeavesAFileThatIsValidWhenItIsKilled() throws {
    let files = try Files()
    let program = try Program.audioDevice.start(
      ["record", files.path("out.wav"), "--backend", "virtual", "--input", "tone:440"])
    #expect(eventually { (try? files.read("out.wav"))?.frameCount ?? 0 >= 24_000 })
    program.process.send(SIGKILL)
    #expect(program.process.wait(within: .seconds(5)) == .signalled(SIGKILL))
    let recorded = try files.read("out.wav")
    #expect(recorded.frameCount >= 24_000)
    #expect(abs((recorded.dominantFrequency() ?? 0) - 440) < 0.5)
    #expect(recorded.clicks(inTone: 440).isEmpty)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func signalsEndARecordingWithItsSummary(_ number: Int32) throws {
    let files = try Files()
    let program = try Program.audioDevice.start(
      ["record", files.path("out.wav"), "--backend", "virtual", "--input", "tone:440", "--events", "--json"])
    try program.waitForEvent("started", "capture")
    #expect(eventually { FileManager.default.fileExists(atPath: files.path("out.wav")) })
    program.process.send(number)
    #expect(program.process.wait(within: .seconds(5)) == .exited(0))
    let document = try document(program.output)
    #expect(document["error"] == nil)
    #expect(document["frames"] as? Int == (try files.read("out.wav").frameCount))
    #expect(program.events.map(\.name).suffix(1) == ["stopped"])
  }

  @Test func playIsHeardToItsLastSample() throws {
    let files = try Files()
    let format = try AudioFormat(sampleRate: 44_100, channelCount: 2)
    let sound = try files.write(.tone(1000, for: .milliseconds(700), format: format), "sound.wav")
    let output = try Program.audioDevice.run("play", sound, "--output-wav", files.path("out.wav"), "--json")
    #expect(output.status == .exited(0), "\(output.errorText)")
    let document = try document(output.text)
    #expect(document["isComplete"] as? Bool == true)
    #expect(document["seconds"] as? Double == 0.7)
    let heard = try files.read("out.wav")
    #expect(heard.format == format)
    let original = try files.read("sound.wav")
    // Sample for sample, but for the zero that the tone begins with.
    #expect(heard.firstOccurrence(of: original.frames(1..<original.frameCount)) != nil)
  }

  #if MP3
    @Test func playDecodesMP3WhateverItsName() throws {
      let files = try Files()
      let encoded = try files.encode(.tone(600, for: .milliseconds(500)), "sound.mp3")
      let renamed = files.path("sound.dat")
      try FileManager.default.moveItem(atPath: encoded, toPath: renamed)
      let output = try Program.audioDevice.run("play", renamed, "--output-wav", files.path("out.wav"))
      #expect(output.status == .exited(0), "\(output.errorText)")
      let heard = try files.read("out.wav")
      #expect(abs((heard.dominantFrequency() ?? 0) - 600) < 2)
      #expect(abs(heard.loudFrameCount - 24_000) < 1200, "\(heard.loudFrameCount)")
    }

    @Test func ringRepeatsTheRingtone() throws {
      let files = try Files()
      let ringtone = try files.encode(.tone(600, for: .milliseconds(300)), "ring.mp3")
      let output = try Program.audioDevice.run(
        "ring", ringtone, "--output-wav", files.path("out.wav"), "--seconds", "1", "--gain", "-6", "--json")
      #expect(output.status == .exited(0), "\(output.errorText)")
      #expect(try document(output.text)["seconds"] as? Double ?? 0 >= 1)
      let heard = try files.read("out.wav")
      #expect(heard.loudFrameCount > 38_000, "\(heard.loudFrameCount)")
      #expect(heard.hasPart { abs($0.toneLevel(at: 600) + 18) < 1 })
    }
  #endif

  @Test func loopbackReturnsWhatItHearsAfterTheDelay() throws {
    let files = try Files()
    // A burst in silence, and nothing after it.
    let microphone = try files.write(
      .silence(.milliseconds(400)) + .tone(1000, for: .milliseconds(100)) + .silence(.milliseconds(100)), "in.wav")
    let output = try Program.audioDevice.run(
      "loopback", "--input-wav", microphone, "--output-wav", files.path("out.wav"), "--delay", "250", "--seconds",
      "1.5", "--json", "--events")
    #expect(output.status == .exited(0), "\(output.errorText)")
    let delays = try #require(document(output.text)["delayMilliseconds"] as? [String: Double])
    #expect(delays["added"] == 250)
    let total = try #require(delays["total"])
    let heard = try files.read("out.wav")
    #expect(heard.loudFrameCount > 4000)
    // The file begins when the speaker opens, the burst 400 ms after the microphone has.
    let events = Event.parse(output.errorText)
    let opened = try ["render", "capture"].map { direction in
      try #require(events.first { $0.name == "started" && $0.direction == direction }).time
    }
    let onset = Double(try #require(heard.onsets().first)) / 48
    let expected = (opened[1] - opened[0]) * 1000 + 400 + total
    #expect(abs(onset - expected) < 60, "burst at \(onset) ms, expected at \(expected)")
  }

  @Test func meterTellsTheLevel() throws {
    let output = try Program.audioDevice.run(
      "meter", "--backend", "virtual", "--input", "tone:440", "--seconds", "1.2", "--json", "--events")
    #expect(output.status == .exited(0))
    let document = try document(output.text)
    #expect(document["peakDecibels"] as? Double == -20)
    #expect(document["meanDecibels"] as? Double == -23)
    let levels = Event.parse(output.errorText).filter { $0.name == "level" }
    #expect(levels.count >= 1)
    #expect(levels.first?.members["peakDecibels"] as? [Double] == [-20])
    let words = try Program.audioDevice.run(
      "meter", "--backend", "virtual", "--input", "tone:440", "--seconds", "0.5", "--channels", "2")
    #expect(words.text.contains("#") && words.text.contains("peak -20.0 dB, mean -23.0 dB"))
  }

  @Test func listTellsTheDevices() throws {
    let output = try Program.audioDevice.run("list", "--backend", "virtual", "--json")
    let devices = try #require(document(output.text)["devices"] as? [[String: Any]])
    #expect(Set(devices.compactMap { $0["id"] as? String }).isSuperset(of: ["speaker", "microphone"]))
    #expect(devices.allSatisfy { $0["direction"] as? String == "render" || $0["direction"] as? String == "capture" })
    let words = try Program.audioDevice.run("list", "--backend", "virtual").text
    #expect(words.contains("* speaker  Virtual speaker"))
  }

  @Test func automaticSaysThatNobodyHears() throws {
    for command in [["list"], ["meter", "--seconds", "0.2"]] {
      let output = try Program.audioDevice.run(command)
      #expect(output.status == .exited(0))
      #expect(output.errorText.contains("No sound system was found"))
    }
  }
}
