#if ALSA && RateCorrection
  import AudioDeviceKit
  import AudioTestSupport
  import RealtimeSupport
  import Testing

  /// A call on a card whose clock is wrong by far more than the bus corrects.
  @Suite(.enabled(if: KernelCard.isLane), .serialized) struct KernelDriftTests {
    /// What the bus reads faster or slower at the most, in parts per million.
    private static let correctionLimit = 2_000.0

    private func makeDevice(_ format: AudioFormat) -> DefaultAudioDevice {
      var configuration = DefaultAudioDevice.Configuration()
      configuration.backend = .alsa
      configuration.inputRoute = .device("hw:CARD=Loopback,DEV=1", orDefault: false)
      configuration.outputRoute = .device("hw:CARD=Loopback,DEV=0", orDefault: false)
      configuration.captureFormat = format
      configuration.renderFormat = format
      configuration.latency = .milliseconds(200)
      return DefaultAudioDevice(configuration)
    }

    /// 2 % is ten times what is corrected: the rest is dropped on the one way and missing on the other, counted, and
    /// the delay stays where it is. Without that it would grow by 18 ms a second, to the size of the rings and beyond.
    @Test(arguments: [0.98, 1.02]) func theDelayStaysBounded(ratio: Double) async throws {
      try KernelCard.setLoopbackClock(ratio)
      defer { try? KernelCard.setLoopbackClock(1) }
      // The emulated processor is too slow for a corrector at 48 kHz.
      let format = try AudioFormat(sampleRate: 8_000, channelCount: 1)
      let bus = BufferedAudioBus(captureFormat: format, renderFormat: format)
      let manager = AudioDeviceManager()
      let log = EventLog(manager)
      let client = try BeatClient(bus)
      defer {
        client.end()
        manager.stopCapture()
        manager.stopRendering()
        log.end()
      }
      try manager.setAudioBus(bus)
      try manager.setAudioDevice(makeDevice(format))
      try manager.startCapture()
      try manager.startRendering()
      let (isFast, side) = (ratio > 1, ratio > 1 ? 1.0 : -1)
      let isCorrected = await becomesTrue(within: .seconds(40)) {
        side * bus.captureRateCorrection > 0 && side * bus.renderRateCorrection < 0
      }
      #expect(isCorrected, "\(bus.captureRateCorrection), \(bus.renderRateCorrection)")
      client.forget()
      let (captured, rendered) = (bus.captureStatistics, bus.renderStatistics)
      let beats = KernelCard.isFull ? 60 : 5
      // What the card makes too fast is dropped, what it takes too fast is missing; the other way round it is the same.
      let dropped = { @Sendable in
        isFast
          ? bus.captureStatistics.droppedFrames - captured.droppedFrames
          : bus.renderStatistics.droppedFrames - rendered.droppedFrames
      }
      let missing = { @Sendable in
        isFast
          ? bus.renderStatistics.shortfallFrames - rendered.shortfallFrames
          : bus.captureStatistics.shortfallFrames - captured.shortfallFrames
      }
      // Both come in lumps, a few seconds apart.
      let isLost = await becomesTrue(within: .seconds(beats * 3 + 20)) {
        client.report.delays.count >= beats && dropped() > 0 && missing() > 0
      }
      #expect(isLost, "\(client.report), \(dropped()), \(missing())")
      let report = client.report
      for correction in [bus.captureRateCorrection, bus.renderRateCorrection] {
        #expect(abs(correction) < Self.correctionLimit + 1)
      }
      // What the correction leaves. On a busy host the counts stray to both sides of it, up to tenfold.
      let expected = Double(report.frames) * (abs(ratio - 1) - Self.correctionLimit / 1e6)
      print(
        """
        clock \(ratio): \(dropped()) dropped and \(missing()) missing of \(report.frames), \(Int(expected)) by the clock alone; \
        delays \(report.delays.map { Int($0 / .milliseconds(1)) }) ms
        """)
      if KernelCard.isFull { for count in [dropped(), missing()] { #expect(Double(count) > expected / 4) } }
      // Nothing adds up.
      #expect(report.medianDelay < .milliseconds(600), "\(report.delays)")
      #expect(log.count("lost") == 0, "\(log.story)")
    }
  }
#endif
