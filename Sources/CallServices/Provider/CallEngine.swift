#if CallServices
  internal import AudioDeviceKit
  internal import Foundation
  internal import RealtimeSupport

  /// What a provider does, on a lane of its own.
  ///
  /// The call's state is changed by steps alone, and what the audio and the desktop are to do is derived from it as a
  /// whole after each (``settle()``), so that nothing of one call can stay for the next.
  final class CallEngine: @unchecked Sendable {
    // Unchecked: what varies is touched on the lane alone, or is locked.

    /// An action that the delegate is to perform.
    struct Job {
      let number: Int
      let action: CallAction
      let call: Call
      let completion: @Sendable (CallError?) -> Void
    }

    private struct Shared {
      weak var provider: CallProvider?
      weak var delegate: (any CallProviderDelegate)?
      var call: Call?
      var missing: [CallService: CallServiceFailure] = [:]
    }

    let configuration: CallProvider.Configuration
    let manager: AudioDeviceManager
    let broadcaster = EventBroadcaster<CallEvent>()
    let lane = SerialLane("call-provider")
    let audio: CallAudio
    private let shared = Locked(Shared())
    private var desktop: Desktop?
    var isInvalid = false

    /// The call there is.
    var call: Call?
    /// Grows with each call, so that what was set for one does nothing to the next.
    var callNumber = 0
    /// The delegate has performed the start of the outgoing call.
    var isStarted = false
    private var sessionIsActive = false
    private var ringingCall: UUID?

    /// Actions that wait for their turn.
    var queue: [Job] = []
    /// The number of the action whose turn it is.
    var turn: Int?
    /// All that the delegate performs now.
    var running: [Int: Job] = [:]
    var lastJob = 0

    var mute = MuteControl()

    init(_ configuration: CallProvider.Configuration, _ manager: AudioDeviceManager, ringer: (any CallRinger)?) {
      self.configuration = configuration
      self.manager = manager
      audio = CallAudio(manager, ringer: ringer, isHardMute: configuration.mutesHard)
    }

    /// Begins: the calling-services mode, and the buses.
    func start(for provider: CallProvider, timeAsleep: @escaping @Sendable () -> Duration) throws(CallError) {
      do throws(SystemCallError) {
        let client = try ServiceClient.make(
          [.session: configuration.sessionBus, .system: configuration.systemBus], lane: lane
        ) { [weak self] service, failure in self?.note(service, failure) }
        let desktop = Desktop(client, configuration, timeAsleep: timeAsleep, engine: self)
        lane.sync { self.desktop = desktop }
      } catch {
        throw CallError(.systemFailure, "The calls cannot be provided: \(error)")
      }
      shared.withLock { $0.provider = provider }
      manager.audioSessionManager.activationLimit = configuration.activationLimit
      manager.audioSessionManager.enableCallingServicesMode()
    }

    // MARK: What everybody may ask

    var delegate: (any CallProviderDelegate)? {
      get { shared.withLock { $0.delegate } }
      set { shared.withLock { $0.delegate = newValue } }
    }
    var provider: CallProvider? { shared.withLock { $0.provider } }
    var currentCall: Call? { shared.withLock { $0.call } }
    var missingServices: [CallService: CallServiceFailure] { shared.withLock { $0.missing } }

    // MARK: The call

    /// Makes a change of the call known, and does what follows from it.
    func callDidChange() {
      let call = call
      shared.withLock { $0.call = call }
      settle()
      if let call { broadcaster.post(.callChanged(call)) }
    }

    /// Ends the call: nothing of it is left on return, but for what is still being said to the desktop.
    ///
    /// - Returns: The call as it ended; nil when there was none.
    @discardableResult
    func end(_ reason: CallEndReason) -> Call? {
      guard var ended = call, (try? ended.machine.take(.end(reason))) != nil else { return nil }
      call = nil
      isStarted = false
      callNumber += 1
      var waiting = queue.map(\.completion) + mute.waiting
      if let job = turn.flatMap({ running.removeValue(forKey: $0) }) { waiting.append(job.completion) }
      queue = []
      turn = nil
      callDidChange()
      if mute.isEffective { audio.mute(false) }
      mute = MuteControl()
      broadcaster.post(.callChanged(ended))
      for completion in waiting { completion(CallError(.callEnded, "The call ended before this was done.")) }
      return ended
    }

    /// What the audio and the desktop have to do for the call as it is now.
    private func settle() {
      let ringing = call.flatMap { $0.state == .ringing ? $0 : nil }
      let hasAudio =
        switch call?.state {
        case .connected: true
        // The other side is being rung, which the app may let the user hear.
        case .connecting: isStarted
        default: false
        }
      if sessionIsActive, !hasAudio { manager.audioSessionManager.audioSessionDidDeactivate() }
      if ringingCall != ringing?.id {
        if ringingCall != nil { audio.stopRinging() }
        if let id = ringing?.id {
          audio.startRinging { [broadcaster] in broadcaster.post(.ringtoneFailed(id, $0)) }
        }
        ringingCall = ringing?.id
      }
      if !sessionIsActive, hasAudio, let call {
        manager.audioSessionManager.audioSessionDidActivate(AudioSession(mode: mode(of: call)))
      }
      sessionIsActive = hasAudio
      desktop?.show(ringing: ringing, call: call, hasAudio: hasAudio)
    }

    /// Says what the coming activation is for.
    func prepareSession(for call: Call) {
      manager.audioSessionManager.preconfigureAudioSessionForCall(mode: mode(of: call))
    }

    private func mode(of call: Call) -> AudioSession.Mode {
      configuration.mode ?? (call.hasVideo ? .videoChat : .voiceChat)
    }

    // MARK: The desktop

    private func note(_ service: CallService, _ failure: CallServiceFailure?) {
      let isNews = shared.withLock { shared in
        defer { shared.missing[service] = failure }
        return shared.missing[service] == nil
      }
      if let failure, isNews { broadcaster.post(.serviceMissing(service, failure)) }
    }

    func didSleepChange(_ notice: SleepWatch.Notice) {
      switch notice {
      case .fallsAsleep:
        broadcaster.post(.fallsAsleep)
        manager.audioSessionManager.beginInterruption(.sleep)
        letSleep(by: .now + .seconds(1))
      case .wokeUp(let duration):
        manager.audioSessionManager.endInterruption(.sleep)
        broadcaster.post(.wokeUp(asleep: duration))
      case .screenLocked(let isLocked):
        broadcaster.post(.screenLocked(isLocked))
      }
    }

    /// Lets the machine sleep when the devices are closed, or when that takes too long.
    private func letSleep(by deadline: AudioInstant) {
      let device = manager.currentAudioDevice
      guard device?.isCapturing == true || device?.isRendering == true, AudioInstant.now < deadline else {
        desktop?.letSleep()
        return
      }
      lane.async(after: .milliseconds(10)) { [weak self] in self?.letSleep(by: deadline) }
    }

    // MARK: The end

    func reset() {
      lane.async {
        guard !self.isInvalid else { return }
        self.end(.reset)
        self.tellReset()
      }
    }

    func invalidate() {
      lane.async {
        guard !self.isInvalid else { return }
        self.end(.reset)
        self.isInvalid = true
        self.tellReset()
        self.desktop?.close()
        self.desktop = nil
        self.manager.audioSessionManager.endInterruption(.sleep)
      }
    }

    private func tellReset() {
      guard let delegate, let provider else { return }
      Task { delegate.providerDidReset(provider) }
    }
  }
#endif
