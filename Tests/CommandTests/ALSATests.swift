#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  import Testing

  /// The command on ALSA devices that fail on demand.
  @Suite(.serialized, .timeLimit(.minutes(1))) struct ALSATests {
    private let rig: ALSARig
    private let files: Files

    init() throws {
      rig = try ALSARig.start()
      files = try Files()
    }

    private func run(_ arguments: String...) throws -> Subprocess.Output {
      try Program.audioDevice.run(arguments, environment: rig.environment)
    }

    @Test func listShowsThem() throws {
      let document = try document(try run("list", "--backend", "alsa", "--json").text)
      #expect(document["backend"] as? String == "alsa")
      let ids = (document["devices"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
      #expect(Set(ids).isSuperset(of: [rig.speakers.name, rig.microphone.name]), "\(ids)")
    }

    @Test func playReachesTheSpeakersToItsEnd() throws {
      let sound = try files.write(IndexCode.signal(.milliseconds(500), format: .stereo), "sound.wav")
      let output = try run("play", sound, "--backend", "alsa", "--output", rig.speakers.name, "--json")
      #expect(output.status == .exited(0), "\(output.errorText)")
      #expect(try document(output.text)["isComplete"] as? Bool == true)
      #expect(rig.speakers.parameters?.sampleRate == 48_000 && rig.speakers.parameters?.channelCount == 2)
      let report = IndexCode.examine(try #require(rig.speakers.output))
      #expect(report.lostFrames == 0 && report.codedFrames == 24_000, "\(report)")
      #expect(!rig.speakers.isOpen)
    }

    @Test func recordTakesWhatTheMicrophoneHears() throws {
      try rig.microphone.setInput(.tone(600, for: .seconds(1), format: .stereo))
      let output = try run(
        "record", files.path("out.wav"), "--backend", "alsa", "--input", rig.microphone.name, "--channels", "2",
        "--seconds", "0.5")
      #expect(output.status == .exited(0), "\(output.errorText)")
      let recorded = try files.read("out.wav")
      #expect(recorded.frameCount == 24_000)
      #expect(recorded.hasPart { abs($0.toneLevel(at: 600, channel: 1) + 12) < 1 })
    }

    @Test(arguments: [(EBUSY, "deviceBusy"), (EACCES, "permissionDenied"), (ENODEV, "deviceNotFound")])
    func aDeviceThatCannotBeOpenedIsNamed(_ number: Int32, _ code: String) throws {
      let sound = try files.write(.tone(440, for: .milliseconds(100), format: .stereo), "sound.wav")
      rig.speakers.fail(.open, with: number)
      let output = try run("play", sound, "--backend", "alsa", "--output", rig.speakers.name, "--json")
      #expect(output.status == .exited(1))
      #expect(errorCode(try document(output.text)) == code, "\(output.text)")
      let lines = output.errorText.split(separator: "\n")
      #expect(lines.count == 1 && lines[0].contains(rig.speakers.name), "\(output.errorText)")
    }

    @Test func theDoctorSaysWhoHoldsADevice() throws {
      rig.microphone.fail(.open, with: EBUSY)
      let output = try run("doctor", "--backend", "alsa", "--input", rig.microphone.name, "--output", rig.speakers.name)
      #expect(output.status == .exited(1))
      #expect(output.text.contains("PROBLEM  microphone:") && output.text.contains("fuser"), "\(output.text)")
    }
  }
#endif
