#if ALSA
  import AudioDeviceKit
  import AudioTestSupport
  import Testing

  /// Calls across the machine's sleep (`ESTRPIPE`), on cards that can resume and on cards that cannot.
  @Suite(.enabled(if: KernelCard.isLane)) struct SuspendedKernelCallTests {
    @Test func callsGoOnAfterTheMachinesSleep() async throws {
      let loopback = try ALSACall(
        input: .device("hw:CARD=Loopback,DEV=1"), output: .device("hw:CARD=Loopback,DEV=0"),
        latency: .milliseconds(200))
      defer { loopback.end() }
      let hda = try ALSACall(
        input: .device("hw:CARD=HDA,DEV=0"), output: .device("hw:CARD=HDA,DEV=0"), latency: .milliseconds(200))
      defer { hda.end() }
      try await loopback.startBoth()
      try await hda.startBoth()
      #expect(await becomesTrue(within: .seconds(20)) { loopback.bus.isLive() })
      let before = hda.manager.statistics

      try KernelCard.suspendMachine()
      loopback.bus.clear()
      for call in [loopback, hda] {
        #expect(await call.runsBoth(frames: 48_000), "\(call.log.story)")
      }
      // The client hears itself again.
      #expect(await becomesTrue(within: .seconds(20)) { loopback.bus.isLive() }, "\(loopback.log.story)")
      // A stream gets over it by itself, so nobody is told of a loss.
      for call in [loopback, hda] {
        #expect(call.log.count("lost") == 0 && call.log.count("failed") == 0, "\(call.log.story)")
      }
      // HDA began anew, and what that cost is counted.
      for direction in AudioDirection.allCases {
        #expect(hda.manager.statistics[direction].lostFrames > before[direction].lostFrames)
      }
    }
  }
#endif
