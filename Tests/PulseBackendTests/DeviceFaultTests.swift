#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  @testable import PulseBackend
  import Testing

  extension PulseTests {
    /// Devices that are not there, go away, come back or are held back.
    @Suite struct DeviceFaults {
      @Test(arguments: SoundServerKind.allCases, AudioDirection.allCases)
      func anUnknownDeviceIsNotFound(kind: SoundServerKind, direction: AudioDirection) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        // A number is a device's index to the server; a device of the other direction is no device of this one.
        let foreign = direction == .capture ? "spk" : "mic"
        for id in ["no-such-device", "0", "", foreign, "spk\0x", String(repeating: "x", count: 5_000), "ä ö"] {
          let error = failure { _ = try rig.open(direction, StreamProbe(seconds: 1), device: id) }
          #expect(error?.code == .deviceNotFound, "\(id.prefix(20)): \(error as Any)")
        }
        #expect(try rig.sinkInputs().isEmpty && rig.sourceOutputs().isEmpty)
      }

      @Test func aServerWithoutDevicesHasNoneToOpen() throws {
        let rig = PulseRig(try PulseServer.start(.empty))
        defer { rig.stop() }
        #expect(rig.backend.isAvailable)
        #expect(try rig.backend.devices().isEmpty)
        for direction in AudioDirection.allCases {
          let error = failure { _ = try rig.open(direction, StreamProbe(seconds: 1)) }
          #expect(error?.code == .deviceNotFound)
          #expect(error?.message.contains("at all") == true, "\(error as Any)")
        }
      }

      @Test(arguments: SoundServerKind.allCases) func aStreamGoesOnWhenItsDeviceEnds(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let module = try rig.server.loadModule(
          "module-null-sink", "sink_name=usb", "rate=48000", kind == .pulseAudio ? "norewinds=1" : "channels=2")
        let probe = StreamProbe(rendering: .tone(440, for: .seconds(1)))
        let stream = try rig.open(.render, probe, device: "usb")
        try stream.start()
        #expect(probe.waitForPeriods(50, .render))
        #expect(stream.deviceID == "usb")
        try rig.server.unloadModule(module)
        #expect(eventually { probe.notices == [.moved(deviceID: "spk")] }, "\(probe.notices)")
        #expect(stream.deviceID == "spk")
        #expect(probe.waitForPeriods(50, .render))
        let heard = try rig.server.record(from: "spk.monitor", for: .milliseconds(500))
        stream.close()
        let frequency = try #require(heard.dominantFrequency())
        #expect(abs(frequency - 440) < 4.4)
      }

      @Test func aStreamFollowsTheDefaultAndTheUser() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let probe = (output: StreamProbe(), input: StreamProbe())
        let output = try rig.open(.render, probe.output)
        let input = try rig.open(.capture, probe.input)
        try output.start()
        try input.start()
        try rig.server.setDefaultSink("hdmi")
        try rig.server.setDefaultSource("silence")
        #expect(eventually { probe.output.notices == [.moved(deviceID: "hdmi")] })
        #expect(eventually { probe.input.notices == [.moved(deviceID: "silence")] })
        let index = try #require(try rig.sinkInputs().first?.index)
        try rig.server.moveSinkInput(index, to: "micfeed")
        #expect(eventually { probe.output.notices.last == .moved(deviceID: "micfeed") })
        #expect(output.deviceID == "micfeed" && input.deviceID == "silence")
        #expect(probe.output.waitForPeriods(50, .render) && probe.input.waitForPeriods(50, .capture))
        output.close()
        input.close()
      }

      @Test func theLastDevicesEndLosesTheStream() throws {
        var configuration = PulseServer.Configuration.empty
        configuration.devices = ["module-null-sink sink_name=only norewinds=1"]
        let server = try PulseServer.start(configuration)
        defer { server.stop() }
        let rig = PulseRig(server)
        let probe = StreamProbe()
        let running = try rig.open(.render, probe)
        let idle = try rig.open(.capture, probe)
        try running.start()
        #expect(probe.waitForPeriods(20, .render))
        try server.unloadModule(#require(try server.modules(named: "module-null-sink").first))
        #expect(eventually { probe.losses.count == 2 })
        #expect(probe.losses.allSatisfy { $0.code == .deviceLost })
        // Where it moved to before it died is no news to anybody.
        running.close()
        idle.close()
        #expect(probe.losses.count == 2)
        #expect(rig.backend.isAvailable)
      }

      @Test func aSuspendedDeviceIsToldAndClosesQuickly() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let probe = StreamProbe()
        let stream = try rig.open(.capture, probe, device: "mic")
        try stream.start()
        #expect(probe.waitForPeriods(20, .capture))
        try rig.server.suspendSource("mic", true)
        #expect(eventually { probe.notices == [.suspended(true)] })
        try rig.server.suspendSource("mic", false)
        #expect(eventually { probe.notices == [.suspended(true), .suspended(false)] })
        let lost = stream.statistics.lostFrames
        #expect(probe.waitForPeriods(50, .capture))
        // The pause was no stall: nothing is dropped that comes after it.
        #expect(stream.statistics.lostFrames == lost)
        try rig.server.suspendSource("mic", true)
        #expect(eventually { probe.notices.count == 3 })
        #expect(time { stream.close() } < .milliseconds(200))
        #expect(try rig.sourceOutputs().isEmpty)
      }

      @Test func aDeviceThatIsSuspendedAtTheStartIsTold() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        try rig.server.suspendSink("hdmi", true)
        let probe = StreamProbe()
        let stream = try rig.open(.render, probe, device: "hdmi")
        try stream.start()
        #expect(eventually { probe.notices == [.suspended(true)] })
        try rig.server.suspendSink("hdmi", false)
        #expect(probe.waitForPeriods(50, .render))
        #expect(probe.notices == [.suspended(true), .suspended(false)])
        stream.close()
      }

      @Test func musicGivesWayToACallAndComesBack() throws {
        var configuration = PulseServer.Configuration()
        configuration.modules = ["module-role-cork"]
        let server = try PulseServer.start(configuration)
        defer { server.stop() }
        let rig = PulseRig(server)
        let probe = StreamProbe()
        let stream = try rig.open(.render, probe, device: "spk", role: .music)
        try stream.start()
        #expect(probe.waitForPeriods(20, .render))
        let call = try server.startPlaying(.silence(.seconds(20)), on: "spk", properties: ["media.role": "phone"])
        #expect(eventually { probe.notices == [.corkRequested(true)] })
        #expect(try eventually { try rig.sinkInputs().first?.isCorked == true })
        call.stop()
        #expect(eventually { probe.notices == [.corkRequested(true), .corkRequested(false)] })
        #expect(try eventually { try rig.sinkInputs().first?.isCorked == false })
        #expect(probe.waitForPeriods(50, .render))
        #expect(time { stream.close() } < .milliseconds(200))
      }
    }
  }
#endif
