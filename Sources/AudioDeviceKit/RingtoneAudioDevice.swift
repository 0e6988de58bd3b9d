#if MP3
  public import Foundation
  internal import Synchronization

  /// The system's audio, and a ringtone that has it while the call waits.
  ///
  /// ``startRingtone()`` halts the call's microphone and speaker, and plays an MP3 in a loop on a stream of its own
  /// until ``stopRingtone()``. Meanwhile the client goes on as if nothing had happened: its wishes are remembered,
  /// silence is captured for it, and what it wants rendered is dropped. The device must be installed in an
  /// ``AudioDeviceCore/AudioDeviceManager``, which halts the call and lets it go on.
  open class RingtoneAudioDevice: DefaultAudioDevice, @unchecked Sendable {
    // Unchecked, for subclasses alone.

    /// The MP3 that rings.
    public let ringtone: URL
    /// How it sounds.
    public let ringtoneConfiguration: RingtoneConfiguration

    /// On which starts and stops of the ringing exclude each other.
    private let lane = SerialLane("audio-ringing")
    private let player = Locked<RingtonePlayer?>(nil)
    private let isRinging = Atomic<Bool>(false)
    private let vibrates = Atomic<Bool>(false)

    /// A device; nothing is opened, and the file is not looked at yet.
    ///
    /// - Parameters:
    ///   - ringtone: A file URL of an MP3.
    ///   - configuration: Of the call's audio.
    ///   - ringtoneConfiguration: Of the ringtone.
    public init(
      ringtone: URL, configuration: Configuration = Configuration(),
      ringtoneConfiguration: RingtoneConfiguration = RingtoneConfiguration()
    ) {
      self.ringtone = ringtone
      self.ringtoneConfiguration = ringtoneConfiguration
      super.init(configuration)
    }

    deinit { player.withLock { $0 }?.stop() }

    /// Whether the ringtone has the audio. Any thread; lock-free.
    public var isRingtonePlaying: Bool { isRinging.load(ordering: .relaxed) }

    /// Whether ``vibrate()`` is called while ringing; false at first. Any thread; lock-free.
    public var vibratesWithRingtone: Bool {
      get { vibrates.load(ordering: .relaxed) }
      set { vibrates.store(newValue, ordering: .relaxed) }
    }

    /// Called once a second while the ringtone plays and ``vibratesWithRingtone`` is set, first when it starts. The
    /// default does nothing: few Linux machines can shake.
    ///
    /// Called on the ringtone's worker thread, which may block for up to a second and may call ``stopRingtone()``.
    open func vibrate() {}

    /// Halts the call and rings. Does nothing while it rings already.
    ///
    /// The file is opened and its beginning decoded first, and where the backend can, the ringtone's stream is opened
    /// too, so that what fails fails while the call is untouched. Blocks until the ringtone is on its way to the
    /// speaker.
    ///
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` that names the file or the device; the call goes on.
    open func startRingtone() throws(AudioDeviceError) {
      // On the ringtone's own thread it rings, and what ends the ringing waits for that thread.
      guard !isOnWorker else { return }
      guard !lane.isCurrent else {
        throw AudioDeviceError(.invalidState, "The ringing cannot be started from within its own start or stop.")
      }
      let failure: AudioDeviceError? = lane.sync {
        guard player.withLock({ $0 == nil }) else { return nil }
        do throws(AudioDeviceError) {
          let started = try beginRinging()
          player.withLock { $0 = started }
          return nil
        } catch {
          return error
        }
      }
      if let failure { throw failure }
    }

    /// Ends the ringing, with a fade, and lets the call go on: what is wished now is opened, and nothing else. Does
    /// nothing while nothing rings. Blocks until the call's audio runs again; from within ``vibrate()`` or a driver's
    /// own start or stop it returns at once and the ringing ends elsewhere.
    open func stopRingtone() {
      if isOnWorker || lane.isCurrent {
        lane.async { self.endRinging() }
      } else {
        lane.sync { endRinging() }
      }
    }

    // MARK: AudioDevice

    /// Passes the host on, and ends the ringing when there is none any more.
    open override func setHost(_ host: (any AudioDeviceHost)?) {
      super.setHost(host)
      // Elsewhere, because whoever takes the host away may be what a start of the ringing waits for.
      if host == nil, isRingtonePlaying { lane.async { self.endRinging() } }
    }

    open override func startCapture() throws(AudioDeviceError) {
      try refuseWhileRinging()
      try super.startCapture()
    }

    open override func startRendering() throws(AudioDeviceError) {
      try refuseWhileRinging()
      try super.startRendering()
    }

    private func refuseWhileRinging() throws(AudioDeviceError) {
      guard !isRingtonePlaying else {
        throw AudioDeviceError(
          .invalidState,
          "The ringtone has the audio. Start the call through an AudioDeviceManager, which remembers the wish.")
      }
    }

    private var isOnWorker: Bool { player.withLock { $0 }?.isOnWorker ?? false }

    // MARK: On the lane

    private func beginRinging() throws(AudioDeviceError) -> RingtonePlayer {
      guard ringtone.isFileURL else {
        throw AudioDeviceError(
          .invalidArgument, "\(ringtone.absoluteString) is no file; give the ringtone as a file URL.")
      }
      let player = try RingtonePlayer(path: ringtone.path, configuration: ringtoneConfiguration)
      guard let host else {
        throw AudioDeviceError(
          .invalidState, "Install the device in an AudioDeviceManager first, which halts the call while it rings.")
      }
      let backend = try selectBackend()
      var isOpen = true
      do throws(AudioDeviceError) {
        try open(player, on: backend)
      } catch {
        // A device that serves one stream at a time is held by the call, which is about to give it up.
        guard error.code == .deviceBusy, isRendering else { throw error }
        isOpen = false
      }
      isRinging.store(true, ordering: .relaxed)
      host.setRinging(true)
      do throws(AudioDeviceError) {
        if !isOpen { try open(player, on: backend) }
        try player.start(
          onTick: { [weak self] in
            guard let self, self.vibratesWithRingtone else { return }
            self.vibrate()
          },
          onFailure: { [weak self, weak player] error in
            // Elsewhere, because the stream and the worker that fail cannot wait for their own end.
            self?.lane.async { [weak self, weak player] in
              guard let self, let player else { return }
              self.endRinging(because: error, of: player)
            }
          })
      } catch {
        player.stop()
        isRinging.store(false, ordering: .relaxed)
        host.setRinging(false)
        throw error
      }
      host.post(.ringtoneStarted)
      return player
    }

    private func open(_ player: RingtonePlayer, on backend: any AudioBackend) throws(AudioDeviceError) {
      if let id = ringtoneConfiguration.outputDeviceID { return try player.open(on: backend, deviceID: id) }
      try openWhereHeard(on: backend) { id throws(AudioDeviceError) in try player.open(on: backend, deviceID: id) }
    }

    private func endRinging(because failure: AudioDeviceError? = nil, of failed: RingtonePlayer? = nil) {
      guard let player = player.withLock({ $0 }), failed == nil || failed === player else { return }
      player.stop()
      self.player.withLock { $0 = nil }
      isRinging.store(false, ordering: .relaxed)
      host?.post(.ringtoneStopped(failure))
      host?.setRinging(false)
    }
  }
#endif
