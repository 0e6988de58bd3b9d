#if ALSA
  internal import AudioDeviceCore

  /// One PCM and the thread that serves it.
  ///
  /// The PCM is opened on a thread of its own (``OpenPCM/open(_:_:)``), and from ``start()`` on belongs to the stream's
  /// thread, which also closes it. No caller ever waits for alsa-lib itself without a limit.
  final class ALSAStream: AudioStream {
    /// How long ``close()`` waits for the thread before it leaves it behind in alsa-lib.
    static let closeLimit = Duration.milliseconds(150)
    /// How long ``start()`` waits for the first start of the PCM.
    static let startLimit = Duration.seconds(3)

    let format: AudioFormat
    let deviceID: String?

    private enum Phase { case opened, starting, running, failed, closed }
    private struct State {
      var phase = Phase.opened
      var thread: RealtimeThread?
    }
    private let state = Locked(State())
    private let shared: ALSAStreamShared
    private let scheduling: SchedulingClass
    private let name: String

    init(pcm: OpenPCM, client: any AudioStreamClient, clock: any PeriodClock) throws(AudioDeviceError) {
      format = pcm.format
      deviceID = pcm.name
      name = pcm.name
      // On what does not pace, a real-time thread could spin until the kernel ends the process.
      scheduling = pcm.pacing == .kernel ? .audio : .normal
      do {
        shared = try ALSAStreamShared(pcm: pcm, client: client, clock: clock)
      } catch {
        throw AudioDeviceError(error, "The system has no descriptor left for an audio stream.")
      }
    }

    deinit { close() }

    var schedulingClass: SchedulingClass { state.withLock { $0.thread?.schedulingClass } ?? .normal }

    var latency: Duration { shared.meter.latency }

    var statistics: AudioDeviceStatistics.Direction { shared.meter.statistics }

    func start() throws(AudioDeviceError) {
      guard try launch() else { return }
      let outcome = shared.isStarted.wait(limit: Self.startLimit) ? shared.startOutcome.withLock { $0 } : nil
      let error: AudioDeviceError
      switch outcome {
      case .success?:
        let isRunning = state.withLock { state in
          if state.phase == .starting { state.phase = .running }
          return state.phase == .running
        }
        if isRunning { return }
        error = .streamIsClosed
      case .failure(let failure)?:
        error = failure
      case nil:
        error = .hangs("Starting", name, call: "snd_pcm_start", limit: Self.startLimit)
      }
      state.withLock { state in
        if state.phase == .starting { state.phase = .failed }
      }
      shared.stop()
      throw error
    }

    /// Starts the thread.
    ///
    /// - Returns: Whether it was started; `false` when it runs already.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the stream was closed or the system has no thread left.
    private func launch() throws(AudioDeviceError) -> Bool {
      let shared = shared
      let outcome = state.withLock { state -> Result<Bool, AudioDeviceError> in
        switch state.phase {
        case .starting, .running: return .success(false)
        case .failed, .closed: return .failure(.streamIsClosed)
        case .opened: break
        }
        do throws(SystemCallError) {
          state.thread = try RealtimeThread(name: "alsa-stream", scheduling: scheduling) {
            ALSAStreamLoop.run(shared)
            shared.hasEnded.signal()
          }
          state.phase = .starting
          return .success(true)
        } catch {
          state.phase = .failed
          return .failure(AudioDeviceError(error, "The system has no thread left for an audio stream."))
        }
      }
      return try outcome.get()
    }

    func close() {
      let thread = state.withLock { state in
        state.phase = .closed
        return state.thread
      }
      shared.stop()
      guard let thread else {
        releaseUnstarted()
        return
      }
      // From a notice on its own thread (against the rules, or because the last reference was dropped there) there is
      // nothing to wait for: the thread ends when the notice returns.
      guard !thread.isCurrent else { return }
      if shared.hasEnded.wait(limit: Self.closeLimit) {
        // For whoever else is closing this stream at the same time.
        shared.hasEnded.signal()
        thread.join()
        return
      }
      // The thread hangs in alsa-lib, or the machine is busy. The door is shut; only a call that is inside is waited
      // for.
      while shared.gate.isInside { _ = shared.hasEnded.wait(limit: .milliseconds(1)) }
    }

    /// Closes a PCM that was never started, within the limit.
    private func releaseUnstarted() {
      guard shared.hasCargo else { return }
      let shared = shared
      // Without a thread to spare it is closed here, when the stream goes.
      _ = try? BoundedCall.run(limit: Self.closeLimit) { _ = shared.takeCargo() }
    }
  }

  extension AudioDeviceError {
    fileprivate static let streamIsClosed = AudioDeviceError(
      .invalidState, "This audio stream was closed or has failed; open another one.")
  }
#endif
