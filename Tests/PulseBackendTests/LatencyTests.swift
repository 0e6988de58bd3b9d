#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  @testable import PulseBackend
  import Testing

  extension PulseTests {
    /// A sink's monitor gives back what was rendered, so that the true delay can be measured sample by sample.
    @Suite struct Latency {
      /// One captured period whose first frame is known.
      private struct Passage {
        /// From the call that rendered the frame to the call that got it.
        var roundTrip: Duration
        /// When the frame was at the microphone, as the capture stream told, less when it was to be heard, as the
        /// render stream told. In a loop the two are one moment.
        var disagreement: Duration
      }

      private func passages(_ probe: StreamProbe, from first: Int) -> [Passage] {
        let rendered = probe.render
        var latest = 0
        return probe.capture[min(first, probe.capture.count)...].compactMap { captured in
          while latest + 1 < rendered.count, rendered[latest + 1].time < captured.time { latest += 1 }
          let format = probe.format
          let sent = (latest + 1) * format.framesPerPeriod
          guard let lag = IndexCode.lag(of: captured.first, sent: sent), lag <= sent else { return nil }
          let (period, offset) = (sent - lag).quotientAndRemainder(dividingBy: format.framesPerPeriod)
          let source = rendered[period]
          let heard = source.time + source.delay + format.duration(ofFrames: offset)
          return Passage(roundTrip: captured.time - source.time, disagreement: captured.capturedAt - heard)
        }
      }

      private func milliseconds(_ durations: [Duration]) -> (median: Double, highest: Double) {
        let sorted = durations.map { $0 / .milliseconds(1) }.sorted()
        return (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
      }

      @Test(arguments: SoundServerKind.allCases) func isWhatIsTold(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let probe = StreamProbe(rendering: IndexCode.signal(.milliseconds(6250)))
        let output = try rig.open(.render, probe, device: "micfeed")
        let input = try rig.open(.capture, probe, device: "micfeed.monitor")
        probe.meter(output)
        try output.start()
        try input.start()
        #expect(probe.waitForPeriods(500, .capture))
        output.close()
        input.close()
        let passages = passages(probe, from: 100)
        #expect(passages.count > 350)
        // Told delays of PipeWire have the grain of its quantum.
        let disagreement = milliseconds(passages.map { max($0.disagreement, .zero - $0.disagreement) })
        #expect(disagreement.median < (kind == .pulseAudio ? 5 : 15), "\(disagreement)")
        let roundTrip = milliseconds(passages.map(\.roundTrip))
        #expect((15...(kind == .pulseAudio ? 40 : 60)).contains(roundTrip.median), "\(roundTrip)")
      }

      @Test func isNeverNegativeNorOutOfRange() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let probe = StreamProbe()
        // Alone on a monitor: the age of what it gives is negative about half of the time.
        let input = try rig.open(.capture, probe, device: "spk.monitor")
        #expect(input.latency == .zero)
        try input.start()
        #expect(
          eventually(within: .seconds(2)) {
            !(Duration.zero...AudioStreamMeter.maximumLatency).contains(input.latency)
          } == false)
        input.close()
        #expect(probe.capture.suffix(100).allSatisfy { $0.capturedAt <= $0.time })
      }

      @Test(arguments: [Duration.milliseconds(300), .seconds(2)]) func returnsAfterTheServerStoodStill(
        pause: Duration
      ) throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        try expectReturn(of: rig, lost: pause) { _ in
          rig.server.suspend()
          usleep(UInt32(pause / .microseconds(1)))
          rig.server.resume()
        }
      }

      @Test(arguments: [Duration.milliseconds(300), .seconds(2)]) func returnsAfterThisProcessStoodStill(
        pause: Duration
      ) throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        try expectReturn(of: rig, lost: pause) { probe in
          probe.stallOnce(pause)
          usleep(UInt32(pause / .microseconds(1)))
        }
      }

      private func expectReturn(of rig: PulseRig, lost: Duration, _ disturb: (StreamProbe) -> Void) throws {
        let probe = StreamProbe(rendering: IndexCode.signal(.milliseconds(6250)))
        let output = try rig.open(.render, probe, device: "micfeed")
        let input = try rig.open(.capture, probe, device: "micfeed.monitor")
        probe.meter(output)
        try output.start()
        try input.start()
        #expect(probe.waitForPeriods(200, .capture))
        let before = milliseconds(passages(probe, from: 100).map(\.roundTrip))
        let counted = (input.statistics, output.statistics)
        disturb(probe)
        #expect(probe.waitForPeriods(200, .capture))
        let settled = probe.capturedPeriods
        #expect(probe.waitForPeriods(100, .capture))
        let after = passages(probe, from: settled)
        #expect(after.count > 90)
        let told = milliseconds(after.map(\.disagreement))
        let now = milliseconds(after.map(\.roundTrip))
        #expect(abs(now.median - before.median) < 5, "before \(before), after \(now)")
        #expect(abs(told.median) < 5, "\(told)")
        // What was lost is known, in both directions, to within what the buffers held.
        for (old, new) in [(counted.0, input.statistics), (counted.1, output.statistics)] {
          #expect(new.xruns > old.xruns)
          let frames = new.lostFrames - old.lostFrames
          let expected = probe.format.frames(in: lost)
          #expect(abs(frames - expected) < expected / 4 + 4_800, "\(frames) of \(expected)")
        }
        #expect(probe.xrunNotices > 0)
        #expect(probe.losses.isEmpty)
        output.close()
        input.close()
      }
    }
  }
#endif
