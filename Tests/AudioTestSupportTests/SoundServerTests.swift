import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

/// What every kind of server does.
@Suite(.serialized) struct SoundServerTests {
  @Test(arguments: SoundServerKind.allCases) func carriesATone(kind: SoundServerKind) throws {
    let server = try kind.start()
    defer { server.stop() }
    let playback = try server.startPlaying(.tone(440, level: -12, for: .seconds(10)), on: "spk")
    #expect(try eventually { try server.sinkInputs(ofProcess: playback.process.processID).count == 1 })
    let recording = try server.startRecording(from: "spk.monitor", format: .stereo)
    // A busy machine makes holes now and then: somewhere there are 100 ms without.
    #expect(eventually { recording.signal.hasTone(440, level: -12, channel: 0) })
    #expect(eventually { recording.signal.hasTone(440, level: -12, channel: 1) })
  }

  @Test(arguments: SoundServerKind.allCases) func feedsTheMicrophone(kind: SoundServerKind) throws {
    let server = try kind.start()
    defer { server.stop() }
    let playback = try server.startPlaying(.tone(1_000, level: -20, for: .seconds(10)), on: "micfeed")
    let recording = try server.startRecording(from: "mic")
    #expect(eventually { recording.signal.hasTone(1_000, level: -20, channel: 0) })
    #expect(playback.process.isRunning)
  }

  @Test(arguments: SoundServerKind.allCases) func recordsAsMuchAsAskedFor(kind: SoundServerKind) throws {
    let server = try kind.start()
    defer { server.stop() }
    let silence = try server.record(from: "spk.monitor", for: .milliseconds(300), format: .stereo)
    #expect(silence.frameCount == 14_400)
    #expect(silence.isSilent())
  }

