#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  import Testing

  @testable import ALSABackend

  /// Capture from the rig's fake microphone, which hears an index code.
  @Suite(.serialized) struct ALSACaptureTests {
    private let code = IndexCode.signal(.milliseconds(625))

    @Test func capturesEveryFrameUnchanged() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      try rig.microphone.setInput(code)
      let open = try OpenStream(rig.microphone.name, .capture)
      defer { open.stream.close() }
      #expect(await open.flows(72_000))
      #expect(abs(open.client.pace - 1) < 0.1)
      open.stream.close()
      let captured = open.client.captured
      #expect(captured.samples.first == 1)
      let report = IndexCode.examine(captured)
      #expect(report.isContinuous && report.silentFrames == 0, "\(report)")
      #expect(captured.frameCount.isMultiple(of: 480))
      #expect(open.stream.statistics.frames == captured.frameCount)
      #expect(open.stream.statistics.lostFrames == 0)
    }

    @Test(arguments: [(8_000, 1), (44_100, 2), (16_000, 8), (96_000, 1)])
    func capturesEveryFormat(rate: Int, channels: Int) async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      try rig.microphone.setInput(code)
      let format = try AudioFormat(sampleRate: rate, channelCount: channels)
      let open = try OpenStream(rig.microphone.name, .capture, format: format)
      defer { open.stream.close() }
      #expect(await open.flows(rate / 2))
      open.stream.close()
      let report = IndexCode.examine(open.client.captured)
      #expect(report.isContinuous && report.leadingSilence == 0, "\(report)")
    }

    /// Whatever the hardware steps in, the client gets whole periods and every frame.
    @Test(arguments: [48, 256, 1_024, 4_800]) func copesWithTheHardwaresPeriod(period: Int) async throws {
      var configuration = ALSARig.Configuration()
      configuration.microphone.formats = ["S16_LE"]
      configuration.microphone.channelCounts = 1...1
      configuration.microphone.periodFrames = period...period
      let rig = try ALSARig.start(configuration)
      defer { rig.stop() }
      try rig.microphone.setInput(code)
      // A turn in which the machine held the reader up for longer than the buffer lasts says nothing about periods.
      for _ in 1...5 {
        let open = try OpenStream(rig.microphone.name, .capture)
        defer { open.stream.close() }
        #expect(rig.microphone.parameters?.periodFrames == period)
        #expect(await open.flows(96_000))
        // It is still the device that wakes us: it was not taken for one without a clock.
        let polls = rig.microphone.count(.poll)
        #expect(await open.flows(9_600))
        #expect(rig.microphone.count(.poll) > polls)
        open.stream.close()
        guard open.stream.statistics.xruns == 0 else { continue }
        let report = IndexCode.examine(open.client.captured)
        #expect(report.isContinuous && report.leadingSilence == 0, "\(report)")
        return
      }
      Issue.record("five turns with an xrun in each")
    }

    /// The buffer survives a scheduling gap; no wish makes it smaller.
    @Test(arguments: [Duration?.none, .milliseconds(10), .seconds(1)]) func hasRoomForGaps(latency: Duration?) throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.microphone.name, .capture, latency: latency, starts: false)
      defer { open.stream.close() }
      let parameters = try #require(rig.microphone.parameters)
      #expect(parameters.periodFrames == 480 && parameters.availMin == 480)
      #expect(parameters.bufferFrames == (latency == .seconds(1) ? 48_000 : 9_600))
      #expect(parameters.stopThreshold == parameters.bufferFrames)
    }

    @Test func deliversAStallInFull() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      try rig.microphone.setInput(code)
      rig.microphone.setClock(.manual)
      let open = try OpenStream(rig.microphone.name, .capture, latency: nil)
      defer { open.stream.close() }
      // 150 ms at once, as after a scheduling gap.
      rig.microphone.step(7_200)
      #expect(eventually { open.client.capturedFrames == 7_200 })
      #expect(IndexCode.examine(open.client.captured).isContinuous)
      #expect(open.stream.statistics.lostFrames == 0)
      // The oldest frame is told to be the oldest.
      let captures = open.client.captures
      for (earlier, later) in zip(captures, captures.dropFirst()) {
        let step = later.capturedAt - earlier.capturedAt
        #expect(step > .milliseconds(9.9) && step < .milliseconds(10.1))
      }
    }

    @Test func tellsWhenItWasCaptured() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.microphone.name, .capture)
      defer { open.stream.close() }
      #expect(await open.flows(24_000))
      let ages = open.client.captures.map { $0.calledAt - $0.capturedAt }.sorted()
      // A period ago, as a rule; a busy machine is late now and then.
      #expect(ages[0] >= .milliseconds(9.9))
      #expect(ages[ages.count / 2] < .milliseconds(30))
      // A converter that is 100 ms late is told as well.
      rig.microphone.setExtraDelay(4_800)
      #expect(await open.flows())
      #expect(open.stream.latency >= .milliseconds(109))
      rig.microphone.setExtraDelay(-1_000_000)
      #expect(await open.flows())
      // Less than what waits to be read cannot be.
      #expect(open.stream.latency >= .milliseconds(9.9) && open.stream.latency < .seconds(1))
      rig.microphone.fail(.delay, with: EIO)
      #expect(await open.flows())
      #expect(open.stream.latency >= .milliseconds(9.9) && open.stream.latency < .seconds(1))
      #expect(open.client.losses.isEmpty)
    }

    /// What `pulse` does after a stall: it reports no overrun, and is late for good.
    @Test func dropsABacklogThatCannotBeRead() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.microphone.name, .capture, latency: nil)
      defer { open.stream.close() }
      #expect(await open.flows(480 * (CaptureBacklog.settlingLooks + 20)))
      let prepares = rig.microphone.count(.prepare)
      rig.microphone.setExtraDelay(48_000)
      #expect(await becomesTrue { rig.microphone.count(.prepare) == prepares + 1 })
      rig.microphone.setExtraDelay(0)
      #expect(await open.flows())
      #expect(open.stream.statistics.lostFrames >= 48_000)
      #expect(open.stream.statistics.lostFrames < 96_000)
      #expect(open.stream.statistics.xruns == 0 && open.client.notices.isEmpty)
      #expect(open.stream.latency < .milliseconds(200))
      #expect(rig.microphone.count(.prepare) == prepares + 1)
    }

    /// A device that simply is that late (a headset over Bluetooth) is started anew a few times, and then left alone.
    @Test func leavesALateDeviceAlone() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.microphone.setExtraDelay(48_000)
      let open = try OpenStream(rig.microphone.name, .capture, latency: nil)
      defer { open.stream.close() }
      let prepares = rig.microphone.count(.prepare)
      #expect(await open.flows(96_000))
      #expect(rig.microphone.count(.prepare) == prepares)
      #expect(open.stream.latency > .seconds(1))
      #expect(open.stream.statistics.lostFrames == 0)
    }
  }
#endif
