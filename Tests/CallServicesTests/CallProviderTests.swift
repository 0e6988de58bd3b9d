#if CallServices
  import AudioDeviceKit
  import AudioTestSupport
  import Foundation
  import RealtimeSupport
  import Testing

  @testable import CallServices

  /// Calls without any desktop.
  @Suite(.timeLimit(.minutes(1))) struct CallProviderTests {
    @Test func anIncomingCallRingsAndHasTheAudioOnceItIsAnswered() async throws {
      let bench = try CallBench()
      #expect(bench.manager.audioSessionManager.isCallingServicesModeEnabled)
      #expect(await eventually { () async in bench.isSilent })
      let performs = Latch()
      let asked = Latch()
      bench.app.script.withLock {
        $0 = { _, _ in
          asked.open()
          await performs.wait()
        }
      }
      try bench.ring()
      #expect(await eventually { () async in bench.ringer.isRinging })
      #expect(bench.provider.call?.state == .ringing)
      #expect(!bench.manager.audioSessionManager.isActive)

      async let answered: Void = bench.provider.request(.answer(bench.id))
      await asked.wait()
      // The ringing ends at once; the audio waits for the app.
      #expect(await eventually { () async in !bench.ringer.isRinging })
      #expect(bench.provider.call?.state == .connecting)
      #expect(!bench.manager.audioSessionManager.isActive)
      #expect(bench.isSilent)
      performs.open()
      try await answered
      #expect(bench.provider.call?.state == .connected)
      #expect(bench.manager.audioSessionManager.session?.mode == .voiceChat)
      #expect(await eventually { () async in bench.hasAudio })

      try await bench.provider.request(.end(bench.id))
      #expect(bench.provider.call == nil)
      #expect(await eventually { () async in bench.isSilent })
      #expect(bench.app.actions == [.answer(bench.id), .end(bench.id)])
      #expect(await eventually { () async in bench.states == [.ringing, .connecting, .connected, .ended(.ended)] })
      #expect(bench.ringer.starts == 1)
    }

    @Test func theModeIsThatOfTheCallUnlessItIsSet() async throws {
      let bench = try CallBench()
      try bench.ring(hasVideo: true)
      try await bench.provider.request(.answer(bench.id))
      #expect(bench.manager.audioSessionManager.session?.mode == .videoChat)
      try await bench.provider.request(.end(bench.id))
      try await bench.connect()
      #expect(bench.manager.audioSessionManager.session?.mode == .voiceChat)

      let other = try CallBench { $0.mode = .videoChat }
      try await other.connect()
      #expect(other.manager.audioSessionManager.session?.mode == .videoChat)
    }

    @Test func aSecondCallIsRefusedWhileThereIsOne() async throws {
      let bench = try CallBench()
      try bench.ring()
      let incoming = #expect(throws: CallError.self) {
        try bench.provider.reportIncomingCall(id: UUID(), caller: "Bob")
      }
      #expect(incoming?.code == .callInProgress)
      let outgoing = await #expect(throws: CallError.self) {
        try await bench.provider.request(.start(UUID(), callee: "Bob", hasVideo: false))
      }
      #expect(outgoing?.code == .callInProgress)
      #expect(bench.provider.call?.id == bench.id)
      let unknown = await #expect(throws: CallError.self) { try await bench.provider.request(.answer(UUID())) }
      #expect(unknown?.code == .unknownCall)
      #expect(bench.app.actions.isEmpty)
    }

    @Test func anOutgoingCallHasTheAudioOnceItIsStarted() async throws {
      let bench = try CallBench()
      try await bench.provider.request(.start(bench.id, callee: "Bob", hasVideo: false))
      // The other side is being rung, and that is to be heard.
      #expect(bench.provider.call?.state == .connecting)
      #expect(await eventually { () async in bench.hasAudio })
      let early = await #expect(throws: CallError.self) {
        try await bench.provider.request(.hold(bench.id, true))
      }
      #expect(early?.code == .wrongMoment)
      try bench.provider.reportOutgoingCallConnected(id: bench.id)
      #expect(bench.provider.call?.state == .connected)
      #expect(bench.hasAudio)
      #expect(bench.ringer.starts == 0)
      try bench.provider.reportCallEnded(id: bench.id, reason: .remoteEnded)
      #expect(await eventually { () async in bench.isSilent })
      // Who reports the end knows of it.
      #expect(bench.app.actions == [.start(bench.id, callee: "Bob", hasVideo: false)])
      #expect(await eventually { () async in bench.states.last == .ended(.remoteEnded) })
    }

    @Test func holdGivesTheDevicesUpAndKeepsTheCall() async throws {
      let bench = try CallBench()
      try await bench.connect()
      for _ in 0..<3 {
        try await bench.provider.request(.hold(bench.id, true))
        #expect(bench.provider.call?.state == .held)
        #expect(await eventually { () async in bench.isSilent })
        try await bench.provider.request(.hold(bench.id, false))
        #expect(bench.provider.call?.state == .connected)
        #expect(await eventually { () async in bench.hasAudio })
      }
      try await bench.provider.request(.hold(bench.id, true))
      let again = await #expect(throws: CallError.self) {
        try await bench.provider.request(.hold(bench.id, true))
      }
      #expect(again?.code == .wrongMoment)
      // The end works on hold.
      try await bench.provider.request(.end(bench.id))
      #expect(bench.provider.call == nil)
      #expect(await eventually { () async in bench.states.last == .ended(.ended) })
    }

    @Test func whatTheAppRefusesIsNotDone() async throws {
      let bench = try CallBench()
      bench.app.script.withLock { $0 = { _, _ in throw ScriptedApp.Refusal() } }
      try bench.ring()
      let answer = await #expect(throws: CallError.self) { try await bench.provider.request(.answer(bench.id)) }
      #expect(answer?.code == .refused)
      #expect(await eventually { () async in bench.states.last == .ended(.failed) })
      #expect(bench.provider.call == nil)

      bench.app.script.withLock { $0 = nil }
      try await bench.connect()
      bench.app.script.withLock { $0 = { _, _ in throw ScriptedApp.Refusal() } }
      await #expect(throws: CallError.self) { try await bench.provider.request(.hold(bench.id, true)) }
      #expect(bench.provider.call?.state == .connected)
      #expect(bench.hasAudio)
      // An end cannot be refused.
      try await bench.provider.request(.end(bench.id))
      #expect(bench.provider.call == nil)
    }

    @Test func anActionWithoutAnAnswerCountsAsPerformed() async throws {
      let bench = try CallBench { $0.actionLimit = .milliseconds(50) }
      let never = Latch()
      defer { never.open() }
      bench.app.script.withLock { $0 = { _, _ in await never.wait() } }
      try bench.ring()
      try await bench.provider.request(.answer(bench.id))
      #expect(bench.provider.call?.state == .connected)
      #expect(await eventually { () async in bench.log.count(.actionTimedOut(.answer(bench.id))) == 1 })
      #expect(await eventually { () async in bench.hasAudio })
    }

    @Test func anEndDoesNotWaitForTheActionBefore() async throws {
      let bench = try CallBench()
      let never = Latch()
      defer { never.open() }
      let asked = Latch()
      bench.app.script.withLock {
        $0 = { action, _ in
          guard case .answer = action else { return }
          asked.open()
          await never.wait()
        }
      }
      try bench.ring()
      async let answer: CallError? = {
        do throws(CallError) { try await bench.provider.request(.answer(bench.id)) } catch { return error }
        return nil
      }()
      await asked.wait()
      try await bench.provider.request(.end(bench.id))
      #expect(await answer?.code == .callEnded)
      #expect(bench.provider.call == nil)
      // What the app says about the old call does nothing to the next.
      try bench.ring("Bob")
      never.open()
      #expect(await eventually { () async in bench.ringer.isRinging })
      #expect(bench.provider.call?.state == .ringing)
    }

    @Test func aCallThatNobodyAnswersIsOver() async throws {
      let bench = try CallBench { $0.answerLimit = .milliseconds(50) }
      try bench.ring()
      #expect(await eventually { () async in bench.states.last == .ended(.unanswered) })
      #expect(await eventually { () async in !bench.ringer.isRinging })
      // The app has to tell the other side.
      #expect(await eventually { () async in bench.app.actions == [.end(bench.id)] })
    }

    @Test func aRingtoneThatCannotPlayIsToldAndTheCallGoesOn() async throws {
      let bench = try CallBench()
      let failure = AudioDeviceError(.fileNotFound, "No ringtone.")
      bench.ringer.failure.withLock { $0 = failure }
      try bench.ring()
      #expect(await eventually { () async in bench.log.count(.ringtoneFailed(bench.id, failure)) == 1 })
      try await bench.provider.request(.answer(bench.id))
      #expect(await eventually { () async in bench.hasAudio })
    }

    @Test func withoutADelegateAllSucceeds() async throws {
      let bench = try CallBench()
      bench.provider.delegate = nil
      try await bench.connect()
      try await bench.provider.request(.end(bench.id))
      #expect(bench.app.actions.isEmpty)
    }

    @Test func aResetEndsTheCallAndTellsTheApp() async throws {
      let bench = try CallBench()
      try await bench.connect()
      bench.provider.reset()
      #expect(await eventually { () async in bench.app.resets == 1 })
      #expect(await eventually { () async in bench.states.last == .ended(.reset) && bench.isSilent })
      try await bench.connect()
      bench.provider.invalidate()
      #expect(await eventually { () async in bench.app.resets == 2 && bench.log.hasEnded == false && bench.isSilent })
      let late = #expect(throws: CallError.self) { try bench.ring() }
      #expect(late?.code == .invalidated)
    }

    // MARK: Mute

    @Test func muteIsSoftAndUndoneWithTheCall() async throws {
      let bench = try CallBench()
      try await bench.connect()
      try await bench.provider.request(.mute(bench.id, true))
      #expect(bench.manager.isAudioSoftMuted && !bench.manager.isAudioHardMuted)
      #expect(bench.provider.call?.isMuted == true)
      #expect(bench.device.isCapturing)
      try await bench.provider.request(.end(bench.id))
      // The next call is not muted by the last one.
      #expect(await eventually { () async in !bench.manager.isAudioSoftMuted })
      try await bench.connect()
      #expect(bench.provider.call?.isMuted == false)
    }

    @Test func aHardMuteClosesTheMicrophone() async throws {
      let bench = try CallBench { $0.mutesHard = true }
      try await bench.connect()
      try await bench.provider.request(.mute(bench.id, true))
      #expect(await eventually { () async in !bench.device.isCapturing })
      #expect(bench.device.isRendering)
      try await bench.provider.request(.mute(bench.id, false))
      #expect(await eventually { () async in bench.device.isCapturing })
      #expect(!bench.manager.isAudioHardMuted)
    }

    @Test func whatTheAppDoesNotMuteIsNotMuted() async throws {
      let bench = try CallBench()
      try await bench.connect()
      bench.app.script.withLock { $0 = { _, _ in throw ScriptedApp.Refusal() } }
      let refusal = await #expect(throws: CallError.self) {
        try await bench.provider.request(.mute(bench.id, true))
      }
      #expect(refusal?.code == .refused)
      #expect(await eventually { () async in !bench.manager.isAudioSoftMuted })
      #expect(bench.provider.call?.isMuted == false)
    }

    @Test func manyMutesAreFewForTheApp() async throws {
      let bench = try CallBench()
      try await bench.connect()
      let start = AudioInstant.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        // 21 wishes at once, the last of which is to mute; all of them are answered.
        for number in 0...20 {
          let wish = number.isMultiple(of: 2)
          // In their order: each is on its way before the next.
          let isAccepted = Latch()
          group.addTask {
            isAccepted.open()
            try await bench.provider.request(.mute(bench.id, wish))
          }
          await isAccepted.wait()
        }
        try await group.waitForAll()
      }
      let mutes = bench.app.actions.filter { if case .mute = $0 { true } else { false } }
      // One at once, and at most one in each second that has begun since.
      let seconds = Int((AudioInstant.now - start) / .seconds(1))
      #expect(mutes.count >= 2 && mutes.count <= 2 + seconds, "\(mutes.count) in \(seconds) s")
    }

    @Test func theLastWishIsTheOneThatStays() async throws {
      let bench = try CallBench()
      try await bench.connect()
      for wish in [true, false, true, false] {
        async let _: Void? = try? bench.provider.request(.mute(bench.id, wish))
      }
      try await bench.provider.request(.mute(bench.id, true))
      #expect(bench.provider.call?.isMuted == true)
      #expect(bench.manager.isAudioSoftMuted)
      #expect(bench.app.actions.last == .mute(bench.id, true))
    }
  }
#endif
