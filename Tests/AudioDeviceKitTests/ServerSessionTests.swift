#if PulseAudio
  import AudioDeviceKit
  import AudioTestSupport
  import Glibc
  import PulseBackend
  import Testing

  /// What a session and an interruption mean to a sound server, looked at from its side.
  @Suite(.serialized) struct ServerSessionTests {
    /// A call on a server of its own.
    private struct Call {
      let server: any SoundServer
      let manager = AudioDeviceManager()
      let device: DefaultAudioDevice
      let bus = MirrorBus()
      var session: AudioSessionManager { manager.audioSessionManager }

      init(modules: [String] = [], _ change: (inout DefaultAudioDevice.Configuration) -> Void = { _ in }) throws {
        var settings = PulseServer.Configuration()
        settings.modules = modules
        let server = try PulseServer.start(settings)
        self.server = server
        var configuration = DefaultAudioDevice.Configuration()
        configuration.backend = .custom(PulseBackend(server: server.serverString))
        change(&configuration)
        device = DefaultAudioDevice(configuration)
        try manager.setAudioBus(bus)
        try manager.setAudioDevice(device)
      }

      func end() {
        manager.stopCapture()
        manager.stopRendering()
        try? manager.setAudioDevice(nil)
        server.stop()
      }

      func start() throws {
        try manager.startCapture()
        try manager.startRendering()
      }

      /// This process's streams. A filter's are the server's own.
      func inputs() throws -> [ServerSnapshot.Stream] {
        try server.snapshot().sinkInputs.filter { $0.processID == getpid() && $0.mediaName == "Call" }
      }
      func outputs() throws -> [ServerSnapshot.Stream] {
        try server.snapshot().sourceOutputs.filter { $0.processID == getpid() && $0.mediaName == "Call microphone" }
      }

      func eventuallyOn(_ sink: String?, _ source: String?) -> Bool {
        eventually(within: .seconds(5)) {
          (try? inputs().map(\.deviceName)) == (sink.map { [$0] } ?? [])
            && (try? outputs().map(\.deviceName)) == (source.map { [$0] } ?? [])
        }
      }
    }

    // MARK: Sessions

    private static let headset = [
      "module-null-sink sink_name=headset norewinds=1 sink_properties='device.class=sound device.form_factor=headset'",
      "module-remap-source source_name=boom master=micfeed.monitor source_properties='device.class=sound device.form_factor=headset'",
    ]

    @Test func voiceGoesToTheHeadsetWhileTheSessionIsActive() throws {
      let call = try Call(modules: Self.headset)
      defer { call.end() }
      try call.start()
      #expect(call.eventuallyOn("spk", "mic"))
      call.session.enableCallingServicesMode()
      #expect(call.eventuallyOn(nil, nil))
      call.session.preconfigureAudioSessionForCall(mode: .voiceChat)
      call.session.audioSessionDidActivate()
      #expect(call.eventuallyOn("headset", "boom"))
      #expect(try call.inputs().first?.mediaRole == "phone")
      call.session.audioSessionDidDeactivate()
      #expect(call.eventuallyOn(nil, nil))
      // The next call's mode counts, not that of the last one.
      call.session.preconfigureAudioSessionForCall(mode: .videoChat)
      call.session.audioSessionDidActivate()
      #expect(call.eventuallyOn("spk", "mic"))
    }

    @Test func aRouteThatWasSetIsKeptInASession() throws {
      let call = try Call(modules: Self.headset) { $0.outputRoute = .device("hdmi") }
      defer { call.end() }
      call.session.enableCallingServicesMode()
      try call.start()
      call.session.audioSessionDidActivate()
      #expect(call.eventuallyOn("hdmi", "boom"))
      #expect(call.device.route(for: .capture) == .systemDefault)
    }

    @Test func anEchoCancellerIsAskedForAndComesAndGoesWithTheSession() throws {
      let call = try Call(modules: ["module-filter-heuristics", "module-filter-apply autoclean=1"])
      defer { call.end() }
      call.session.enableCallingServicesMode()
      try call.start()
      call.session.audioSessionDidActivate()
      #expect(call.eventuallyOn("spk.echo-cancel", "mic.echo-cancel"))
      // It stays there: a filter is no other device.
      let captured = call.device.statistics.capture.frames
      #expect(eventually(within: .seconds(10)) { call.device.statistics.capture.frames > captured + 48_000 })
      #expect(call.eventuallyOn("spk.echo-cancel", "mic.echo-cancel"))
      #expect(call.device.statistics.capture.opens == 1 && call.device.statistics.render.opens == 1)
    }

    @Test func withoutTheWishThereIsNoEchoCanceller() throws {
      let call = try Call(modules: ["module-filter-heuristics", "module-filter-apply autoclean=1"]) {
        $0.sessionPolicy.wantsEchoCancellation = false
      }
      defer { call.end() }
      call.session.enableCallingServicesMode()
      try call.start()
      call.session.audioSessionDidActivate()
      #expect(call.eventuallyOn("spk", "mic"))
    }

    @Test func theLevelIsRaisedForTheSessionAndPutBack() throws {
      let call = try Call { $0.sessionPolicy.outputLevel = 0.7 }
      defer { call.end() }
      _ = try call.server.pactl("set-sink-volume", "spk", "30%")
      call.session.enableCallingServicesMode()
      try call.start()
      call.session.audioSessionDidActivate()
      func level() throws -> String { try call.server.pactl("get-sink-volume", "spk") }
      #expect(eventually(within: .seconds(5)) { (try? level())?.contains("70%") == true })
      call.session.audioSessionDidDeactivate()
      #expect(eventually(within: .seconds(5)) { (try? level())?.contains("30%") == true })
    }

    // MARK: Interruptions

    private static let rolePolicy = ["module-role-cork trigger_roles=alarm cork_roles=phone"]

    /// Plays an alarm, to which calls have to give way.
    private func alarm(_ server: any SoundServer) throws -> Playback {
      try server.startPlaying(
        Signal.tone(700, for: .seconds(60)), on: "spk", properties: ["media.role": "alarm"])
    }

    @Test func anAlarmTakesTheAudioAndGivesItBack() throws {
      let call = try Call(modules: Self.rolePolicy)
      defer { call.end() }
      let log = EventLog(call.manager)
      try call.start()
      #expect(call.eventuallyOn("spk", "mic"))
      let alarm = try alarm(call.server)
      defer { alarm.stop() }
      // The microphone is released, and the stream to the speaker waits for its return.
      #expect(call.eventuallyOn("spk", nil))
      #expect(eventually { (try? call.inputs().first?.isCorked) == true })
      #expect(call.manager.gates.decision == AudioDecision(capture: .silent, render: .held))
      // The client goes on meanwhile, with silence and at the pace.
      _ = call.bus.take()
      #expect(eventually(within: .seconds(10)) { call.bus.pending > 24_000 })
      #expect(call.bus.take().signal.isSilent())
      alarm.stop()
      #expect(call.eventuallyOn("spk", "mic"))
      #expect(eventually { (try? call.inputs().first?.isCorked) == false })
      #expect(eventually { log.names.filter { $0 == "interrupted" || $0 == "resumed" } == ["interrupted", "resumed"] })
      #expect(call.device.statistics.render.opens == 1)
    }

    @Test func theAppBecomingActiveTakesTheAudioBack() throws {
      let call = try Call(modules: Self.rolePolicy)
      defer { call.end() }
      try call.start()
      let alarm = try alarm(call.server)
      defer { alarm.stop() }
      #expect(call.eventuallyOn("spk", nil))
      // The rule ends with the alarm still there: nobody asks the call back.
      let module = try #require(try call.server.modules(named: "module-role-cork").first)
      try call.server.unloadModule(module)
      call.session.applicationDidBecomeActive()
      #expect(call.eventuallyOn("spk", "mic"))
      #expect(eventually { (try? call.inputs().first?.isCorked) == false })
    }

    @Test func aSuspendedSinkIsAnInterruptionOfTheSpeakerAlone() throws {
      let call = try Call()
      defer { call.end() }
      let log = EventLog(call.manager)
      try call.start()
      #expect(call.eventuallyOn("spk", "mic"))
      try call.server.suspendSink("spk", true)
      #expect(eventually { call.manager.gates.decision == AudioDecision(capture: .live, render: .held) })
      let captured = call.device.statistics.capture.frames
      #expect(eventually { call.device.statistics.capture.frames > captured + 9600 })
      try call.server.suspendSink("spk", false)
      #expect(eventually { call.manager.gates.decision.render == .live })
      let rendered = call.device.statistics.render.frames
      #expect(eventually { call.device.statistics.render.frames > rendered + 9600 })
      #expect(eventually { log.names.filter { $0 == "interrupted" || $0 == "resumed" } == ["interrupted", "resumed"] })
    }

    /// A sink that was idle, and so suspended, when the call began is no interruption.
    @Test func anIdleSinkThatWakesIsNoInterruption() throws {
      let call = try Call(modules: ["module-suspend-on-idle timeout=0"])
      defer { call.end() }
      let log = EventLog(call.manager)
      #expect(eventually { (try? call.server.snapshot().sinks.first { $0.name == "spk" }?.state) == "SUSPENDED" })
      try call.start()
      let frames = call.device.statistics.render.frames
      #expect(eventually { call.device.statistics.render.frames > frames + 48_000 })
      #expect(!log.names.contains("interrupted"))
    }

    /// Music gives way to the call, because the call says what it is.
    @Test func musicIsCorkedDuringTheCall() throws {
      let call = try Call(modules: ["module-role-cork"])
      defer { call.end() }
      let music = try call.server.startPlaying(
        Signal.tone(500, for: .seconds(60)), on: "spk", properties: ["media.role": "music"])
      defer { music.stop() }
      func isCorked() -> Bool? {
        try? call.server.snapshot().sinkInputs.first { $0.mediaRole == "music" }?.isMuted
      }
      #expect(eventually { isCorked() == false })
      try call.manager.startRendering()
      // pacat does not follow the request to cork, so the server mutes it.
      #expect(eventually { isCorked() == true })
      call.manager.stopRendering()
      #expect(eventually { isCorked() == false })
    }
  }
#endif
