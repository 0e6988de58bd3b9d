#if CallServices
  public import AudioDeviceKit
  public import Foundation

  /// Calls on a Linux desktop: they ring and are shown, are answered and declined with a button, have the audio when it is
  /// theirs, wait with the machine's sleep, and leave nothing behind. What CallKit is to a phone, over D-Bus.
  ///
  /// It enables the calling-services mode of an `AudioDeviceManager`, activates and deactivates its audio session, and
  /// has a ``CallProviderDelegate`` do what was asked for. There is one call at a time. Without a bus, without a service,
  /// with one that hangs or dies, calls work all the same, and ``events()`` says what is missing.
  ///
  /// All functions may be called from any thread but an audio thread. None waits for D-Bus or for a device; those that
  /// are asynchronous wait for the delegate. The buses are served by a thread of their own, `call-services`.
  public final class CallProvider: Sendable {
    /// What it was made with.
    public let configuration: Configuration
    private let engine: CallEngine

    /// A provider without a call. Enables the calling-services mode of the manager, from which there is no way back.
    ///
    /// - Parameters:
    ///   - configuration: What the desktop is to do.
    ///   - manager: Of the calls' audio.
    ///   - ringer: What rings; nil for the manager's device of the moment, where that has a ringtone.
    ///   - delegate: Held weakly; without one all actions succeed.
    /// - Throws: ``CallError`` when the process is out of threads or descriptors.
    public convenience init(
      configuration: Configuration, manager: AudioDeviceManager, ringer: (any CallRinger)? = nil,
      delegate: (any CallProviderDelegate)? = nil
    ) throws(CallError) {
      try self.init(
        configuration: configuration, manager: manager, ringer: ringer, delegate: delegate,
        timeAsleep: SleepWatch.systemTimeAsleep)
    }

    init(
      configuration: Configuration, manager: AudioDeviceManager, ringer: (any CallRinger)?,
      delegate: (any CallProviderDelegate)?, timeAsleep: @escaping @Sendable () -> Duration
    ) throws(CallError) {
      self.configuration = configuration
      engine = CallEngine(configuration, manager, ringer: ringer)
      engine.delegate = delegate
      try engine.start(for: self, timeAsleep: timeAsleep)
    }

    deinit { engine.invalidate() }

    // MARK: Watching

    /// Who does what is asked for. Held weakly.
    public var delegate: (any CallProviderDelegate)? {
      get { engine.delegate }
      set { engine.delegate = newValue }
    }

    /// The call there is; nil when there is none.
    public var call: Call? { engine.currentCall }

    /// What does not work on this desktop, of what was used so far.
    public var missingServices: [CallService: CallServiceFailure] { engine.missingServices }

    /// What happens from now on, for one listener of any number. Ends some time after the provider.
    ///
    /// - Returns: An asynchronous sequence for one task.
    public func events() -> AsyncStream<CallEvent> { engine.broadcaster.events() }

    // MARK: Reports

    /// Reports that somebody calls: it rings, and is shown.
    ///
    /// - Parameters:
    ///   - id: What the app calls the call by.
    ///   - caller: Who calls, as a person is to read it.
    ///   - hasVideo: Whether it is a video call.
    /// - Throws: ``CallError``: ``CallError/Code-swift.struct/callInProgress`` while there is a call.
    public func reportIncomingCall(id: UUID, caller: String, hasVideo: Bool = false) throws(CallError) {
      if let failure = engine.reportIncoming(id, caller, hasVideo) { throw failure }
    }

    /// Reports that something about the call is otherwise than was said. A notification that is shown is replaced.
    ///
    /// - Parameters:
    ///   - id: Which call.
    ///   - caller: Who is at the other side; nil leaves it.
    ///   - hasVideo: Whether it is a video call; nil leaves it. Counts for the next activation of the audio session.
    /// - Throws: ``CallError`` when there is no such call.
    public func reportCallUpdated(id: UUID, caller: String? = nil, hasVideo: Bool? = nil) throws(CallError) {
      if let failure = engine.reportUpdate(id, caller, hasVideo) { throw failure }
    }

    /// Reports that the other side has answered the call that was started here.
    ///
    /// - Parameter id: Which call.
    /// - Throws: ``CallError`` when there is no such call, or it is not connecting or not an outgoing one.
    public func reportOutgoingCallConnected(id: UUID) throws(CallError) {
      if let failure = engine.reportConnected(id) { throw failure }
    }

    /// Reports that the call is over without this side having asked for it. The delegate is not told.
    ///
    /// - Parameters:
    ///   - id: Which call.
    ///   - reason: Why.
    /// - Throws: ``CallError`` when there is no such call.
    public func reportCallEnded(id: UUID, reason: CallEndReason) throws(CallError) {
      if let failure = engine.reportEnd(id, reason) { throw failure }
    }

    // MARK: Actions

    /// Has something done with a call. Returns when the delegate has done it, or its time is over, which counts as done.
    ///
    /// - `start` prepares the audio session, and activates it when the delegate has performed.
    /// - `answer` ends the ringing at once, and does the same.
    /// - `hold` gives the devices up when the delegate has performed; going on takes them again.
    /// - `mute` makes this side silent at once and asks the delegate then. Of many wishes the delegate gets the first at
    ///   once, then at most one a second, and the last one always.
    /// - `end` takes the audio away at once, whatever else is being done, and tells the delegate.
    ///
    /// - Parameter action: What to do.
    /// - Throws: ``CallError``: no such call, not possible now, refused by the delegate, or ended meanwhile.
    public func request(_ action: CallAction) async throws(CallError) {
      let failure = await withCheckedContinuation { continuation in
        engine.request(action) { continuation.resume(returning: $0) }
      }
      if let failure { throw failure }
    }

    /// Ends the call as if it had never been, and tells the delegate that all is reset.
    public func reset() { engine.reset() }

    /// Ends the call and gives back all that the desktop holds for the provider, which does nothing after that. The
    /// delegate is told of a reset. Returns before the last word to the desktop is said.
    public func invalidate() { engine.invalidate() }
  }
#endif
