#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import CPulse
  @testable import PulseBackend
  import Testing

  @Suite struct BufferAttributeTests {
    private func milliseconds(_ bytes: UInt32, _ format: AudioFormat = .voice) -> Int {
      Int(bytes) / format.bytesPerFrame * 1000 / format.sampleRate
    }

    @Test(arguments: [
      (nil, 40, 10), (30, 40, 10), (40, 60, 10), (100, 180, 10), (1_000, 1_980, 10), (60_000, 1_980, 10),
      (29, 40, 5), (20, 30, 5), (19, 20, 5), (15, 20, 5), (0, 20, 5), (-5, 20, 5),
    ])
    func asksForTwiceTheWishLessTwoRequests(wish: Int?, target: Int, request: Int) {
      let attributes = PulseBufferAttributes(.render, format: .voice, latency: wish.map { .milliseconds($0) })
      #expect(milliseconds(attributes.target) == target)
      #expect(milliseconds(attributes.step) == request)
      // One period, and never the server's default, which could be more than whole periods fill.
      #expect(milliseconds(attributes.start) == 10)
      // Else the device's steps are smaller than the requests.
      #expect(attributes.target >= 4 * attributes.step)
      #expect(attributes.most >= attributes.target && milliseconds(attributes.most) <= 4_000)
      #expect(attributes.native.fragsize == .max)
    }

    @Test(arguments: [(nil, 10), (0, 10), (14, 10), (20, 20), (100, 100), (9_000, 1_000)])
    func asksForFragmentsOfTheWish(wish: Int?, fragment: Int) {
      let attributes = PulseBufferAttributes(.capture, format: .stereo, latency: wish.map { .milliseconds($0) })
      #expect(milliseconds(attributes.step, .stereo) == fragment)
      #expect(milliseconds(attributes.most, .stereo) == max(500, 2 * fragment))
      #expect(attributes.native.tlength == .max && attributes.native.minreq == .max && attributes.native.prebuf == .max)
    }

    @Test func keepsToWholeFramesAndPeriods() throws {
      let format = try AudioFormat(sampleRate: 11_025, channelCount: 3)
      let render = PulseBufferAttributes(.render, format: format, latency: .milliseconds(33))
      #expect(Int(render.step) == format.bytesPerPeriod)
      #expect(Int(render.target) % format.bytesPerFrame == 0 && Int(render.most) % format.bytesPerFrame == 0)
      let capture = PulseBufferAttributes(.capture, format: format, latency: .milliseconds(33))
      #expect(Int(capture.step) == 3 * format.bytesPerPeriod)
    }

    @Test func asksAgainWhereADeviceIsLimited() {
      func granted(milliseconds: UInt32) -> PulseBufferAttributes {
        var native = PulseBufferAttributes(.render, format: .voice, latency: nil).native
        native.tlength = milliseconds * 96
        return PulseBufferAttributes(.render, granted: native)
      }
      let asked = PulseBufferAttributes(.render, format: .voice, latency: .milliseconds(300))
      let corrected = asked.corrected(granted: granted(milliseconds: 530))
      #expect(corrected.map { milliseconds($0.target) } == 350)
      // As wished, or nearly.
      #expect(asked.corrected(granted: granted(milliseconds: 305)) == nil)
      // The device alone is slower than the wish: asking for less does not make it quicker.
      let quick = PulseBufferAttributes(.render, format: .voice, latency: nil)
      #expect(quick.corrected(granted: granted(milliseconds: 170)) == nil)
    }
  }

  extension PulseTests {
    @Suite struct GrantedAttributes {
      @Test(arguments: SoundServerKind.allCases) func areThoseOfTheDefault(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let probe = StreamProbe()
        let output = try #require(try rig.open(.render, probe, device: "spk") as? PulseStream)
        let input = try #require(try rig.open(.capture, probe, device: "spk.monitor") as? PulseStream)
        let granted = try #require(output.bufferAttributes)
        // Asked for 40 ms, of which the device takes 10.
        #expect(granted.target == 30 * 96 && granted.step == 10 * 96 && granted.start == 10 * 96)
        #expect(granted.most <= 500 * 96)
        let fragments = try #require(input.bufferAttributes)
        #expect(fragments.step == 10 * 96 && fragments.most <= 500 * 96)
        output.close()
        input.close()
      }

      /// The least that can be wished works as any other, with half the delay of the default.
      @Test(arguments: SoundServerKind.allCases) func areThoseOfTheLeast(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let probe = StreamProbe()
        let output = try #require(try rig.open(.render, probe, device: "spk", latency: .zero) as? PulseStream)
        let granted = try #require(output.bufferAttributes)
        if kind == .pulseAudio {
          // Asked for 20 ms, of which the device takes 5.
          #expect(granted.target == 15 * 96 && granted.step == 5 * 96 && granted.start == 10 * 96)
        } else {
          #expect(granted.target <= 30 * 96)
        }
        probe.meter(output)
        try output.start()
        #expect(probe.waitForPeriods(200, .render))
        output.close()
        let delays = probe.render.suffix(100).map { $0.delay / .milliseconds(1) }.sorted()
        let told = try #require(delays.dropFirst(50).first)
        // What is written last waits for what was written before, one period at the least and two at the most.
        if kind == .pulseAudio { #expect(told < 20, "\(told)") }
      }

      @Test(arguments: SoundServerKind.allCases, [60, 100, 300]) func areThoseOfTheWish(
        kind: SoundServerKind, wish: Int
      ) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let probe = StreamProbe()
        let latency = Duration.milliseconds(wish)
        let output = try #require(try rig.open(.render, probe, device: "spk", latency: latency) as? PulseStream)
        let granted = try #require(output.bufferAttributes)
        #expect(abs(Int(granted.target) / 96 - wish) <= 10)
        probe.meter(output)
        try output.start()
        #expect(probe.waitForPeriods(wish / 10 + 200, .render))
        output.close()
        // The device takes its part at once: the first period after that waits as long as was wished, the next ones
        // longer.
        let delays = probe.render.suffix(100).map { $0.delay / .milliseconds(1) }.sorted()
        let told = try #require(delays.dropFirst(5).first)
        // A null sink of PipeWire tells no delay of its own, which is the larger part of a large wish.
        if kind == .pulseAudio { #expect(abs(told - Double(wish)) < 15, "\(told)") }
      }
    }
  }
#endif
