#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Testing

  @testable import ALSABackend

  /// Streams across the machine's sleep, on the kernel's own drivers: one that can resume, one that cannot.
  @Suite(.enabled(if: KernelCard.isLane)) struct SuspendedKernelALSATests {
    @Test func streamsGoOnAfterTheMachinesSleep() async throws {
      let loopback = try OpenStream("hw:CARD=Loopback,DEV=0", .render)
      defer { loopback.stream.close() }
      let playback = try OpenStream("hw:CARD=HDA,DEV=0", .render)
      defer { playback.stream.close() }
      let capture = try OpenStream("hw:CARD=HDA,DEV=0", .capture)
      defer { capture.stream.close() }
      let all = [loopback, playback, capture]
      for open in all { #expect(await becomesTrue(within: .seconds(10)) { open.frames > 24_000 }) }
      let lost = all.map { $0.stream.statistics.lostFrames }
      try KernelCard.suspendMachine()
      let frames = all.map(\.frames)
      for (open, frames) in zip(all, frames) {
        #expect(await becomesTrue(within: .seconds(10)) { open.frames > frames + 48_000 })
        #expect(open.client.losses.isEmpty)
      }
      // HDA cannot resume: it began anew, and what that cost is counted.
      for index in 1...2 { #expect(all[index].stream.statistics.lostFrames > lost[index]) }
    }
  }
#endif
