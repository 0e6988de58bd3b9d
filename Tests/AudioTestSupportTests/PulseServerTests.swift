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

  @Test func carriesFramesUnchanged() throws {
    let server = try PulseServer.start()
    defer { server.stop() }
    let recording = try server.startRecording(from: "mic")
    // Silence at the end, because a recording that is stopped leaves out what is on its way.
    let sent = IndexCode.signal(.seconds(5)) + .silence(.milliseconds(500))
    try server.play(sent, on: "micfeed", latency: .milliseconds(200))
    let report = IndexCode.examine(recording.stop())
    // An underrun on a busy machine makes a pause, but loses nothing.
    #expect(report.lostFrames == 0 && report.repeatedFrames == 0 && report.foreignFrames == 0, "\(report)")
    #expect(report.codedFrames == 240_000, "\(report)")
  }

  @Test func suspendsDevices() throws {
    let server = try PulseServer.start()
    defer { server.stop() }
    try server.suspendSink("spk", true)
    try server.suspendSource("mic", true)
    let suspended = try server.snapshot()
    #expect(suspended.sinks.first { $0.name == "spk" }?.state == "SUSPENDED")
    #expect(suspended.sources.first { $0.name == "mic" }?.state == "SUSPENDED")
    try server.suspendSink("spk", false)
    #expect(try server.snapshot().sinks.first { $0.name == "spk" }?.state != "SUSPENDED")
  }
}
