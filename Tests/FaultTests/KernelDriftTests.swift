#if ALSA && RateCorrection
  import AudioDeviceKit
  import AudioTestSupport
  import RealtimeSupport
  import Testing

  /// A call on a card whose clock is wrong by far more than the bus corrects.
  @Suite(.enabled(if: KernelCard.isLane), .serialized) struct KernelDriftTests {
    /// What the bus reads faster or slower at the most, in parts per million.
    private static let correctionLimit = 2_000.0

    /// 2 % is ten times what is corrected: the rest is dropped on the one way and missing on the other, counted, and
    /// the delay stays where it is.
    @Test(arguments: [0.98, 1.02]) func theDelayStaysBounded(ratio: Double) async throws {
      try KernelCard.setLoopbackClock(ratio)
      defer { try? KernelCard.setLoopbackClock(1) }
      let bus = BufferedAudioBus()
      let call = try ALSACall(
        input: .device("hw:CARD=Loopback,DEV=1", orDefault: false),
        output: .device("hw:CARD=Loopback,DEV=0", orDefault: false), latency: .milliseconds(200))
      defer { call.end() }
      try call.manager.setAudioBus(bus)
      let client = try BeatClient(bus)
      defer { client.end() }
      try await call.startBoth()
      // The correction takes some seconds to reach its limit.
      let isFast = ratio > 1
      let limit = (isFast ? 1 : -1) * Self.correctionLimit
      let isCorrected = await becomesTrue(within: .seconds(40)) {
        abs(bus.captureRateCorrection - limit) < 200 && abs(bus.renderRateCorrection + limit) < 200
      }
      #expect(isCorrected, "\(bus.captureRateCorrection), \(bus.renderRateCorrection)")
      let (first, captured, rendered) = (client.report, bus.captureStatistics, bus.renderStatistics)
      let beats = KernelCard.isFull ? 60 : 6
      #expect(await becomesTrue(within: .seconds(beats * 4)) { client.report.delays.count >= first.delays.count + beats })
      let last = client.report
      print("clock \(ratio): delays \(last.delays.map { Int($0 / .milliseconds(1)) }) ms")
      print("clock \(ratio): most \(last.mostCaptured) captured, \(last.mostRendered) rendered")
      print("clock \(ratio): \(bus.captureStatistics) captured, \(bus.renderStatistics) rendered of \(last.frames)")
      // What the card makes too fast is dropped, what it takes too fast is missing; the other way round it is the same.
      let expected = Double(last.frames - first.frames) * (abs(ratio - 1) - 0.002)
      let (dropped, missing) =
        isFast
        ? (
          bus.captureStatistics.droppedFrames - captured.droppedFrames,
          bus.renderStatistics.shortfallFrames - rendered.shortfallFrames
        )
        : (
          bus.renderStatistics.droppedFrames - rendered.droppedFrames,
          bus.captureStatistics.shortfallFrames - captured.shortfallFrames
        )
      #expect((0.5 * expected...2 * expected).contains(Double(dropped)), "\(dropped) dropped, not \(expected)")
      #expect((0.5 * expected...2 * expected).contains(Double(missing)), "\(missing) missing, not \(expected)")
      // The backlog never goes above its maximum and a write's worth.
      let most = bus.configuration.maximumBacklog + .milliseconds(40)
      #expect(last.mostCaptured < most && last.mostRendered < most)
      // A second of drift is 20 ms; the delay does not add them up.
      let delays = last.delays.suffix(beats)
      let early = delays.prefix(beats / 2).min() ?? .zero
      let late = delays.suffix(beats / 2).max() ?? .zero
      #expect(late - early < .milliseconds(60), "\(delays)")
      #expect(call.log.count("lost") == 0, "\(call.log.story)")
    }
  }
#endif
