#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import Testing

  @testable import ALSABackend

  /// The `pulse` PCM, on a private server: a plug-in that waits for its server without a limit, whose delay is an
  /// estimate, and that reports no overruns.
  @Suite(.serialized) struct ALSAPulsePCMTests {
    private func start() throws -> (server: PulseServer, rig: ALSARig) {
      let server = try PulseServer.start()
      var configuration = ALSARig.Configuration()
      configuration.pulseServer = server.serverString
      return (server, try ALSARig.start(configuration))
    }

    @Test func playsForTheServersMonitor() async throws {
      let (server, rig) = try start()
      defer { server.stop() }
      defer { rig.stop() }
      let recording = try server.startRecording(from: "spk.monitor")
      let open = try OpenStream(rig.pulseName, .render, latency: .milliseconds(100))
      defer { open.stream.close() }
      #expect(try server.sinkInputs().map(\.deviceName) == ["spk"])
      #expect(await open.flows(96_000))
      #expect(abs(open.client.pace - 1) < 0.1, "\(open.client.pace) times real time")
      #expect(open.stream.schedulingClass == .normal)
      // What the server holds is part of the delay, and no more than was wished.
      #expect(open.stream.latency > .milliseconds(40) && open.stream.latency < .milliseconds(200))
      #expect(open.close() < .seconds(1))
      #expect(try server.sinkInputs().isEmpty)
      let report = IndexCode.examine(recording.stop())
      #expect(report.codedFrames > 80_000, "\(report)")
      #expect(report.lostFrames == 0 && report.repeatedFrames == 0 && report.foreignFrames == 0, "\(report)")
    }

    @Test func capturesWhatTheServerHears() async throws {
      let (server, rig) = try start()
      defer { server.stop() }
      defer { rig.stop() }
      let open = try OpenStream(rig.pulseName, .capture, latency: nil)
      defer { open.stream.close() }
      try server.play(.tone(440, for: .seconds(2)), on: "micfeed", latency: .milliseconds(200))
      #expect(open.stream.latency < .milliseconds(200))
      open.stream.close()
      let captured = open.client.captured
      let loud = try #require(captured.samples.firstIndex { $0 > 1_000 })
      let tone = captured.frames(loud..<loud + 48_000)
      #expect(abs(try #require(tone.dominantFrequency()) - 440) < 1)
      #expect(try server.sourceOutputs(ofProcess: getpid()).isEmpty)
    }

    /// The server stops for a while: playback has an underrun, capture a backlog. Both end where they were.
    @Test(arguments: AudioDirection.allCases) func isOnTimeAgainAfterAStall(direction: AudioDirection) async throws {
      let (server, rig) = try start()
      defer { server.stop() }
      defer { rig.stop() }
      let open = try OpenStream(rig.pulseName, direction, latency: nil)
      defer { open.stream.close() }
      #expect(await open.flows(48_000))
      server.suspend()
      // On this thread: a task that sleeps may be woken too late on a busy machine, after the second of grace.
      usleep(600_000)
      server.resume()
      #expect(await open.flows(48_000))
      #expect(await becomesTrue { open.stream.latency < .milliseconds(150) })
      // The plug-in forgets an underrun when a write comes between, and cannot always tell of it.
      #expect(direction == .render || open.stream.statistics.lostFrames > 9_600)
      #expect(open.client.losses.isEmpty)
      #expect(await open.flows(4_800))
      #expect(open.stream.latency < .milliseconds(250))
    }

    @Test(arguments: AudioDirection.allCases) func isLostWhenTheServerDies(direction: AudioDirection) async throws {
      let (server, rig) = try start()
      defer { server.stop() }
      defer { rig.stop() }
      let open = try OpenStream(rig.pulseName, direction)
      defer { open.stream.close() }
      #expect(await open.flows())
      let time = open.client.processorTime
      server.kill()
      #expect(await becomesTrue { !open.client.losses.isEmpty })
      #expect(open.client.losses.map(\.code) == [.deviceLost])
      #expect(open.close() < .seconds(1))
      #expect(open.client.processorTime - time < .milliseconds(500))
      let error = #expect(throws: AudioDeviceError.self) { try OpenStream(rig.pulseName, direction) }
      #expect(error?.code == .serverUnavailable)
      try server.restart()
      let again = try OpenStream(rig.pulseName, direction)
      #expect(await again.flows())
      again.stream.close()
    }

    /// A server that hangs answers nothing: the stream is lost by its watchdog, and closes all the same.
    @Test(arguments: AudioDirection.allCases) func aServerThatHangsHoldsNobodyUp(direction: AudioDirection) async throws
    {
      let (server, rig) = try start()
      defer { server.stop() }
      defer { rig.stop() }
      let running = try OpenStream(rig.pulseName, direction)
      let lost = try OpenStream(rig.pulseName, direction)
      let unstarted = try OpenStream(rig.pulseName, direction, starts: false)
      #expect(await running.flows())
      #expect(await lost.flows())
      server.suspend()
      defer { server.resume() }
      // 200 ms by design.
      #expect(running.close() < .seconds(1))
      #expect(unstarted.close() < .seconds(1))
      #expect(await becomesTrue { !lost.client.losses.isEmpty })
      #expect(lost.client.losses.count == 1)
      #expect(lost.close() < .seconds(1))
      let calls = running.client.calls
      let error = #expect(throws: AudioDeviceError.self) { try OpenStream(rig.pulseName, direction) }
      #expect(error?.code == .timedOut)
      #expect(running.client.calls == calls && unstarted.client.calls == 0)
      // What was left behind ends when the server goes on.
      server.resume()
      #expect(
        await eventually { () async in
          let streams = try? server.sinkInputs(ofProcess: getpid()) + server.sourceOutputs(ofProcess: getpid())
          return streams?.isEmpty == true
        })
    }

    @Test func aDefaultOnAServerIsAvailable() async throws {
      let server = try PulseServer.start()
      defer { server.stop() }
      let path = "\(server.folder)/alsa.conf"
      try "pcm.default { type pulse server \"\(server.serverString)\" }"
        .write(toFile: path, atomically: true, encoding: .utf8)
      await #expect(processExitsWith: .success) { [path = path as String] in
        setenv("ALSA_CONFIG_PATH", path, 1)
        #expect(ALSABackend().isAvailable)
      }
    }
  }
#endif
