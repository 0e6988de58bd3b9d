#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  @testable import PulseBackend
  import Testing

  extension PulseTests {
    /// No server, the wrong one, one that dies, one that hangs.
    @Suite struct ServerFaults {
      /// Short ones, so that what must time out does so within a test's patience.
      private var shortLimits: PulseLimits {
        var limits = PulseLimits()
        limits.connect = .milliseconds(300)
        limits.request = .milliseconds(300)
        return limits
      }

      @Test func noServerIsToldAtOnce() {
        let backend = PulseBackend(server: "unix:/nonexistent/pulse/native")
        let duration = time {
          #expect(!backend.isAvailable)
          let configuration = AudioStreamConfiguration(direction: .render, format: .voice)
          let error = failure { _ = try backend.openStream(configuration, client: StreamProbe(seconds: 1)) }
          #expect(error?.code == .serverUnavailable)
          #expect(error?.message.contains("start one or choose another backend") == true)
          #expect(error?.call == "pa_context_connect")
          #expect(failure { _ = try backend.devices() }?.code == .serverUnavailable)
          #expect(failure { _ = try backend.watchDevices {} }?.code == .serverUnavailable)
        }
        #expect(duration < .seconds(1))
      }

      @Test(arguments: ["tcp:", "rubbish:///", "unix", "", "tcp:256.1.1.1:x", "{}"])
      func aWrongAddressIsToldAtOnce(address: String) {
        let backend = PulseBackend(server: address)
        let duration = time {
          let error = failure { _ = try backend.devices() }
          #expect(error?.code == .serverUnavailable, "\(error as Any)")
        }
        #expect(duration < .seconds(2.5))
      }

      @Test func aServerThatAppearsIsUsed() throws {
        let server = try PulseServer.start()
        defer { server.stop() }
        server.kill()
        let rig = PulseRig(server)
        #expect(!rig.backend.isAvailable)
        try server.restart()
        #expect(rig.backend.isAvailable)
      }

      @Test func aForeignCookieIsPermissionDenied() throws {
        // Over TCP, because a server knows its own user on a local socket by other means.
        let port = Int.random(in: 20_000..<30_000)
        var configuration = PulseServer.Configuration()
        configuration.modules = [
          "module-native-protocol-tcp listen=127.0.0.1 port=\(port) auth-cookie=foreign-cookie"
        ]
        let server = try PulseServer.start(configuration)
        defer { server.stop() }
        let backend = PulseBackend(server: "tcp:127.0.0.1:\(port)")
        let error = failure { _ = try backend.devices() }
        #expect(error?.code == .permissionDenied, "\(error as Any)")
        #expect(error?.message.contains("PULSE_COOKIE") == true)
        #expect(!backend.isAvailable)
      }

      @Test(arguments: SoundServerKind.allCases) func aKilledServerIsLostOnceAndFoundAgain(kind: SoundServerKind) throws
      {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let probe = (output: StreamProbe(), input: StreamProbe())
        let output = try rig.open(.render, probe.output)
        let input = try rig.open(.capture, probe.input)
        let idle = try rig.open(.render, probe.output)
        try output.start()
        try input.start()
        #expect(probe.input.waitForPeriods(20, .capture))
        rig.server.kill()
        // One loss for each stream; the idle one belongs to the same client.
        #expect(eventually(within: .seconds(2)) { probe.output.losses.count == 2 && probe.input.losses.count == 1 })
        #expect(probe.input.losses.first?.code == .deviceLost)
        let counts = (probe.output.renderedPeriods, probe.input.capturedPeriods)
        #expect(failure { try idle.start() }?.code == .deviceLost)
        for stream in [output, input, idle] { #expect(time { stream.close() } < .milliseconds(200)) }
        #expect(failure { try output.start() }?.code == .invalidState)
        try rig.server.restart()
        #expect(probe.output.losses.count == 2 && probe.input.losses.count == 1)
        #expect(probe.output.renderedPeriods == counts.0 && probe.input.capturedPeriods == counts.1)
        let again = try rig.open(.render, probe.output)
        try again.start()
        #expect(probe.output.waitForPeriods(50, .render))
        again.close()
      }

      @Test func aHungServerTimesOut() throws {
        let rig = try PulseRig(limits: shortLimits)
        defer { rig.stop() }
        rig.server.suspend()
        defer { rig.server.resume() }
        // Neither while connecting, nor afterwards.
        var isAvailable = true
        #expect(time { isAvailable = rig.backend.isAvailable } < .seconds(1))
        #expect(!isAvailable)
        let error = failure { _ = try rig.open(.capture, StreamProbe(seconds: 1)) }
        #expect(error?.code == .timedOut, "\(error as Any)")
        rig.server.resume()
        #expect(eventually { rig.backend.isAvailable })
        rig.server.suspend()
        for direction in AudioDirection.allCases {
          let duration = time {
            #expect(failure { _ = try rig.open(direction, StreamProbe(seconds: 1)) }?.code == .timedOut)
          }
          #expect(duration < .seconds(1))
        }
        #expect(!rig.backend.isAvailable)
        #expect(failure { _ = try rig.backend.devices() }?.code == .timedOut)
        #expect(failure { _ = try rig.backend.watchDevices {} }?.code == .timedOut)
        rig.server.resume()
        // What timed out is not made after all.
        #expect(eventually { (try? rig.backend.devices())?.isEmpty == false })
        #expect(try eventually { try rig.sinkInputs().isEmpty && rig.sourceOutputs().isEmpty })
        let stream = try rig.open(.render, StreamProbe(seconds: 1))
        stream.close()
      }

      @Test func closingAtAHungServerIsQuick() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let probe = StreamProbe()
        let output = try rig.open(.render, probe, device: "spk")
        let input = try rig.open(.capture, probe, device: "spk.monitor")
        let idle = try rig.open(.capture, probe)
        try output.start()
        try input.start()
        #expect(probe.waitForPeriods(20, .capture))
        rig.server.suspend()
        defer { rig.server.resume() }
        // Another thread starts a stream meanwhile, which no one will answer.
        let starting = try OwnThread { failure { try idle.start() } }
        #expect(eventually { starting.hasBegun })
        for stream in [input, output, idle] {
          let duration = time { stream.close() }
          #expect(duration < .milliseconds(200))
          // It does wait for the server's word that the stream is gone.
          #expect(duration > .milliseconds(100))
          #expect(time { stream.close() } < .milliseconds(200))
        }
        let count = probe.capturedPeriods
        #expect(try starting.result()?.code == .invalidState)
        rig.server.resume()
        #expect(try eventually { try rig.sinkInputs().isEmpty && rig.sourceOutputs().isEmpty })
        #expect(probe.capturedPeriods == count)
        #expect(probe.losses.isEmpty)
      }

      @Test func streamsWithoutASessionManagerAreLostAndNotMade() throws {
        var limits = shortLimits
        limits.inspection = .milliseconds(200)
        limits.silentInspections = 3
        let server = try PipeWireServer.start()
        defer { server.stop() }
        let rig = PulseRig(server, limits: limits)
        let probe = StreamProbe()
        let stream = try rig.open(.capture, probe, device: "mic")
        try stream.start()
        #expect(probe.waitForPeriods(20, .capture))
        server.kill(.sessionManager)
        #expect(eventually { probe.losses.map(\.code) == [.timedOut] })
        stream.close()
        #expect(failure { _ = try rig.open(.render, StreamProbe(seconds: 1)) }?.code == .timedOut)
        #expect(try rig.sourceOutputs().isEmpty)
      }

      @Test func aServerThatHangsForLongLosesRunningStreams() throws {
        var limits = PulseLimits()
        limits.inspection = .milliseconds(200)
        limits.silentInspections = 3
        let rig = try PulseRig(limits: limits)
        defer { rig.stop() }
        let probe = StreamProbe()
        let running = try rig.open(.capture, probe)
        let idle = try rig.open(.capture, probe)
        try running.start()
        #expect(probe.waitForPeriods(100, .capture))
        #expect(probe.losses.isEmpty)
        rig.server.suspend()
        defer { rig.server.resume() }
        #expect(eventually { !probe.losses.isEmpty })
        #expect(probe.losses.map(\.code) == [.timedOut])
        #expect(time { running.close() } < .milliseconds(200))
        idle.close()
      }
    }
  }

#endif
