#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import Testing

  /// The commands at a sound server of their own, measured from its other side. One after the other: they measure
  /// times, and two cores are not many.
  @Suite(.serialized, .timeLimit(.minutes(2))) struct ServerTests {
    private let server: PulseServer
    private let files: Files

    init() throws {
      server = try PulseServer.start()
      files = try Files()
    }

    private func run(_ arguments: String...) throws -> Subprocess.Output {
      try Program.audioDevice.run(arguments, environment: server.environment)
    }

    private func start(_ arguments: String...) throws -> RunningProgram {
      try Program.audioDevice.start(arguments, environment: server.environment)
    }

    @Test func listShowsTheDevicesOfTheServer() throws {
      let document = try document(try run("list", "--json").text)
      #expect(document["backend"] as? String == "pulse")
      let devices = try #require(document["devices"] as? [[String: Any]])
      func ids(_ direction: String) -> Set<String> {
        Set(devices.filter { $0["direction"] as? String == direction }.compactMap { $0["id"] as? String })
      }
      #expect(ids("render") == ["spk", "hdmi", "micfeed"])
      #expect(ids("capture").isSuperset(of: ["mic", "silence"]))
      let defaults = devices.filter { $0["isDefault"] as? Bool == true }.compactMap { $0["id"] as? String }
      #expect(Set(defaults) == ["spk", "mic"])
      let words = try run("list").text
      #expect(words.contains("* spk  RigSpeakers") && words.contains("  hdmi  RigHDMI"), "\(words)")
    }

    @Test func aServerThatComesLaterTakesOverFromTheVirtualDevice() throws {
      server.kill()
      let program = try start("meter", "--events", "--json")
      try program.waitForEvent("started", "capture")
      try server.restart()
      try program.waitForEvent("moved", "capture")
      #expect(try server.sourceOutputs(ofProcess: program.process.processID).map(\.deviceName) == ["mic"])
      #expect(program.errorText.contains(#""backend":"pulse""#), "\(program.errorText)")
      #expect(try program.interrupt() == .exited(0))
    }

    @Test func listOffersNoMonitorsUnlessAskedTo() throws {
      func ids(_ text: String) throws -> [String] {
        let devices = try document(text)["devices"] as? [[String: Any]]
        return (devices ?? []).compactMap { $0["id"] as? String }
      }
      #expect(try !ids(run("list", "--json").text).contains { $0.hasSuffix(".monitor") })
      #expect(try ids(run("list", "--all", "--json").text).contains("spk.monitor"))
    }

    @Test func listWatchesWhatComesAndGoes() throws {
      let program = try start("list", "--watch", "--events", "--json")
      // Watched before it is listed: what comes from now on is told.
      #expect(
        eventually(within: .seconds(10)) {
          (try? !server.clients(ofProcess: program.process.processID).isEmpty) == true
        })
      let module = try server.loadModule("module-null-sink", "sink_name=hotplug", "norewinds=1")
      try program.waitForEvent("deviceAppeared")
      try server.setDefaultSink("hotplug")
      try program.waitForEvent("defaultDeviceChanged", "render")
      try server.unloadModule(module)
      try program.waitForEvent("deviceDisappeared")
      program.process.send(SIGINT)
      #expect(program.process.wait(within: .seconds(10)) == .exited(0), "\(program.errorText)")
      try server.setDefaultSink("spk")
    }

    @Test func playIsHeardAtTheServerToItsEnd() throws {
      let format = try AudioFormat(sampleRate: 44_100, channelCount: 2)
      let sound = try files.write(.tone(1000, for: .milliseconds(1500), format: format), "sound.wav")
      let recording = try server.startRecording(from: "hdmi.monitor", format: format)
      let program = try start("play", sound, "--output", "hdmi", "--json", "--events")
      try program.waitForEvent("started", "render")
      let stream = try #require(try server.sinkInputs(ofProcess: program.process.processID).first)
      #expect(stream.deviceName == "hdmi")
      #expect(stream.sampleSpecification.sampleRate == 44_100 && stream.sampleSpecification.channelCount == 2)
      #expect(program.process.wait(within: .seconds(10)) == .exited(0), "\(program.errorText)")
      #expect(try server.sinkInputs(ofProcess: program.process.processID).isEmpty)
      #expect(try document(program.output)["isComplete"] as? Bool == true)
      // What was played last is the last that comes out of the server.
      try recording.waitForFrames(recording.frameCount + 22_050)
      let heard = recording.stop()
      let missing = format.duration(ofFrames: 66_150 - heard.loudFrameCount)
      #expect(missing < .milliseconds(25), "\(missing) were not heard")
      #expect(abs((heard.dominantFrequency() ?? 0) - 1000) < 2)
    }

    @Test func recordTakesWhatTheServerHears() throws {
      let voice = try server.startPlaying(.tone(600, for: .seconds(20)), on: "micfeed")
      defer { voice.stop() }
      #expect(try eventually { try server.sinkInputs(ofProcess: voice.process.processID).count == 1 })
      let output = try run("record", files.path("out.wav"), "--seconds", "1", "--json")
      #expect(output.status == .exited(0), "\(output.errorText)")
      let capture = try #require(document(output.text)["capture"] as? [String: Any])
      #expect(capture["deviceID"] as? String == "mic")
      let recorded = try files.read("out.wav")
      #expect(recorded.frameCount == 48_000)
      #expect(abs((recorded.dominantFrequency() ?? 0) - 600) < 2)
      #expect(abs(recorded.toneLevel(at: 600) + 12) < 1)
      #expect(try server.sourceOutputs(ofApplication: "audio-device").isEmpty)
    }

    #if MP3
      @Test func ringIsHeardAndOpensNoMicrophone() throws {
        let ringtone = try files.encode(.tone(700, for: .milliseconds(500)), "ring.mp3")
        let program = try start("ring", ringtone, "--events")
        try program.waitForEvent("ringtoneStarted")
        #expect(try eventually { try server.sinkInputs(ofProcess: program.process.processID).count == 1 })
        let heard = try server.record(from: "spk.monitor", for: .seconds(1))
        #expect(abs((heard.dominantFrequency() ?? 0) - 700) < 2)
        #expect(try server.sourceOutputs(ofProcess: program.process.processID).isEmpty)
        #expect(try program.interrupt() == .exited(0))
        #expect(program.output.contains("ring.mp3: rang for"))
        #expect(try server.sinkInputs(ofProcess: program.process.processID).isEmpty)
      }
    #endif

    @Test func loopbackReturnsTheMicrophoneToTheSpeaker() throws {
      let program = try start("loopback", "--delay", "300", "--json", "--events")
      try program.waitForEvent("started", "capture")
      let delay = try EchoMeter(server).measure() / .milliseconds(1)
      #expect(try program.interrupt() == .exited(0))
      let document = try document(program.output)
      let delays = try #require(document["delayMilliseconds"] as? [String: Double])
      let total = try #require(delays["total"])
      #expect(total > 300 && abs(delay - total) < 60, "\(delay) ms, told \(total) ms")
      for direction in ["capture", "render"] {
        let statistics = (document[direction] as? [String: Any])?["statistics"] as? [String: Any]
        #expect(statistics?["frames"] as? Int ?? 0 > 48_000, "\(program.output)")
      }
    }

    /// A process that was stopped, as by a debugger or a machine that swaps, is on time again. The meter is good to some
    /// ten milliseconds; the benchmark tells them one by one.
    @Test(arguments: [Duration.milliseconds(300), .seconds(2)]) func aStoppedProcessIsOnTimeAgain(pause: Duration)
      throws
    {
      let program = try start("loopback", "--delay", "50", "--json", "--events")
      try program.waitForEvent("started", "capture")
      let before = try EchoMeter(server).measure()
      program.process.send(SIGSTOP)
      let stopped = ContinuousClock.now
      #expect(eventually { ContinuousClock.now - stopped >= pause })
      program.process.send(SIGCONT)
      let resumed = ContinuousClock.now
      #expect(eventually { ContinuousClock.now - resumed >= .seconds(2) })
      let after = try EchoMeter(server).measure()
      #expect(abs((after - before) / .milliseconds(1)) < 50, "\(before), then \(after)")
      #expect(try program.interrupt() == .exited(0))
    }

    @Test func meterHearsTheServer() throws {
      let voice = try server.startPlaying(.tone(600, level: -12, for: .seconds(20)), on: "micfeed")
      defer { voice.stop() }
      #expect(try eventually { try server.sinkInputs(ofProcess: voice.process.processID).count == 1 })
      let document = try document(try run("meter", "--seconds", "1", "--json").text)
      #expect(abs((document["peakDecibels"] as? Double ?? 0) + 12) < 1)
    }

    @Test func theDoctorFindsAServerThatWorks() throws {
      let output = try run("doctor", "--tone", "--json")
      let document = try document(output.text)
      #expect(output.status == .exited(0) && document["works"] as? Bool == true, "\(output.text)")
      #expect(document["backend"] as? String == "pulse")
    }

    @Test func theDoctorFindsWhatAServerLacks() throws {
      let empty = try PulseServer.start(.empty)
      let output = try Program.audioDevice.run("doctor", environment: empty.environment)
      #expect(output.status == .exited(1))
      #expect(output.text.contains("PROBLEM  default microphone: There is no"), "\(output.text)")
    }

    @Test func unknownDevicesAreNamed() throws {
      let sound = try files.write(.tone(440, for: .milliseconds(100)), "sound.wav")
      let output = try run("play", sound, "--output", "headset", "--json")
      #expect(output.status == .exited(1))
      #expect(errorCode(try document(output.text)) == "deviceNotFound")
      #expect(output.errorText.contains("headset"))
    }

    @Test func playGoesOnAfterTheServerWasGone() throws {
      let sound = try files.write(.tone(1000, for: .seconds(2)), "sound.wav")
      let program = try start("play", sound, "--json", "--events")
      try program.waitForEvent("started", "render")
      server.kill()
      try program.waitForEvent("lost", "render")
      try server.restart()
      try program.waitForEvent("recovered", "render")
      #expect(program.process.wait(within: .seconds(10)) == .exited(0), "\(program.errorText)")
      let document = try document(program.output)
      #expect(document["isComplete"] as? Bool == true && document["seconds"] as? Double == 2)
    }
  }

#endif
