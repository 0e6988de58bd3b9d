#if MP3
  import AudioDeviceKit
  import AudioTestSupport
  import RealtimeSupport
  import Testing
  import VirtualBackend

  /// What each thing that can happen means in each state of the calling services: every cell of the documentation's table
  /// (`CallingServices` in the DocC catalogue), for the system's device, the ringing one and a custom one.
  @Suite struct CallingServicesTests {
    enum DeviceKind: CaseIterable { case system, ringtone, custom }

    /// Where the session stands when something happens.
    enum State: CaseIterable { case idle, prepared, active, onHold }

    /// A call in a state of the calling services.
    private final class Call {
      let bench: CallBench
      let manager: AudioDeviceManager
      let session: AudioSessionManager
      let device: any AudioDevice
      let log: EventLog
      private let ringtone: RingtoneAudioDeviceTests.Ringtone?

      init(_ kind: DeviceKind, _ state: State) throws {
        bench = try CallBench()
        manager = bench.manager
        session = manager.audioSessionManager
        ringtone = kind == .ringtone ? try RingtoneAudioDeviceTests.Ringtone() : nil
        switch kind {
        case .system: device = DefaultAudioDevice(bench.configuration)
        case .ringtone:
          let url = try #require(ringtone).url
          device = RingtoneAudioDevice(ringtone: url, configuration: bench.configuration)
        case .custom: device = CustomDevice(bench.configuration)
        }
        log = EventLog(manager)
        try manager.setAudioDevice(device)
        session.enableCallingServicesMode()
        switch state {
        case .idle: break
        case .prepared: session.preconfigureAudioSessionForCall(mode: .videoChat)
        case .active, .onHold:
          session.preconfigureAudioSessionForCall(mode: .videoChat)
          session.audioSessionDidActivate()
          #expect(eventually { !manager.gates.sessionIsInactive })
          if state == .onHold { session.audioSessionDidDeactivate() }
        }
      }

      deinit {
        manager.stopCapture()
        manager.stopRendering()
      }

      func wish() throws {
        try manager.startCapture()
        try manager.startRendering()
      }

      var isOpen: Bool { device.isCapturing && device.isRendering }
      var isClosed: Bool { !device.isCapturing && !device.isRendering }

      /// Lets everything that was told happen: the lanes are empty when both directions were looked at.
      func settle() {
        manager.setAudioSoftMute(true)
        manager.setAudioSoftMute(false)
      }
    }

    /// From nothing but the protocol: it wraps the system's device.
    private final class CustomDevice: AudioDevice {
      private let base: DefaultAudioDevice
      init(_ configuration: DefaultAudioDevice.Configuration) { base = DefaultAudioDevice(configuration) }
      func setAudioBus(_ bus: (any AudioBus)?) { base.setAudioBus(bus) }
      var captureIsAvailable: Bool { true }
      var isCapturing: Bool { base.isCapturing }
      func startCapture() throws(AudioDeviceError) { try base.startCapture() }
      func stopCapture() { base.stopCapture() }
      var renderingIsAvailable: Bool { true }
      var isRendering: Bool { base.isRendering }
      func startRendering() throws(AudioDeviceError) { try base.startRendering() }
      func stopRendering() { base.stopRendering() }
    }

    @Test(arguments: DeviceKind.allCases, State.allCases)
    func aStartIsRememberedAndOpensOnlyInAnActiveSession(kind: DeviceKind, state: State) throws {
      let call = try Call(kind, state)
      try call.wish()
      #expect(state == .active ? call.isOpen : call.isClosed)
      #expect(call.manager.gates.captureIsWished && call.manager.gates.renderingIsWished)
      call.session.audioSessionDidActivate()
      #expect(eventually { call.isOpen })
    }

    @Test(arguments: DeviceKind.allCases, State.allCases)
    func aStopTakesTheWishBackInEveryState(kind: DeviceKind, state: State) throws {
      let call = try Call(kind, state)
      try call.wish()
      call.manager.stopCapture()
      call.manager.stopRendering()
      #expect(call.isClosed)
      call.session.audioSessionDidActivate()
      #expect(eventually { !call.manager.gates.sessionIsInactive })
      call.settle()
      #expect(call.isClosed, "what is not wished does not open")
    }

    @Test(arguments: DeviceKind.allCases, State.allCases)
    func aPreparationIsForTheNextActivation(kind: DeviceKind, state: State) throws {
      let call = try Call(kind, state)
      try call.wish()
      let opens = call.device.statistics
      call.session.preconfigureAudioSessionForCall(mode: .voiceChat)
      call.settle()
      #expect(state == .active ? call.isOpen : call.isClosed)
      #expect(call.device.statistics.capture.opens == opens.capture.opens, "what runs is not touched")
      #expect(call.session.session?.mode == (state == .active ? .videoChat : nil))
      call.session.audioSessionDidDeactivate()
      call.session.audioSessionDidActivate()
      #expect(call.session.session?.mode == .voiceChat)
      #expect(eventually { call.isOpen })
    }

    @Test(arguments: DeviceKind.allCases, State.allCases)
    func anActivationOpensWhatIsWishedOnce(kind: DeviceKind, state: State) throws {
      let call = try Call(kind, state)
      try call.manager.startCapture()
      call.session.audioSessionDidActivate()
      call.session.audioSessionDidActivate()
      #expect(eventually { call.device.isCapturing })
      call.settle()
      #expect(!call.device.isRendering, "nobody wished to be heard")
      let opened = call.bench.backend.openedCount(.capture)
      #expect(opened == 1, "\(opened)")
      // Whoever did not prepare is told so.
      #expect(eventually { (call.log.names.contains("notice")) == (state == .idle || state == .onHold) })
    }

    @Test(arguments: DeviceKind.allCases, State.allCases)
    func aDeactivationClosesAndKeepsTheWishes(kind: DeviceKind, state: State) throws {
      let call = try Call(kind, state)
      try call.wish()
      call.session.audioSessionDidDeactivate()
      call.session.audioSessionDidDeactivate()
      #expect(eventually { call.isClosed })
      #expect(call.manager.gates.captureIsWished && call.manager.gates.renderingIsWished)
      #expect(call.session.session == nil && !call.session.isActive)
      call.session.audioSessionDidActivate()
      #expect(eventually { call.isOpen })
    }

    @Test(arguments: DeviceKind.allCases, State.allCases)
    func interruptionsRestartInAnActiveSessionAlone(kind: DeviceKind, state: State) throws {
      let call = try Call(kind, state)
      try call.wish()
      call.session.beginInterruption(.sleep)
      #expect(eventually { call.isClosed })
      call.session.endInterruption(.sleep)
      if state == .active { #expect(eventually { call.isOpen }) }
      call.settle()
      #expect(state == .active ? call.isOpen : call.isClosed)
    }

    @Test(arguments: DeviceKind.allCases, State.allCases)
    func aDeviceThatComesOrGoesOpensNothingByItself(kind: DeviceKind, state: State) throws {
      let call = try Call(kind, state)
      try call.wish()
      try call.bench.backend.addSpeaker(.init(id: "new"))
      call.bench.clock.advance(by: .seconds(1))
      call.settle()
      #expect(state == .active ? call.isOpen : call.isClosed)
    }

    @Test(arguments: State.allCases) func aRingtonePlaysInEveryStateAndHaltsTheCall(state: State) throws {
      let call = try Call(.ringtone, state)
      let device = try #require(call.device as? RingtoneAudioDevice)
      try call.wish()
      try device.startRingtone()
      #expect(device.isRingtonePlaying && call.isClosed)
      #expect(call.bench.backend.openStreams.count == 1, "the ringtone's own")
      device.stopRingtone()
      if state == .active { #expect(eventually { call.isOpen }) }
      #expect(state == .active || call.isClosed)
      #expect(call.manager.gates.captureIsWished)
    }

    /// The watchdog, and the way out.
    @Test(arguments: DeviceKind.allCases) func anActivationThatNeverComesIsToldAndCanBeMadeUpFor(kind: DeviceKind)
      throws
    {
      let call = try Call(kind, .idle)
      call.session.activationLimit = .milliseconds(30)
      try call.wish()
      call.session.preconfigureAudioSessionForCall(mode: .voiceChat)
      #expect(eventually { call.log.names.contains("sessionActivationOverdue") })
      #expect(call.isClosed)
      call.session.resume()
      #expect(eventually { call.isOpen })
    }

    /// Twenty holds, as a switchboard does to a call.
    @Test(arguments: DeviceKind.allCases) func holdsAndReturnsTwentyTimes(kind: DeviceKind) throws {
      let call = try Call(kind, .active)
      try call.wish()
      for _ in 0..<20 {
        call.session.audioSessionDidDeactivate()
        #expect(eventually { call.isClosed })
        call.session.audioSessionDidActivate()
        #expect(eventually { call.isOpen })
      }
      #expect(call.bench.backend.openStreams.count == 2)
    }

    @Test(arguments: DeviceKind.allCases) func theModeOfOneCallDoesNotReachTheNext(kind: DeviceKind) throws {
      let call = try Call(kind, .active)
      #expect(call.session.session?.mode == .videoChat)
      call.session.audioSessionDidDeactivate()
      call.session.audioSessionDidActivate()
      #expect(call.session.session?.mode == .voiceChat, "nobody prepared a video call")
    }
  }
#endif
