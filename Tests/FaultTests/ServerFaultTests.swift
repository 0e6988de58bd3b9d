#if PulseAudio
  import AudioDeviceKit
  import AudioTestSupport
  import Glibc
  import RealtimeSupport
  import Testing

  extension FaultTests {
    /// The sound server goes, hangs, or is not there yet.
    @Suite struct ServerFaults {
      @Test(arguments: SoundServerKind.allCases) func aKilledServer(kind: SoundServerKind) throws {
        let call = try ServerCall(kind.start())
        defer { call.end() }
        try call.start()
        let before = try call.settledRoundTrip()
        for round in 1...(FaultCall.isFull ? 20 : kind == .pulseAudio ? 5 : 2) {
          call.forgetEvents()
          call.bus.clear()
          call.server.kill()
          #expect(eventually { call.count("lost") == 2 }, "\(round): \(call.story)")
          try call.server.restart()
          #expect(call.waitForSound(within: .seconds(2)), "\(round): \(call.story)")
          #expect(eventually { call.count("recovered") == 2 }, "\(round): \(call.story)")
          let after = try call.settledRoundTrip()
          // A start anew may fall elsewhere within the server's own period.
          #expect(abs((after - before) / .milliseconds(1)) < 12, "\(round): \(before), then \(after)")
          // One event each way when it breaks, and one when it is back.
          call.expectOneLoss()
        }
        try call.expectNewDevicesAreTold()
        #expect(call.manager.gates.captureIsWished && call.manager.gates.renderingIsWished)
        #expect(call.manager.statistics.capture.silentFrames > 0 && call.manager.statistics.render.silentFrames > 0)
      }

      @Test func whileItIsGoneTheClientIsFed() throws {
        let call = try ServerCall(PulseServer.start())
        defer { call.end() }
        try call.start()
        call.server.kill()
        #expect(eventually { call.count("lost") == 2 }, "\(call.story)")
        call.expectPace(for: .seconds(3), slack: .zero)
        #expect(call.bus.periods.suffix(100).allSatisfy { $0.roundTrip == nil })
      }

      @Test func aServerWithOtherDevices() throws {
        let call = try ServerCall(PulseServer.start())
        defer { call.end() }
        try call.start()
        call.forgetEvents()
        call.server.kill()
        var configuration = PulseServer.Configuration()
        configuration.devices = [
          "module-null-sink sink_name=newfeed rate=48000 channels=1 norewinds=1",
          "module-remap-source source_name=newmic master=newfeed.monitor",
        ]
        configuration.defaultSink = "newfeed"
        configuration.defaultSource = "newmic"
        try (call.server as? PulseServer)?.restart(configuration)
        #expect(call.waitForSound(within: .seconds(2)), "\(call.story)")
        let positions = try call.positions()
        #expect(positions.output == ["newfeed"] && positions.input == ["newmic"])
        for direction in AudioDirection.allCases {
          #expect(call.count("fellBack", direction) == 1 && call.count("recovered", direction) == 1, "\(call.story)")
        }
        // Once more the same: that the default stands in has been told.
        call.bus.clear()
        call.server.kill()
        #expect(eventually { call.count("lost") == 4 }, "\(call.story)")
        try call.server.restart()
        #expect(call.waitForSound(within: .seconds(2)), "\(call.story)")
        #expect(call.count("fellBack") == 2, "\(call.story)")
      }

      @Test(arguments: SoundServerKind.allCases) func noServerAtTheStart(kind: SoundServerKind) throws {
        let server = try kind.start()
        server.kill()
        let call = try ServerCall(server)
        defer { call.end() }
        #expect { try call.manager.startCapture() } throws: { ($0 as? AudioDeviceError)?.isTransient == true }
        #expect { try call.manager.startRendering() } throws: { ($0 as? AudioDeviceError)?.isTransient == true }
        // Long enough for the tries to be far apart.
        call.expectPace(for: .seconds(3), slack: .milliseconds(50))
        try server.restart()
        #expect(call.waitForSound(within: .seconds(2)), "\(call.story)")
        for direction in AudioDirection.allCases {
          #expect(call.count("failed", direction) == 1 && call.count("recovered", direction) == 1, "\(call.story)")
        }
        try call.expectNewDevicesAreTold()
      }

      @Test(arguments: FaultCall.isFull ? [300, 2_000, 10_000] : [300, 2_000])
      func aServerThatHangs(milliseconds: Int) throws {
        let call = try ServerCall(PulseServer.start())
        defer { call.end() }
        try call.start()
        let before = try call.settledRoundTrip()
        let lost = call.manager.statistics
        call.forgetEvents()
        call.server.suspend()
        call.expectPace(for: .milliseconds(milliseconds))
        call.server.resume()
        try call.expectItIsAsBefore(before, lost, within: .milliseconds(milliseconds > 5_000 ? 12 : 5))
      }

      /// PipeWire itself, or what clients talk to.
      @Test(arguments: FaultCall.isFull ? [PipeWireServer.Part.core, .pulse] : [.core])
      func aPipeWireThatHangs(part: PipeWireServer.Part) throws {
        let server = try PipeWireServer.start()
        let call = try ServerCall(server)
        defer { call.end() }
        try call.start()
        let before = try call.settledRoundTrip()
        let lost = call.manager.statistics
        call.forgetEvents()
        server.suspend(part)
        call.expectPace(for: .seconds(2))
        server.resume(part)
        try call.expectItIsAsBefore(before, lost)
      }

      @Test func aServerThatHangsIsLeftAtOnce() throws {
        let call = try ServerCall(PulseServer.start())
        defer { call.end() }
        try call.start()
        call.server.suspend()
        call.manager.stopCapture()
        call.manager.stopRendering()
        call.server.resume()
        #expect(
          eventually {
            (try? call.positions()).map { $0.output.isEmpty && $0.input.isEmpty } == true
          })
      }
    }
  }
#endif
