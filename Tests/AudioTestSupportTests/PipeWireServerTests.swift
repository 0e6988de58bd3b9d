import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

@Suite struct PipeWireServerTests {
  @Test func hasTheDevicesOfTheRig() throws {
    let server = try PipeWireServer.start()
    defer { server.stop() }
    let snapshot = try server.snapshot()
    #expect(Set(snapshot.sinks.map(\.name)) == ["spk", "hdmi", "micfeed"])
    #expect(snapshot.sources.map(\.name).contains("mic"))
    let rates = Dictionary(uniqueKeysWithValues: snapshot.sinks.map { ($0.name, $0.sampleSpecification.sampleRate) })
    #expect(rates["spk"] == 48_000 && rates["hdmi"] == 44_100)
    #expect(try server.pactl("info").contains("PipeWire"))
  }

  @Test func losesItsClientsWithTheCore() throws {
    let server = try PipeWireServer.start()
    defer { server.stop() }
    let recording = try server.startRecording(from: "spk.monitor")
    server.kill(.core)
    #expect(server.processID(of: .core) == nil)
    #expect(recording.process.wait(within: .seconds(5)) == .exited(1))
  }

  @Test func makesNoStreamReadyWithoutTheSessionManager() throws {
    let server = try PipeWireServer.start()
    defer { server.stop() }
    server.kill(.sessionManager)
    let playback = try server.startPlaying(.tone(440, for: .milliseconds(100)), on: "spk")
    #expect(playback.process.wait(within: .milliseconds(700)) == nil)
    try server.start(.sessionManager)
    try playback.wait()
  }
}
