#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import Testing

  @Suite(.serialized, .timeLimit(.minutes(2))) struct RingtoneExampleTests {
    /// In this order, whatever else happens between them.
    private static let story = [
      "captureStarted", "renderStarted", "published", "captureStopped", "renderStopped", "ringing",
      "subscriberConnected", "ringtoneStopped", "captureStarted", "renderStarted", "captureStopped", "renderStopped",
      "ended", "counters",
    ]

    private let files: Files
    private let ringtone: String

    init() throws {
      files = try Files()
      ringtone = try files.encode(.tone(700, for: .seconds(1)), "ring.mp3")
    }

    /// The two directions are independent of each other: either may be the first.
    private func expectStory(_ events: [Event], sourceLocation: SourceLocation = #_sourceLocation) {
      func sorted(_ names: [String]) -> [String] {
        names.map { name in name.replacing("capture", with: "call").replacing("render", with: "call") }
      }
      let names = events.map(\.name).filter { Set(Self.story).contains($0) }
      #expect(sorted(names) == sorted(Self.story), "\(names)", sourceLocation: sourceLocation)
      #expect(Set(names) == Set(Self.story), "\(names)", sourceLocation: sourceLocation)
      let times = events.map(\.time)
      #expect(times == times.sorted(), "\(times)", sourceLocation: sourceLocation)
    }

    @Test func ringsThenTalksOnVirtualDevices() throws {
      let output = try Program.ringtone.run(
        "--ring-for", "1", "--call-for", "1", "--ringtone", ringtone, "--output-wav", files.path("out.wav"), "--json")
      #expect(output.status == .exited(0), "\(output.errorText)")
      let events = Event.parse(output.text)
      #expect(events.count == output.text.split(separator: "\n").count)
      expectStory(events)
      let counters = try #require(events.last?.members)
      for name in ["captured", "rendered", "silent"] { #expect(counters[name] as? Int ?? 0 > 30_000, "\(counters)") }
      try expectRingThenCall(try files.read("out.wav"), events)
    }

    /// First the ringtone alone, then the microphone alone, the network later.
    private func expectRingThenCall(_ heard: Signal, _ events: [Event]) throws {
      func time(_ name: String) throws -> Double { try #require(events.last { $0.name == name }).time }
      // The file begins when the speaker opens first.
      let start = try #require(events.first { $0.name == "renderStarted" }).time
      let ringing = try time("ringing") - start
      let stopped = try time("ringtoneStopped") - start
      let ring = heard.part(ringing + 0.2..<stopped - 0.2)
      #expect(ring.hasPart { abs($0.toneLevel(at: 700) + 12) < 1 })
      #expect(ring.toneLevel(at: 440) < -60)
      let talk = heard.part(stopped + 0.4..<stopped + 0.9)
      #expect(talk.hasPart { abs($0.toneLevel(at: 440) + 20) < 1 })
      #expect(talk.toneLevel(at: 700) < -60)
      // What is heard of the call left the microphone 100 ms and the devices' own delay before.
      let silent = try #require(heard.part(stopped..<stopped + 0.9).silences(longerThan: .milliseconds(80)).first)
      #expect(silent.count >= 4800, "the call came after \(silent.count) frames")
    }

    @Test func hearsTheFileThatIsItsMicrophone() throws {
      let microphone = try files.write(.tone(1000, for: .milliseconds(300)), "in.wav")
      let output = try Program.ringtone.run(
        "--ring-for", "0.3", "--call-for", "0.8", "--ringtone", ringtone, "--input-wav", microphone, "--output-wav",
        files.path("out.wav"))
      #expect(output.status == .exited(0), "\(output.errorText)")
      #expect(output.text.contains("Published.") && output.text.contains("The call ended."))
      let heard = try files.read("out.wav")
      let talk = heard.frames(heard.frameCount - 19_200..<heard.frameCount)
      #expect(talk.toneLevel(at: 1000) > -20)
    }

    @Test func saysThatThereIsNoSoundAndWhereToHearIt() throws {
      let output = try Program.ringtone.run("--ring-for", "0.5", "--call-for", "0.3", "--json")
      #expect(output.status == .exited(0), "\(output.errorText)")
      let events = Event.parse(output.text)
      let path = try #require(
        events.first { $0.name == "noSoundSystem" }?.members["outputFile"] as? String, "\(output.text)")
      defer { try? FileManager.default.removeItem(atPath: path) }
      #expect(path.hasPrefix(FileManager.default.temporaryDirectory.path))
      // The ringtone that comes with the package.
      #expect(try Files(folder: "").read(path).loudFrameCount > 10_000)
    }

    @Test func aRingtoneThatIsMissingOrBrokenEndsIt() throws {
      let text = files.path("text.mp3")
      try Data("This is no sound.".utf8).write(to: URL(fileURLWithPath: text))
      for (path, code) in [("/no-such-folder/ring.mp3", "fileNotFound"), (text, "fileFormatNotSupported")] {
        let output = try Program.ringtone.run("--backend", "virtual", "--ringtone", path, "--json")
        #expect(output.status == .exited(1))
        #expect(output.errorText.contains(path) && output.errorText.split(separator: "\n").count == 1)
        let last = try #require(Event.parse(output.text).last)
        #expect(last.name == "failed" && errorCode(last.members) == code)
      }
    }

    @Test func controlCWhileItRingsOpensNoMicrophone() throws {
      let program = try Program.ringtone.start(["--backend", "virtual", "--ringtone", ringtone, "--json"])
      try program.waitForEvent("ringing")
      #expect(try program.interrupt() == .exited(0))
      let names = program.events.map(\.name)
      #expect(names.suffix(3) == ["ringtoneStopped", "ended", "counters"], "\(names)")
      #expect(names.count { $0 == "captureStarted" } == 1)
    }

    @Test func runRingtonePassesItsArgumentsOn() throws {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
      var environment = Subprocess.plainEnvironment
      environment["BIN_PATH"] = Program.folder
      let output = try Subprocess.run(
        [
          "\(root)/Examples/run-ringtone", "--ring-for", "1", "--call-for", "1", "--ringtone", ringtone, "--backend",
          "virtual", "--output-wav", files.path("out.wav"), "--json",
        ], environment: Program.sanitized(environment), within: .seconds(30))
      #expect(output.status == .exited(0), "\(output.errorText)")
      let events = Event.parse(output.text)
      #expect(events.count == output.text.split(separator: "\n").count, "\(output.text)")
      expectStory(events)
      try expectRingThenCall(try files.read("out.wav"), events)
    }

    #if PulseAudio
      @Test func ringsThenTalksAtAServer() throws {
        let server = try PulseServer.start()
        let voice = try server.startPlaying(.tone(1000, for: .seconds(30)), on: "micfeed")
        let program = try Program.ringtone.start(
          ["--ring-for", "2", "--call-for", "5", "--ringtone", ringtone, "--json"], environment: server.environment)
        let process = program.process.processID

        try program.waitForEvent("ringing")
        #expect(try eventually { try server.sinkInputs(ofProcess: process).map(\.mediaName) == ["Ringtone"] })
        #expect(try server.sourceOutputs(ofProcess: process).isEmpty)
        let ring = try server.record(from: "spk.monitor", for: .milliseconds(800))
        #expect(ring.hasPart { abs($0.toneLevel(at: 700) + 12) < 1.5 })
        #expect(ring.toneLevel(at: 1000) < -60, "the microphone is heard while it rings")

        try program.waitForEvent("ringtoneStopped")
        #expect(try eventually { try server.sourceOutputs(ofProcess: process).count == 1 })
        #expect(try eventually { try server.sinkInputs(ofProcess: process).map(\.mediaName) == ["Call"] })
        // The microphone is heard, and the ringtone no more.
        let isHeard = try eventually {
          let talk = try server.record(from: "spk.monitor", for: .milliseconds(300))
          return abs(talk.toneLevel(at: 1000) + 12) < 1.5 && talk.toneLevel(at: 700) < -60
        }
        #expect(isHeard)
        voice.stop()
        let delay = try EchoMeter(server).measure()
        #expect(delay >= .milliseconds(130) && delay < .milliseconds(300), "\(delay)")
        #expect(try program.interrupt() == .exited(0))
        expectStory(program.events)
        #expect(try server.sinkInputs(ofProcess: process).isEmpty)
        #expect(try server.sourceOutputs(ofProcess: process).isEmpty)
      }
    #endif
  }
#endif
