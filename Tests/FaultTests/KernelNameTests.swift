#if ALSA
  import AudioDeviceKit
  import AudioTestSupport
  import RealtimeSupport
  import Testing

  /// Calls on real cards through the PCMs that alsa-lib's own configuration puts before them.
  @Suite(.enabled(if: KernelCard.isLane), .serialized) struct KernelNameTests {
    @Test(arguments: [
      (output: "plughw:CARD=HDA,DEV=0", input: "plughw:CARD=HDA,DEV=0"),
      (output: "dmix:CARD=HDA,DEV=0", input: "dsnoop:CARD=HDA,DEV=0"),
      (output: "default", input: "default"),
    ])
    func carriesACall(names: (output: String, input: String)) async throws {
      let call = try ALSACall(
        input: .device(names.input, orDefault: false), output: .device(names.output, orDefault: false),
        latency: .milliseconds(200))
      defer { call.end() }
      try await call.startBoth()
      #expect(call.device.renderDeviceID == names.output && call.device.captureDeviceID == names.input)
      let (begun, before) = (AudioInstant.now, call.device.statistics)
      #expect(await call.runsBoth(frames: 48_000), "\(call.log.story)")
      for direction in AudioDirection.allCases {
        let frames = call.frames(direction) - before[direction].frames
        let pace = AudioFormat.voice.duration(ofFrames: frames) / (AudioInstant.now - begun)
        // The emulated cards are late, never early; a PCM that nobody paces would be far too fast.
        #expect((0.4...1.2).contains(pace), "\(direction) at \(pace) times real time")
        // What stands before the card waits for the kernel alone, so real time is safe.
        #expect(call.device.schedulingClass(of: direction) == .audio)
      }
      #expect(call.log.count("lost") == 0 && call.log.count("failed") == 0, "\(call.log.story)")
    }

    /// Two programs at once on a card, and each hears both.
    @Test func twoCallsShareACard() async throws {
      let tones = [1000, 1700]
      let buses = tones.map { DuetBus($0) }
      var calls: [ALSACall] = []
      defer { for call in calls { call.end() } }
      for bus in buses {
        let call = try ALSACall(
          input: .device("dsnoop:CARD=Loopback,DEV=1", orDefault: false),
          output: .device("dmix:CARD=Loopback,DEV=0", orDefault: false), latency: .milliseconds(200))
        calls.append(call)
        try call.manager.setAudioBus(bus)
        try await call.startBoth()
      }
      for bus in buses {
        let hearsBoth = await becomesTrue(within: .seconds(20)) {
          let heard = bus.heard(last: 4_800)
          return tones.allSatisfy { abs(heard.toneLevel(at: Double($0)) + 15) < 1 }
        }
        #expect(hearsBoth, "\(tones.map { bus.heard(last: 4_800).toneLevel(at: Double($0)) })")
      }
      // Nobody is disturbed when the other goes.
      calls.removeFirst().end()
      #expect(await calls[0].runsBoth())
      #expect(calls[0].log.count("lost") == 0 && calls[0].log.count("failed") == 0, "\(calls[0].log.story)")
    }
  }
#endif
