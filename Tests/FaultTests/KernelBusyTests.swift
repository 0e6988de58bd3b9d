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

    /// Waits until the tries are as far apart as they get, and expects that the client is fed meanwhile.
    private func waitForLateTries(_ call: ALSACall, _ directions: [AudioDirection]) async {
      let (begun, before) = (AudioInstant.now, directions.map { call.periods($0) })
      #expect(await becomesTrue(within: .seconds(20)) { AudioInstant.now - begun > .seconds(3) })
      for (direction, before) in zip(directions, before) {
        #expect(call.periods(direction) - before > 200, "\(direction)")
        let gates = call.manager.gates
        #expect(direction == .capture ? gates.captureIsWished : gates.renderingIsWished)
        #expect(direction == .capture ? !call.device.isCapturing : !call.device.isRendering)
      }
    }

    /// Lets the device go, and expects that the call has it within two seconds, and what this machine needs to look.
    private func release(_ held: [HeldPCM], to call: ALSACall, _ directions: [AudioDirection]) async {
      let look = ContinuousClock().measure { _ = try? call.manager.devices() }
      let before = directions.map { call.frames($0) }
      let released = AudioInstant.now
      for held in held { held.release() }
      for (direction, before) in zip(directions, before) {
        #expect(await becomesTrue(within: .seconds(20)) { call.frames(direction) > before }, "\(call.log.story)")
        let taken = AudioInstant.now - released
        print("\(direction): the call has the released device after \(taken)")
        #expect(taken < .seconds(2) + look * 2)
      }
      for direction in directions { #expect(await call.runs(direction), "\(call.log.story)") }
    }

    @Test func isTakenAtTheStart() async throws {
      let held = try AudioDirection.allCases.map { try KernelCard.hda.hold($0) }
      let call = try makeCall()
      defer { call.end() }
      for start in [call.manager.startCapture, call.manager.startRendering] {
        let error = #expect(throws: AudioDeviceError.self) { try start() }
        #expect(error?.code == .deviceBusy && error?.message.contains("Close that program") == true, "\(error as Any)")
      }
      await waitForLateTries(call, AudioDirection.allCases)
      #expect(AudioDirection.allCases.allSatisfy { call.frames($0) == 0 })
      await release(held, to: call, AudioDirection.allCases)
      #expect(call.log.count("lost") == 0, "\(call.log.story)")
      for direction in AudioDirection.allCases {
        #expect(call.log.count("failed", direction) == 1, "\(call.log.story)")
        #expect(call.log.count("recovered", direction) == 1, "\(call.log.story)")
        #expect(call.manager.statistics[direction].silentFrames > 0)
      }
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
      await waitForLateTries(call, [.render])
      await release([taken], to: call, [.render])
      #expect(call.log.count("lost") == 1 && call.log.count("recovered", .render) == 1, "\(call.log.story)")
      #expect(call.log.count("failed") == 0, "\(call.log.story)")
    }
  }
#endif