  @Test(arguments: SoundServerKind.allCases) func tellsWhoseStreamsThereAre(kind: SoundServerKind) throws {
    let server = try kind.start()
    defer { server.stop() }
    let playback = try server.startPlaying(
      .silence(.seconds(20)), on: "hdmi", properties: ["media.role": "phone", "application.name": "Rig Test"])
    let recording = try server.startRecording(from: "mic", format: .stereo)
    #expect(try eventually { try !server.sinkInputs(ofProcess: playback.process.processID).isEmpty })
    let played = try #require(try server.sinkInputs(ofApplication: "Rig Test").first)
    #expect(played.deviceName == "hdmi")
    #expect(played.mediaRole == "phone")
    #expect(!played.isCorked)
    #expect(played.sampleSpecification.description == "s16le 1ch 48000Hz")
    #expect(played.volumePercent == ["mono": 100])
    let recorded = try #require(try server.sourceOutputs(ofProcess: recording.process.processID).first)
    #expect(recorded.deviceName == "mic")
    #expect(recorded.sampleSpecification.channelCount == 2)
    #expect(try server.clients(ofApplication: "Rig Test").count == 1)
    #expect(try server.sinkInputs(ofProcess: getpid()).isEmpty)
    // PipeWire's session manager now and then ignores a move to the default.
    #expect(
      try eventually {
        try server.moveSinkInput(played.index, to: "spk")
        return try server.sinkInputs(ofApplication: "Rig Test").first?.deviceName == "spk"
      })
    recording.stop()
    #expect(try eventually { try server.sourceOutputs(ofProcess: recording.process.processID).isEmpty })
  }

  @Test(arguments: SoundServerKind.allCases) func plugsAndUnplugsDevices(kind: SoundServerKind) throws {
    let server = try kind.start()
    defer { server.stop() }
    let module = try server.loadModule("module-null-sink", "sink_name=usb")
    #expect(try eventually { try server.snapshot().sinks.map(\.name).contains("usb") })
    try server.setDefaultSink("usb")
    #expect(try server.defaultSink() == "usb")
    #expect(try server.modules(named: "module-null-sink", containing: "sink_name=usb") == [module])
    try server.unloadModule(module)
    #expect(try eventually { try server.defaultSink() == "spk" })
    #expect(try !server.snapshot().sinks.map(\.name).contains("usb"))
    #expect(throws: RigError.self) { try server.loadModule("module-that-does-not-exist") }
  }

  @Test(arguments: SoundServerKind.allCases) func comesBackOnTheSameSocket(kind: SoundServerKind) throws {
    let server = try kind.start()
    defer { server.stop() }
    let recording = try server.startRecording(from: "spk.monitor")
    let before = server.processIDs
    server.kill()
    #expect(server.processIDs.isEmpty)
    #expect(recording.process.wait(within: .seconds(5)) == .exited(1))
    #expect(throws: RigError.self) { try server.pactl("info") }
    try server.restart()
    #expect(server.processIDs.count == before.count)
    #expect(Set(server.processIDs).isDisjoint(with: before))
    #expect(try server.defaultSink() == "spk")
    _ = try server.startRecording(from: "spk.monitor").stop()
  }

  @Test(arguments: SoundServerKind.allCases) func standsStillWhileSuspended(kind: SoundServerKind) throws {
    let server = try kind.start()
    defer { server.stop() }
    let recording = try server.startRecording(from: "spk.monitor")
    server.suspend()
    let process = try #require(server.processIDs.first)
    #expect(eventually { processState(process) == "T" })
    let frames = recording.frameCount
    #expect(!eventually(within: .milliseconds(300)) { recording.frameCount > frames + 4_800 })
    server.resume()
    #expect(eventually { recording.frameCount > frames + 4_800 })
  }

  @Test(arguments: SoundServerKind.allCases) func serversDoNotDisturbEachOther(kind: SoundServerKind) throws {
    let servers = try (0..<4).map { _ in try kind.start() }
    defer { for server in servers { server.stop() } }
    #expect(Set(servers.map(\.socketPath)).count == 4)
    try servers[1].setDefaultSink("hdmi")
    servers[2].kill()
    #expect(try servers[0].defaultSink() == "spk")
    #expect(try servers[1].defaultSink() == "hdmi")
    #expect(try servers[3].defaultSink() == "spk")
  }

  @Test(arguments: SoundServerKind.allCases) func leavesNothingBehind(kind: SoundServerKind) throws {
    let server = try kind.start()
    let processes = server.processIDs
    #expect(!processes.isEmpty && processes.allSatisfy { kill($0, 0) == 0 })
    server.suspend()
    server.stop()
    #expect(processes.allSatisfy { kill($0, 0) == -1 && errno == ESRCH })
    #expect(!FileManager.default.fileExists(atPath: server.folder))
    #expect(server.processIDs.isEmpty)
  }
}

/// The state letter in `/proc/PID/stat`.
private func processState(_ process: Int32) -> String? {
  guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
    let end = text.lastIndex(of: ")")
  else { return nil }
  return text[end...].split(separator: " ").dropFirst().first.map(String.init)
}

#if PulseAudio
  /// Streams and clients that the server ends.
  @Suite(.serialized) struct SoundServerKillTests {
    @Test(arguments: SoundServerKind.allCases) func killsStreams(kind: SoundServerKind) throws {
      let server = try kind.start()
      defer { server.stop() }
      let playback = try server.startPlaying(.silence(.seconds(20)), on: "spk")
      let recording = try server.startRecording(from: "mic")
      #expect(try eventually { try server.sinkInputs(ofProcess: playback.process.processID).count == 1 })
      let played = try #require(try server.sinkInputs(ofProcess: playback.process.processID).first)
      let recorded = try #require(try server.sourceOutputs(ofProcess: recording.process.processID).first)
      try server.killSinkInput(played.index)
      try server.killSourceOutput(recorded.index)
      #expect(playback.process.wait(within: .seconds(5)) == .exited(1))
      #expect(recording.process.wait(within: .seconds(5)) == .exited(1))
      #expect(throws: RigError.self) { try server.killSinkInput(played.index) }
    }

    @Test(arguments: SoundServerKind.allCases) func killsClients(kind: SoundServerKind) throws {
      let server = try kind.start()
      defer { server.stop() }
      let recording = try server.startRecording(from: "mic")
      let client = try #require(try server.clients(ofProcess: recording.process.processID).first)
      try server.killClient(client.index)
      #expect(recording.process.wait(within: .seconds(5)) == .exited(1))
    }
  }
#endif
