#if ALSA
  import AudioTestSupport
  import CALSA
  import Foundation
  import RealtimeSupport
  import Testing

  /// That the kernel lane is what its tests take it for: the cards are there, move samples, and come and go.
  @Suite(.enabled(if: KernelCard.isLane)) struct KernelLaneTests {
    @Test func theCardsAreListed() throws {
      #expect(try cardNames() == ["Loopback", "HDA", "USB"])
    }

    @Test func theLoopbackIsBitExact() throws {
      let capture = try KernelPCM("hw:Loopback,1,0", SND_PCM_STREAM_CAPTURE)
      let playback = try KernelPCM("hw:Loopback,0,0", SND_PCM_STREAM_PLAYBACK)
      // Noise without a zero, so that its beginning is found; then silence, because a PCM that runs dry stops short.
      var state: UInt32 = 2_463_534_242
      let noise = (0..<24_000 * 2).map { _ in
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return Int16(truncatingIfNeeded: state) | 1
      }
      let silence = [Int16](repeating: 0, count: playback.bufferFrames * 2 - noise.count)
      try capture.start()
      try playback.write(noise + silence)
      #expect(playback.state == SND_PCM_STATE_RUNNING)
      let recorded = try Array(capture.read(frames: 40_000).drop { $0 == 0 })
      let firstDifference = noise.indices.first { $0 >= recorded.count || recorded[$0] != noise[$0] }
      #expect(firstDifference == nil)
    }

    @Test(arguments: ["hw:HDA,0", "hw:USB,0"]) func takesFramesAtItsOwnPace(name: String) throws {
      let playback = try KernelPCM(name, SND_PCM_STREAM_PLAYBACK, buffer: .milliseconds(300))
      let began = ContinuousClock.now
      try playback.write([Int16](repeating: 1, count: playback.bufferFrames * 2))
      // A PCM that has played all it had is in an xrun.
      #expect(eventually { playback.state == SND_PCM_STATE_XRUN })
      #expect(ContinuousClock.now - began > .milliseconds(250))
    }

    @Test(arguments: KernelCard.allCases) func isUnpluggedUnderAStream(card: KernelCard) throws {
      let unplugged = Locked<Result<Void, any Error>?>(nil)
      do {
        let playback = try KernelPCM("hw:\(card.rawValue),0", SND_PCM_STREAM_PLAYBACK, buffer: .milliseconds(300))
        try playback.write([Int16](repeating: 1, count: playback.bufferFrames * 2))
        Thread.detachNewThread {
          let result = Result { try card.unplug() }
          unplugged.withLock { $0 = result }
        }
        #expect(eventually { playback.currentError() == -Int(ENODEV) })
      }
      #expect(eventually { unplugged.withLock { $0 != nil } })
      try unplugged.withLock { try $0?.get() }
      #expect(eventually { !card.isPresent })
      #expect(try !cardNames().contains(card.rawValue))

      try card.replug()
      #expect(eventually(within: .seconds(20)) { card.isPresent })
      #expect(
        eventually {
          (try? KernelPCM("hw:\(card.rawValue),0", SND_PCM_STREAM_PLAYBACK, buffer: .milliseconds(300))) != nil
        })
    }

    @Test(arguments: [0.98, 1.02]) func theLoopbackRunsAtAnotherRate(ratio: Double) throws {
      try KernelCard.setLoopbackClock(ratio)
      defer { try? KernelCard.setLoopbackClock(1) }
      let capture = try KernelPCM("hw:Loopback,1,0", SND_PCM_STREAM_CAPTURE)
      try capture.start()
      var read = try capture.read(frames: 4_800).count / 2
      let first = try capture.position(afterReading: read)
      read += try capture.read(frames: 96_000).count / 2
      let last = try capture.position(afterReading: read)
      let measured = Double(last.frames - first.frames) / (last.seconds - first.seconds) / 48_000
      #expect(abs(measured - ratio) < 0.005)
    }

    /// What libasound lists, in the order of the cards' numbers.
    private func cardNames() throws -> [String] {
      var names: [String] = []
      var card: Int32 = -1
      while snd_card_next(&card) == 0, card >= 0 {
        var control: OpaquePointer?
        guard snd_ctl_open(&control, "hw:\(card)", 0) == 0 else { continue }
        defer { snd_ctl_close(control) }
        var info: OpaquePointer?
        guard snd_ctl_card_info_malloc(&info) == 0 else { continue }
        defer { snd_ctl_card_info_free(info) }
        if snd_ctl_card_info(control, info) == 0 { names.append(String(cString: snd_ctl_card_info_get_id(info))) }
      }
      return names
    }
  }
#endif
