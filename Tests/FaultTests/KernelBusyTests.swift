#if ALSA
  import AudioDeviceKit
  import AudioTestSupport
  import RealtimeSupport
  import Testing

  /// Calls on a card that another program has: `EBUSY`.
  @Suite(.enabled(if: KernelCard.isLane), .serialized) struct KernelBusyTests {
    private static let route = AudioRoute.device("hw:CARD=HDA,DEV=0", orDefault: false)

    private func makeCall() throws -> ALSACall {
      try ALSACall(input: Self.route, output: Self.route, latency: .milliseconds(200))
    }

    /// Lets the device go, and expects that the call has it within two seconds.
    private func release(_ held: HeldPCM, to call: ALSACall, _ direction: AudioDirection) async {
      let released = AudioInstant.now
      held.release()
      #expect(await call.runs(direction, frames: 0), "\(call.log.story)")
      let taken = AudioInstant.now - released
      print("\(direction): the call has the released device after \(taken)")
      #expect(taken < .seconds(2))
      #expect(await call.runs(direction), "\(call.log.story)")
    }

    @Test(arguments: AudioDirection.allCases) func isTakenAtTheStart(direction: AudioDirection) async throws {
      let held = try KernelCard.hda.hold(direction)
      let call = try makeCall()
      defer { call.end() }
      let error = #expect(throws: AudioDeviceError.self) {
        if direction == .capture { try call.manager.startCapture() } else { try call.manager.startRendering() }
      }
      #expect(error?.code == .deviceBusy && error?.message.contains("Close that program") == true, "\(error as Any)")
      // The wish stays and the client is fed, for so long that the tries are as far apart as they get.
      let (begun, periods) = (AudioInstant.now, call.periods(direction))
      #expect(await becomesTrue(within: .seconds(20)) { AudioInstant.now - begun > .seconds(4) })
      let gates = call.manager.gates
      #expect(direction == .capture ? gates.captureIsWished : gates.renderingIsWished)
      #expect(call.periods(direction) - periods > 200)
      #expect(call.frames(direction) == 0)
      await release(held, to: call, direction)
      #expect(call.log.count("failed", direction) == 1 && call.log.count("lost") == 0, "\(call.log.story)")
      #expect(call.log.count("recovered", direction) == 1, "\(call.log.story)")
      #expect(call.manager.statistics[direction].silentFrames > 0)
    }

    /// Another program is faster when the card is put back.
    @Test func isTakenWhenItComesBack() async throws {
      let call = try makeCall()
      defer { call.end() }
      try call.manager.startRendering()
      #expect(await call.runs(.render))
      var held: HeldPCM?
      // The call may be faster; then it is done again.
      for _ in 0..<5 where held == nil {
        call.log.clear()
        try KernelCard.hda.unplug()
        #expect(await becomesTrue(within: .seconds(10)) { call.log.count("lost", .render) == 1 }, "\(call.log.story)")
        let taking = Task.detached { () -> HeldPCM? in
          var held: HeldPCM?
          _ = eventually(within: .seconds(30)) {
            held = try? KernelCard.hda.hold(.render)
            return held != nil || call.device.isRendering
          }
          return held
        }
        try KernelCard.hda.replug()
        held = await taking.value
      }
      let taken = try #require(held, "\(call.log.story)")
      let (begun, reads) = (AudioInstant.now, call.bus.reads)
      #expect(await becomesTrue(within: .seconds(20)) { AudioInstant.now - begun > .seconds(4) })
      #expect(call.bus.reads - reads > 200)
      #expect(!call.device.isRendering && call.manager.gates.renderingIsWished)
      await release(taken, to: call, .render)
      #expect(call.log.count("lost") == 1 && call.log.count("recovered", .render) == 1, "\(call.log.story)")
      #expect(call.log.count("failed") == 0, "\(call.log.story)")
    }
  }
#endif
