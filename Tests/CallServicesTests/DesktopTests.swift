#if CallServices
  import AudioDeviceKit
  import AudioTestSupport
  import Foundation
  import Glibc
  import PulseBackend
  import Testing

  @testable import CallServices

  extension CallServicesTests {
    /// Calls on a desktop: a private bus with mocks of its services, which write down what they are told.
    @Suite struct DesktopTests {
      private let bus: MessageBus

      init() throws { bus = try MessageBus() }

      // MARK: Notifications

      @Test func anIncomingCallIsShownAndItsNoticeGoesWhenItIsAnswered() async throws {
        defer { bus.stop() }
        let service = try BusService.notifications(on: bus)
        let bench = try CallBench(on: bus)
        try bench.ring("Ann")
        #expect(await eventually { () async in service.calls(of: "Notify").count == 1 })
        let shown = try #require(service.calls(of: "Notify").first)
        for part in [
          "Phone", "Ann", "Incoming call", "answer", "Answer", "decline", "Decline", "call.incoming", "urgency",
        ] {
          #expect(shown.contains(part), "\(part) is not in \(shown)")
        }
        #expect(service.calls(of: "CloseNotification").isEmpty)
        try await bench.provider.request(.answer(bench.id))
        #expect(await eventually { () async in service.calls(of: "CloseNotification") == ["CloseNotification 1"] })
        #expect(!bench.log.missing.contains(.notifications))
      }

      @Test(arguments: ["answer", "decline"]) func theButtonsOfTheNoticeWork(button: String) async throws {
        defer { bus.stop() }
        let service = try BusService.notifications(on: bus)
        let bench = try CallBench(on: bus)
        try bench.ring()
        #expect(await eventually { () async in service.calls(of: "Notify").count == 1 })
        // Of another program's notice first.
        try service.emit("org.freedesktop.Notifications.ActionInvoked", "us", "[<uint32 99>, <'\(button)'>]")
        try service.emit("org.freedesktop.Notifications.ActionInvoked", "us", "[<uint32 1>, <'\(button)'>]")
        if button == "answer" {
          #expect(await eventually { () async in bench.provider.call?.state == .connected && bench.hasAudio })
          #expect(bench.app.actions == [.answer(bench.id)])
        } else {
          #expect(await eventually { () async in bench.provider.call == nil && bench.states.last == .ended(.declined) })
          #expect(bench.isSilent && !bench.ringer.isRinging)
        }
        #expect(await eventually { () async in service.calls(of: "CloseNotification").count == 1 })
      }

      @Test func aNoticeThatIsClosedLeavesTheCallRinging() async throws {
        defer { bus.stop() }
        let service = try BusService.notifications(on: bus)
        let bench = try CallBench(on: bus)
        try bench.ring()
        #expect(await eventually { () async in service.calls(of: "Notify").count == 1 })
        try service.emit("org.freedesktop.Notifications.NotificationClosed", "uu", "[<uint32 1>, <uint32 2>]")
        #expect(await eventually { () async in bench.log.count(.notificationDismissed(bench.id)) == 1 })
        #expect(bench.provider.call?.state == .ringing && bench.ringer.isRinging)
      }

      @Test func aDesktopThatStartsAnewShowsTheCallAgain() async throws {
        defer { bus.stop() }
        let service = try BusService.notifications(on: bus)
        let bench = try CallBench(on: bus)
        try bench.ring()
        #expect(await eventually { () async in service.calls(of: "Notify").count == 1 })
        service.kill()
        #expect(await eventually { () async in (try? bus.has(service.name)) == false })
        let again = try BusService.notifications(on: bus)
        #expect(await eventually { () async in again.calls(of: "Notify").count == 1 })
      }

      // MARK: What is missing

      @Test func withoutServicesTheCallWorksAndSaysWhatIsMissingOnce() async throws {
        defer { bus.stop() }
        let bench = try CallBench(on: bus) {
          $0.vibrates = true
          $0.pausesPlayers = true
        }
        for _ in 0..<2 {
          try await bench.connect()
          try await bench.provider.request(.end(bench.id))
          #expect(await eventually { () async in bench.isSilent })
        }
        #expect(
          await eventually { () async in Set(bench.log.missing) == [.notifications, .feedback, .sleep] },
          "\(bench.log.missing)")
        #expect(bench.log.missing.count == 3)
      }

      @Test func withoutABusTheCallWorks() async throws {
        defer { bus.stop() }
        let bench = try CallBench()
        try await bench.connect()
        try await bench.provider.request(.end(bench.id))
        #expect(await eventually { () async in bench.log.missing.contains(.notifications) && bench.isSilent })
        #expect(bench.provider.missingServices[.notifications] == .noBus)
      }

      @Test func aServiceThatHangsHoldsNothingUp() async throws {
        defer { bus.stop() }
        let service = try BusService.notifications(on: bus)
        let bench = try CallBench(on: bus)
        service.suspend()
        let start = ContinuousClock.now
        try bench.ring()
        #expect(ContinuousClock.now - start < .seconds(1))
        #expect(await eventually { () async in bench.ringer.isRinging })
        try await bench.provider.request(.answer(bench.id))
        #expect(await eventually { () async in bench.hasAudio })
        #expect(
          await eventually(within: .seconds(30)) { () async in
            bench.provider.missingServices[.notifications] == .timedOut
          })
        service.resume()
      }

      @Test func aBusThatGoesAndComesIsUsedAgain() async throws {
        defer { bus.stop() }
        let bench = try CallBench(on: bus)
        var service = try BusService.notifications(on: bus)
        try bench.ring()
        #expect(await eventually { () async in service.calls(of: "Notify").count == 1 })
        bus.kill()
        try await bench.provider.request(.answer(bench.id))
        #expect(await eventually { () async in bench.hasAudio })
        try await bench.provider.request(.end(bench.id))
        try bus.restart()
        service = try BusService.notifications(on: bus)
        try bench.ring()
        #expect(await eventually(within: .seconds(20)) { () async in service.calls(of: "Notify").count == 1 })
      }

      // MARK: Vibration

      @Test func itVibratesWhileItRings() async throws {
        defer { bus.stop() }
        let service = try BusService.feedback(on: bus)
        let bench = try CallBench(on: bus) { $0.vibrates = true }
        try bench.ring()
        #expect(await eventually { () async in service.calls(of: "TriggerFeedback").count == 1 })
        #expect(service.calls(of: "TriggerFeedback").first?.contains("phone-incoming-call") == true)
        try await bench.provider.request(.answer(bench.id))
        #expect(await eventually { () async in service.calls(of: "EndFeedback") == ["EndFeedback 7"] })
      }

      @Test func theRealFeedbackdTakesIt() async throws {
        defer { bus.stop() }
        _ = try BusService.notifications(on: bus)
        let service = try BusService.feedbackd(on: bus)
        let bench = try CallBench(on: bus) { $0.vibrates = true }
        try await bench.connect()
        try await bench.provider.request(.end(bench.id))
        #expect(try bus.has(service.name))
        #expect(!bench.log.missing.contains(.feedback), "\(bench.log.missing)")
      }

      // MARK: Sleep and the screen

      @Test func theMachineSleepsOnceTheAudioIsGivenUpAndTheCallGoesOnAfterwards() async throws {
        defer { bus.stop() }
        let service = try BusService.logind(on: bus)
        let bench = try CallBench(on: bus)
        try await bench.connect()
        #expect(await eventually { () async in service.calls(of: "Inhibit").count == 1 })
        #expect(service.calls(of: "Inhibit").first?.contains("delay") == true)
        try service.emit("org.freedesktop.login1.Manager.PrepareForSleep", "b", "[<true>]")
        #expect(await eventually { () async in bench.isSilent && bench.manager.gates.isInterrupted })
        #expect(await eventually { () async in service.calls(of: "Released").count == 1 })
        bench.asleep.withLock { $0 = .seconds(3600) }
        try service.emit("org.freedesktop.login1.Manager.PrepareForSleep", "b", "[<false>]")
        #expect(await eventually { () async in bench.hasAudio })
        #expect(await eventually { () async in bench.log.count(.wokeUp(asleep: .seconds(3600))) == 1 })
        #expect(bench.provider.call?.state == .connected)
        // The next sleep has to wait as well.
        #expect(await eventually { () async in service.calls(of: "Inhibit").count == 2 })
      }

      @Test func theScreensLockIsToldAndTheCallGoesOn() async throws {
        defer { bus.stop() }
        let service = try BusService.logind(on: bus)
        let bench = try CallBench(on: bus)
        try await bench.connect()
        let path = try bus.call(
          "org.freedesktop.login1.Manager.GetSession", at: service.path, of: service.name, "'auto'")
        let session = try #require(path.split(separator: "'").dropFirst().first.map(String.init))
        #expect(await eventually { () async in service.calls(of: "GetSession").count > 1 })
        // Until its answer is there, whose session it is is not known.
        #expect(
          try await eventually { () async throws in
            try service.emit("org.freedesktop.login1.Session.Lock", "", "@av []", at: session)
            return await eventually(within: .milliseconds(300)) { () async in bench.log.count(.screenLocked(true)) == 1
            }
          })
        try service.emit("org.freedesktop.login1.Session.Unlock", "", "@av []", at: session)
        #expect(await eventually { () async in bench.log.count(.screenLocked(false)) == 1 })
        #expect(bench.hasAudio && bench.provider.call?.state == .connected)
      }

      // MARK: Players

      private func status(_ player: BusService) -> String {
        (try? player.property("PlaybackStatus", of: "org.mpris.MediaPlayer2.Player")) ?? ""
      }

      @Test func playersGiveWayAndExactlyThoseGoOn() async throws {
        defer { bus.stop() }
        let playing = try BusService.player("playing", "Playing", on: bus)
        let paused = try BusService.player("paused", "Paused", on: bus)
        let bench = try CallBench(on: bus) { $0.pausesPlayers = true }
        try await bench.connect()
        #expect(await eventually { () async in status(playing).contains("Paused") })
        try await bench.provider.request(.end(bench.id))
        #expect(await eventually { () async in status(playing).contains("Playing") })
        #expect(status(paused).contains("Paused") && paused.calls(of: "Play").isEmpty)
        #expect(await eventually { () async in bench.log.count(.playerResumed(playing.name)) == 1 })
      }

      @Test func withoutTheWishPlayersAreLeftAlone() async throws {
        defer { bus.stop() }
        let playing = try BusService.player("playing", "Playing", on: bus)
        let bench = try CallBench(on: bus)
        try await bench.connect()
        try await bench.provider.request(.end(bench.id))
        #expect(status(playing).contains("Playing") && playing.calls(of: "Pause").isEmpty)
      }

      // MARK: What is left

      @Test func fiftyCallsLeaveNothingBehind() async throws {
        defer { bus.stop() }
        let service = try BusService.notifications(on: bus)
        let bench = try CallBench(on: bus)
        func call() async throws {
          try await bench.connect()
          try await bench.provider.request(.mute(bench.id, true))
          try await bench.provider.request(.hold(bench.id, true))
          #expect(await eventually { () async in bench.isSilent })
          try await bench.provider.request(.hold(bench.id, false))
          #expect(await eventually { () async in bench.hasAudio })
          try await bench.provider.request(.end(bench.id))
          #expect(await eventually { () async in bench.isSilent })
          #expect(!bench.manager.isAudioSoftMuted, "a mute is the call's")
        }
        try await call()
        let before = try ProcessSnapshot()
        for _ in 0..<50 { try await call() }
        // One that was over before it could be shown is not shown.
        #expect(
          await eventually { () async in
            let shown = service.calls(of: "Notify").count
            return shown > 0 && service.calls(of: "CloseNotification").count == shown
          })
        #expect(await eventually { () async in (try? ProcessSnapshot().descriptorsOpened(since: before)) == [] })
        // Swift's and libdispatch's own threads come and go.
        let threads = try ProcessSnapshot().threadsStarted(since: before).filter {
          $0.hasPrefix("call") || $0.hasPrefix("audio")
        }
        #expect(threads.count <= 2, "\(threads)")
      }

      #if PulseAudio && MP3
        /// The microphone as a real sound server sees it, at each stage of a call.
        @Test func theServerSeesTheMicrophoneWhileTheCallHasTheAudioAlone() async throws {
          defer { bus.stop() }
          let server = try PulseServer.start()
          defer { server.stop() }
          let notifications = try BusService.notifications(on: bus)
          let folder = try ProcessWarden.shared().makeFolder("ringtone")
          try Subprocess.check(
            ["sox", "-n", "-r", "48000", "-c", "1", "\(folder)/ring.wav", "synth", "1", "sine", "660", "vol", "0.5"])
          try Subprocess.check(["lame", "--quiet", "\(folder)/ring.wav", "\(folder)/ring.mp3"])
          var audio = DefaultAudioDevice.Configuration()
          audio.backend = .custom(PulseBackend(server: server.serverString))
          let device = RingtoneAudioDevice(
            ringtone: URL(fileURLWithPath: "\(folder)/ring.mp3"), configuration: audio)
          let manager = AudioDeviceManager()
          try manager.setAudioBus(SilentBus())
          try manager.setAudioDevice(device)
          defer { try? manager.setAudioDevice(nil) }
          try manager.startCapture()
          try manager.startRendering()
          var configuration = CallProvider.Configuration(applicationName: "Phone")
          configuration.sessionBus = .address(bus.address)
          configuration.systemBus = .address(bus.address)
          let provider = try CallProvider(configuration: configuration, manager: manager)
          func streams() -> [[String?]] {
            guard let snapshot = try? server.snapshot() else { return [] }
            return [snapshot.sinkInputs, snapshot.sourceOutputs].map { streams in
              streams.filter { $0.processID == getpid() }.map(\.mediaName)
            }
          }
          let id = UUID()
          #expect(await eventually { () async in streams() == [[], []] })
          try provider.reportIncomingCall(id: id, caller: "Ann")
          #expect(await eventually { () async in streams() == [["Ringtone"], []] })
          #expect(await eventually { () async in notifications.calls(of: "Notify").count == 1 })
          try notifications.emit("org.freedesktop.Notifications.ActionInvoked", "us", "[<uint32 1>, <'answer'>]")
          #expect(await eventually { () async in streams() == [["Call"], ["Call microphone"]] })
          try await provider.request(.hold(id, true))
          #expect(await eventually { () async in streams() == [[], []] })
          try await provider.request(.hold(id, false))
          #expect(await eventually { () async in streams() == [["Call"], ["Call microphone"]] })
          try await provider.request(.end(id))
          #expect(await eventually { () async in streams() == [[], []] })
        }
      #endif
    }
  }
#endif
