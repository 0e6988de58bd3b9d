internal import Dispatch

/// Lets calling services (a desktop's or an app's own) say when a call may use the audio.
///
/// In the calling-services mode the devices of a call open only while the session is active: whoever answers the call
/// prepares the session, activates it, and tells it here. Outside the mode the session is always open and both notices
/// are ignored. It works with every ``AudioDevice``, since it acts on the gates of its ``AudioDeviceManager``.
///
/// All functions return at once, may be called from any thread but an audio thread, and are idempotent; devices open
/// and close elsewhere. Nothing throws: what fails later becomes an event of the manager.
public final class AudioSessionManager: Sendable {
  private struct State {
    var services = CallingServicesState()
    var activationLimit = Duration.seconds(10)
    var watch = 0
  }
  private let state = Locked(State())
  private let sessionDidChange: @Sendable (_ session: AudioSession?, _ gateIsClosed: Bool) -> Void
  private let setInterruption: @Sendable (InterruptionReason, Bool) -> Void
  private let endInterruptions: @Sendable () -> Void
  private let events: AudioEventBroadcaster
  private let queue = DispatchQueue(label: "audio-session")

  init(
    events: AudioEventBroadcaster, sessionDidChange: @escaping @Sendable (AudioSession?, Bool) -> Void,
    setInterruption: @escaping @Sendable (InterruptionReason, Bool) -> Void,
    endInterruptions: @escaping @Sendable () -> Void
  ) {
    self.events = events
    self.sessionDidChange = sessionDidChange
    self.setInterruption = setInterruption
    self.endInterruptions = endInterruptions
  }

  /// Whether ``enableCallingServicesMode()`` was called.
  public var isCallingServicesModeEnabled: Bool { state.withLock { $0.services.isEnabled } }

  /// Whether the session is active; always false outside the mode.
  public var isActive: Bool { state.withLock { $0.services.isActive } }

  /// The active session; nil when there is none.
  public var session: AudioSession? { state.withLock { $0.services.session } }

  /// How long an activation may take after ``preconfigureAudioSessionForCall(mode:)`` before the event
  /// ``AudioDeviceEvent/Kind/sessionActivationOverdue`` comes; 10 s at first.
  public var activationLimit: Duration {
    get { state.withLock { $0.activationLimit } }
    set { state.withLock { $0.activationLimit = newValue } }
  }

  /// From now on the session is activated from outside. There is no way back, as with the calling services of phones.
  ///
  /// What runs is closed until the session becomes active; wishes are kept.
  public func enableCallingServicesMode() {
    step { $0.enable() }
  }

  /// Says what the coming call is. Does not activate the session and does not touch what runs.
  ///
  /// - Parameter mode: Stored for the next activation.
  public func preconfigureAudioSessionForCall(mode: AudioSession.Mode = .voiceChat) {
    let watch = state.withLock { state -> (number: Int, limit: Duration)? in
      _ = state.services.prepare(mode)
      guard state.services.gateIsClosed else { return nil }
      state.watch += 1
      return (state.watch, state.activationLimit)
    }
    guard let watch else { return }
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(watch.limit.wholeNanoseconds))) { [weak self] in
      guard let self else { return }
      let isOverdue = self.state.withLock { $0.watch == watch.number && $0.services.gateIsClosed }
      if isOverdue { self.events.post(.sessionActivationOverdue) }
    }
  }

  /// Says that the session is active: what is wished opens. Ignored outside the mode.
  ///
  /// - Parameter session: The session; nil stands for one of the prepared mode.
  public func audioSessionDidActivate(_ session: AudioSession? = nil) {
    step { $0.activate(session) }
  }

  /// Says that the session is inactive: both directions close, wishes are kept. Ignored outside the mode.
  ///
  /// - Parameter session: The session that ended; not needed.
  public func audioSessionDidDeactivate(_ session: AudioSession? = nil) {
    step { $0.deactivate() }
  }

  /// Takes the audio back by the app's own decision, where the notice that should do it never comes: activates the
  /// session in the mode, and ends what interrupts.
  public func resume() {
    if isCallingServicesModeEnabled { step { $0.activate(nil) } }
    endInterruptions()
  }

  // MARK: Interruptions

  /// Says that the audio is taken from the call: the machine goes to sleep, or something else needs it. Both directions
  /// close, wishes are kept, and ``AudioDeviceEvent/Kind/interrupted(_:)`` is told. In any mode.
  ///
  /// What a sound server takes, a device tells by itself.
  ///
  /// - Parameter reason: Why; each reason is ended by itself.
  public func beginInterruption(_ reason: InterruptionReason) { setInterruption(reason, true) }

  /// Says that a reason which was given to ``beginInterruption(_:)`` is over. When none is left, what is wished opens
  /// as far as other gates allow, and ``AudioDeviceEvent/Kind/resumed`` is told.
  ///
  /// - Parameter reason: Which.
  public func endInterruption(_ reason: InterruptionReason) { setInterruption(reason, false) }

  /// Says that the user has turned to the application, which ends every interruption: a notice of its end may have been
  /// lost. Whoever still needs the audio takes it again. Does not activate a session.
  public func applicationDidBecomeActive() { endInterruptions() }

  private func step(_ body: (inout CallingServicesState) -> CallingServicesState.Outcome) {
    // This is told under the lock, so that two notices cannot arrive in the other order; it is done elsewhere.
    let (outcome, isActive) = state.withLock { state in
      let outcome = body(&state.services)
      if outcome == .changed || outcome == .activatedUnprepared {
        state.watch += 1
        sessionDidChange(state.services.session, state.services.gateIsClosed)
      }
      return (outcome, state.services.isActive)
    }
    switch outcome {
    case .none: break
    case .ignored:
      events.post(.notice("A session notice was ignored: the calling-services mode is not enabled."))
    case .changed: events.post(.sessionActivated(isActive))
    case .activatedUnprepared:
      events.post(.sessionActivated(true))
      events.post(.notice("The session was activated without preconfigureAudioSessionForCall; voiceChat is assumed."))
    }
  }
}
