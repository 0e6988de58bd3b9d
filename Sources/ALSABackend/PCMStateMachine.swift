#if ALSA
  internal import AudioDeviceCore
  internal import Glibc

  /// Decides what a stream's thread does next with its PCM: one pure function from what was seen to one action.
  ///
  /// It calls nothing and waits for nothing, so that every state and every error can be tested without a device. Three
  /// rules keep it from ever running in circles: a restart that did not lead to audio makes the next one wait longer,
  /// wake-ups without anything to move are answered by sleeping, and a PCM that moves no frame for
  /// ``stallLimit`` is given up whatever it says about itself.
  struct PCMStateMachine: Sendable, BitwiseCopyable {
    /// What the thread saw at one wake-up.
    struct Observation: Sendable {
      /// `snd_pcm_state`, asked after the avail below so that it is not older than that.
      var state: PCMState
      /// Zero, or the negative error number of `snd_pcm_avail_update`, of the revents, or of a transfer.
      var error: Int32
      /// How the wait ended.
      var poll: PCMPollOutcome
      /// Whether enough frames or room are there to be worth a transfer.
      var canTransfer: Bool
      /// The present.
      var now: AudioInstant
    }

    /// What to do.
    enum Action: Sendable, Hashable {
      /// Wait for the PCM again.
      case wait
      /// Move what can be moved, then call ``PCMStateMachine/didTransfer(now:)``.
      case transfer
      /// Sleep for this long without looking at the PCM's descriptors, which may be ready without end.
      case sleep(Duration)
      /// Drop, prepare, pre-fill and start, then call ``PCMStateMachine/didRestart(_:now:)``.
      case restart(RestartReason)
      /// Call `snd_pcm_resume`, then ``PCMStateMachine/didResume(_:now:)``.
      case resume
      /// The PCM is beyond help: end, and tell the client.
      case lose(Loss)
      /// End as was asked.
      case stop
    }

    /// Why a PCM is started anew.
    enum RestartReason: Sendable, Hashable {
      /// An underrun or overrun, to be counted as such.
      case xrun
      /// The machine slept, and the driver cannot resume.
      case suspension
      /// An error or a state that the stream never asked for.
      case fault
    }

    /// Why a PCM is given up.
    enum Loss: Sendable, Hashable {
      /// The device was unplugged or its driver unbound.
      case gone(Int32)
      /// The PCM claims to be well and moves nothing.
      case stalled
      /// It cannot be brought to run again; the number is the last error.
      case failing(Int32)
    }

    /// A PCM that moved no frame for this long is lost.
    static let stallLimit = Duration.seconds(1)
    /// The longest that the thread waits between two looks.
    static let longestWait = Duration.milliseconds(300)
    /// Calls in a row that failed outright before the PCM is lost; with the pauses between them, some 70 ms.
    static let failureLimit = 4
    /// Restarts that succeeded without audio flowing afterwards before the PCM is lost.
    static let strikeLimit = 20
    /// Wake-ups with a transfer that have to follow each other for a restart to count as good.
    static let healthyTransfers = 5
    /// Tries to resume while the driver says "not yet", 50 ms apart.
    static let resumeLimit = 20

    private let idleSleep: Duration
    private var stalledFor = Duration.zero
    private var lastLook: AudioInstant
    private var notBefore: AudioInstant
    private var noRestartBefore: AudioInstant
    private var lastError: Int32 = 0
    private var failures = 0
    private var strikes = 0
    private var resumes = 0
    private var resumeWasRefused = false
    private var idleWakes = 0
    private var pollErrors = 0
    private var transfers = 0

    /// A machine for a PCM that was just started.
    ///
    /// - Parameters:
    ///   - period: Of the client; half of it is slept after wake-ups for nothing.
    ///   - now: The present.
    init(period: Duration, now: AudioInstant) {
      idleSleep = period / 2
      lastLook = now
      notBefore = now
      noRestartBefore = now
    }

    /// What to do about what was seen. Neither blocks nor allocates.
    mutating func next(_ seen: Observation) -> Action {
      // Time in which nobody looked (the process or the machine was stopped) is not the PCM's.
      stalledFor += min(max(seen.now - lastLook, .zero), Self.longestWait)
      lastLook = seen.now
      if seen.poll == .stopRequested { return .stop }
      if let loss = loss(seen) { return .lose(loss) }
      if seen.now < notBefore { return .sleep(notBefore - seen.now) }
      switch (seen.state, -seen.error) {
      case (.suspended, _), (_, ESTRPIPE):
        return suspended(now: seen.now)
      case (.xrun, _), (_, EPIPE):
        return restart(.xrun, error: -EPIPE, now: seen.now)
      case (.running, 0), (.running, EAGAIN), (.running, EINTR):
        return running(seen)
      case (_, let number):
        // Idle in a state nobody put it into (a plug-in's whim, a program that shares the handle), or a plain error.
        let isIdle = number == 0 || number == EAGAIN || number == EINTR
        return restart(.fault, error: isIdle ? -EBADFD : seen.error, now: seen.now)
      }
    }

    /// Frames were moved.
    mutating func didTransfer(now: AudioInstant) {
      stalledFor = .zero
      lastLook = now
      lastError = 0
      idleWakes = 0
      failures = 0
      resumes = 0
      resumeWasRefused = false
      transfers += 1
      if transfers >= Self.healthyTransfers { strikes = 0 }
    }

    /// Nothing was moved although the PCM said that it could be: the next look is made a little later, or it would be
    /// made again and again.
    mutating func didTransferNothing(now: AudioInstant) {
      idleWakes += 1
      if idleWakes > 2 { notBefore = now + idleSleep }
    }

    /// A restart was tried.
    ///
    /// - Parameters:
    ///   - error: Zero, or the negative error number of what failed in it.
    ///   - now: The present.
    mutating func didRestart(_ error: Int32, now: AudioInstant) {
      idleWakes = 0
      transfers = 0
      if error < 0 {
        lastError = error
        failures += 1
        notBefore = now + .milliseconds(5 << min(failures, 4))
      } else {
        failures = 0
        strikes += 1
        // The first two are free: an xrun under load wants its audio back at once.
        if strikes > 2 { noRestartBefore = now + .milliseconds(5 << min(strikes - 2, 4)) }
      }
    }

    /// `snd_pcm_resume` was called.
    ///
    /// - Parameters:
    ///   - error: What it returned.
    ///   - now: The present.
    mutating func didResume(_ error: Int32, now: AudioInstant) {
      resumes += 1
      if error == -EAGAIN {
        notBefore = now + .milliseconds(50)
      } else if error < 0 {
        resumeWasRefused = true
      }
    }

    private mutating func restart(_ reason: RestartReason, error: Int32, now: AudioInstant) -> Action {
      lastError = error
      if strikes >= Self.strikeLimit { return .lose(.failing(-error)) }
      return now < noRestartBefore ? .sleep(noRestartBefore - now) : .restart(reason)
    }

    private func loss(_ seen: Observation) -> Loss? {
      let number = -seen.error
      if number == ENODEV || number == ENXIO || number == ESHUTDOWN { return .gone(number) }
      // An unplugged card answers with POLLNVAL while its state still reads as running.
      if seen.state == .disconnected || seen.poll == .invalid { return .gone(ENODEV) }
      if failures >= Self.failureLimit { return .failing(-lastError) }
      if stalledFor >= Self.stallLimit { return lastError == 0 ? .stalled : .failing(-lastError) }
      return nil
    }

    private mutating func suspended(now: AudioInstant) -> Action {
      guard !resumeWasRefused, resumes < Self.resumeLimit else {
        return restart(.suspension, error: -ESTRPIPE, now: now)
      }
      // Time spent suspended is nobody's stall; the count of resumes bounds it.
      stalledFor = .zero
      return .resume
    }

    private mutating func running(_ seen: Observation) -> Action {
      guard seen.poll != .faulty else {
        // An error that the state does not explain. Audio may even flow, but poll will never sleep again.
        pollErrors += 1
        return pollErrors < Self.failureLimit ? restart(.fault, error: -EIO, now: seen.now) : .lose(.failing(EIO))
      }
      pollErrors = 0
      if seen.canTransfer { return .transfer }
      guard seen.poll == .ready else { return .wait }
      idleWakes += 1
      return idleWakes > 2 ? .sleep(idleSleep) : .wait
    }
  }
#endif
