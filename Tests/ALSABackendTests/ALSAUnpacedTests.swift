#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import Glibc
  import Testing

  @testable import ALSABackend

  /// PCMs without a clock: they take and give without end, and the stream has to keep the time.
  @Suite(.serialized) struct ALSAUnpacedTests {
    /// Never faster than time, nor slower than 10 % (on a machine that lets it run).
    private func expectRealTime(_ open: OpenStream) async throws {
      defer { open.stream.close() }
      #expect(await open.flows(105_600))
      #expect(abs(open.client.pace - 1) < 0.1, "\(open.client.pace) times real time")
      #expect(open.client.processorTime < .seconds(1))
      #expect(open.stream.schedulingClass == .normal)
      #expect(open.client.schedulingClass == .normal)
      #expect(open.close() < .seconds(1))
      #expect(open.client.notices.isEmpty)
    }

    @Test(arguments: AudioDirection.allCases) func nullKeepsTime(direction: AudioDirection) async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.nullName, direction, latency: nil)
      try await expectRealTime(open)
      #expect(open.client.captured.samples.allSatisfy { $0 == 0 })
    }

    @Test func aFileGetsExactlyWhatWasRendered() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.fileName, .render, latency: nil)
      try await expectRealTime(open)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: rig.filePath))
      let written = Signal(littleEndian: Array(bytes), format: .voice)
      #expect(written.frameCount == open.client.renderedFrames)
      #expect(IndexCode.examine(written).isContinuous)
      #expect(written.samples.first == 1)
    }

    /// By hand, and so exactly: a period for each 10 ms, none before its time.
    @Test(arguments: AudioDirection.allCases) func followsTheClockItIsGiven(direction: AudioDirection) throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let clock = try ManualPeriodClock()
      let open = try OpenStream(rig.nullName, direction, latency: nil, backend: ALSABackend(clock: clock))
      defer { open.stream.close() }
      // The thread has to have begun to wait before its first deadline is known.
      #expect(clock.advance(by: .zero))
      #expect(eventually { clock.advance(by: .milliseconds(10)) && open.client.calls > 0 })
      let calls = open.client.calls
      #expect(clock.advance(by: .seconds(60)))
      #expect(open.client.calls == calls + 6_000)
      #expect(clock.advance(by: .milliseconds(9)))
      #expect(open.client.calls == calls + 6_000)
      #expect(clock.advance(by: .milliseconds(1)))
      #expect(open.client.calls == calls + 6_001)
      #expect(open.stream.statistics.lostFrames == 0)
      // While the clock stands, closing does not wait for it.
      #expect(open.close() < .seconds(1))
    }

    /// A plug-in that takes all it gets at once, which only its behaviour tells.
    @Test func takesOverFromAPlugInWithoutAClock() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.setClock(.manual)
      let open = try OpenStream(rig.speakers.name, .render, latency: .milliseconds(40))
      defer { open.stream.close() }
      let start = ContinuousClock.now
      var played = 0
      while ContinuousClock.now - start < .seconds(3) {
        let queued = rig.speakers.transferredFrames - played
        if queued >= 1_920 {
          rig.speakers.step(480)
          played += 480
        } else {
          usleep(500)
        }
      }
      // At first a quarter too fast, until it was found out.
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      let rate = Double(open.client.renderedFrames) / 48_000 / seconds
      #expect(rate > 0.9 && rate < 1.15, "\(rate) times real time")
      #expect(open.client.pace(of: 100) < 1.02)
      #expect(open.client.notices.isEmpty)
      #expect(open.close() < .seconds(1))
    }

    @Test func findsOutWhoPaces() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      func pacing(_ name: String, _ direction: AudioDirection) throws -> PCMPacing {
        PCMPacing(try PCMHandle(name: name, direction: direction))
      }
      #expect(try pacing(rig.nullName, .render) == .none)
      #expect(try pacing(rig.nullName, .capture) == .none)
      #expect(try pacing("plug:SLAVE='\(rig.nullName)'", .render) == .none)
      #expect(try pacing(rig.fileName, .render) == .none)
      #expect(try pacing(rig.speakers.name, .render) == .plugin)
      #expect(try pacing("plug:SLAVE='\(rig.microphone.name)'", .capture) == .plugin)
    }
  }
#endif
