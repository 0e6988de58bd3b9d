import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

@Suite struct PulseServerTests {
  @Test func hasTheDevicesOfTheRig() throws {
    let server = try PulseServer.start()
    defer { server.stop() }
    let snapshot = try server.snapshot()
    #expect(snapshot.sinks.map(\.name) == ["spk", "hdmi", "micfeed"])
    #expect(
      snapshot.sinks.map(\.sampleSpecification.description) == [
        "s16le 2ch 48000Hz", "s16le 2ch 44100Hz", "s16le 1ch 48000Hz",
      ])
    #expect(snapshot.sources.map(\.name).contains("mic"))
    #expect(try server.defaultSink() == "spk")
    #expect(try server.defaultSource() == "mic")
    #expect(snapshot.sinkInputs.isEmpty)
  }

  @Test func startsWithoutDevices() throws {
    let server = try PulseServer.start(.empty)
    defer { server.stop() }
    #expect(try server.snapshot().sinks.isEmpty)
  }

  @Test func saysWhyItDidNotComeUp() throws {
    var configuration = PulseServer.Configuration()
    configuration.modules = ["module-that-does-not-exist"]
    #expect {
      try PulseServer.start(configuration)
    } throws: { error in
      "\(error)".contains("module-that-does-not-exist")
    }
  }

  @Test func carriesATone() throws {
    let server = try PulseServer.start()
    defer { server.stop() }
    let playback = try server.startPlaying(.tone(440, level: -12, for: .seconds(3)), on: "spk")
    #expect(try eventually { try server.sinkInputs(ofProcess: playback.process.processID).count == 1 })
    let recorded = try server.record(from: "spk.monitor", for: .seconds(1), format: .stereo)
    let frequency = try #require(recorded.dominantFrequency())
    #expect(abs(frequency - 440) < 0.44)
    #expect(abs(recorded.toneLevel(at: 440) + 12) < 0.5)
  }

  @Test func carriesFramesUnchanged() throws {
    let server = try PulseServer.start()
    defer { server.stop() }
    let recording = try server.startRecording(from: "mic")
    try server.play(IndexCode.signal(.seconds(5)), on: "micfeed", latency: .milliseconds(200))
    let report = IndexCode.examine(recording.stop())
    // An underrun on a busy machine makes a pause, but loses nothing.
    #expect(report.lostFrames == 0 && report.repeatedFrames == 0 && report.foreignFrames == 0, "\(report)")
    #expect(report.codedFrames == 240_000, "\(report)")
  }

  @Test func tellsWhoseStreamsThereAre() throws {
    let server = try PulseServer.start()
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
    try server.moveSinkInput(played.index, to: "spk")
    #expect(try server.sinkInputs(ofApplication: "Rig Test").first?.deviceName == "spk")
    recording.stop()
    #expect(try eventually { try server.sourceOutputs(ofProcess: recording.process.processID).isEmpty })
  }

  @Test func plugsAndUnplugsDevices() throws {
    let server = try PulseServer.start()
    defer { server.stop() }
    let module = try server.loadModule("module-null-sink", "sink_name=usb", "norewinds=1")
    try server.setDefaultSink("usb")
    #expect(try server.defaultSink() == "usb")
    #expect(try server.modules(named: "module-null-sink", containing: "sink_name=usb") == [module])
    try server.suspendSink("usb", true)
    #expect(try server.snapshot().sinks.first { $0.name == "usb" }?.state == "SUSPENDED")
    try server.unloadModule(module)
    #expect(try server.defaultSink() == "spk")
    #expect(throws: RigError.self) { try server.loadModule("module-that-does-not-exist") }
  }

  @Test func comesBackOnTheSameSocket() throws {
    let server = try PulseServer.start()
    defer { server.stop() }
    let recording = try server.startRecording(from: "spk.monitor")
    let first = try #require(server.processIDs.first)
    server.kill()
    #expect(server.processIDs.isEmpty)
    #expect(recording.process.wait(within: .seconds(5)) == .exited(1))
    #expect(throws: RigError.self) { try server.pactl("info") }
    try server.restart()
    #expect(server.processIDs.count == 1 && server.processIDs.first != first)
    #expect(try server.defaultSink() == "spk")
    _ = try server.startRecording(from: "spk.monitor").stop()
  }

  @Test func standsStillWhileSuspended() throws {
    let server = try PulseServer.start()
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

  @Test func serversDoNotDisturbEachOther() throws {
    let servers = try (0..<4).map { _ in try PulseServer.start() }
    defer { for server in servers { server.stop() } }
    #expect(Set(servers.map(\.socketPath)).count == 4)
    try servers[1].setDefaultSink("hdmi")
    servers[2].kill()
    #expect(try servers[0].defaultSink() == "spk")
    #expect(try servers[1].defaultSink() == "hdmi")
    #expect(try servers[3].defaultSink() == "spk")
  }

  @Test func leavesNothingBehind() throws {
    let server = try PulseServer.start()
    let process = try #require(server.processIDs.first)
    #expect(kill(process, 0) == 0)
    server.suspend()
    server.stop()
    #expect(kill(process, 0) == -1 && errno == ESRCH)
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
