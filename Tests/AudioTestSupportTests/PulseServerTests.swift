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

  @Test func leavesNothingBehind() throws {
    let server = try PulseServer.start()
    let process = try #require(server.processIDs.first)
    #expect(kill(process, 0) == 0)
    server.stop()
    #expect(kill(process, 0) == -1 && errno == ESRCH)
    #expect(!FileManager.default.fileExists(atPath: server.folder))
    #expect(server.processIDs.isEmpty)
  }
}
