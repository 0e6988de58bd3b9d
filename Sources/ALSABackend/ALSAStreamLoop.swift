#if ALSA
  internal import AudioDeviceCore
  internal import CAudioSupport
  internal import Glibc

  /// The body of a stream's thread: waits for the PCM, asks the state machine, does what it says.
  ///
  /// After ``run(_:)`` has begun, only the stream's thread touches it. While audio flows nothing here allocates, locks
  /// or frees; a restart may, because there is no audio then.
  final class ALSAStreamLoop {
    let pcm: OpenPCM
    let client: any AudioStreamClient
    let shared: ALSAStreamShared
    let gate: StreamGate
    let meter: AudioStreamMeter
    let format: AudioFormat
    let geometry: PCMGeometry

    var machine: PCMStateMachine
    var governor: PacingGovernor
    var backlog: CaptureBacklog
    var assembler: PeriodAssembler

    /// One client period, also the chunk that capture reads.
    let samples: UnsafeMutableBufferPointer<Int16>
    /// Playback: the frames of ``samples`` that the PCM has not taken yet.
    var unwrittenFrames = 0
    /// Up to when audio was captured, or has been queued for playback: what a gap is measured from.
    var mediaTime: AudioInstant
    /// A negative error number of the last transfer, for the next look.
    var transferError: Int32 = 0
    /// The governor's wish to wait.
    var holdTime: Duration?
    /// Capture: what is read is old, and cannot be caught up with.
    var isLateForGood = false
    /// While the stream paces itself: the deadline that is being served.
    var tick: AudioInstant?

    private let descriptors: UnsafeMutableBufferPointer<pollfd>
    private let pollLimit: Duration

    /// How a loop ended.
    enum Ending {
      case stopped
      case lost(PCMStateMachine.Loss)
      /// The PCM showed no clock of its own.
      case unpaced
    }

    /// Serves a stream from its first start to its end, and closes the PCM before it returns. The stream's thread.
    ///
    /// - Parameter shared: With the PCM and the client on board.
    static func run(_ shared: ALSAStreamShared) {
      guard let cargo = shared.takeCargo() else { return }
      let loop = ALSAStreamLoop(cargo, shared)
      let failure = ALSALog.collect { () -> AudioDeviceError? in
        let result = cargo.pcm.startAnew()
        return result < 0 ? AudioDeviceError(alsa: "snd_pcm_start", result, device: cargo.pcm.name) : nil
      }
      if let failure { return shared.reportStart(.failure(failure)) }
      shared.reportStart(.success(()))
      guard case .lost(let loss) = loop.serve(), shared.gate.enter() else { return }
      // Audio has ended: the notice may allocate. It comes before the PCM is closed, which may hang.
      cargo.client.streamDidNotice(.lost(AudioDeviceError(loss, device: cargo.pcm.name)))
      shared.gate.leave()
    }

    private init(_ cargo: ALSAStreamShared.Cargo, _ shared: ALSAStreamShared) {
      let now = AudioInstant.now
      pcm = cargo.pcm
      client = cargo.client
      self.shared = shared
      gate = shared.gate
      meter = shared.meter
      format = pcm.format
      geometry = pcm.geometry
      machine = PCMStateMachine(period: format.periodDuration, now: now)
      governor = PacingGovernor(format: format, buffer: geometry.buffer, now: now)
      backlog = CaptureBacklog(limit: geometry.buffer)
      assembler = PeriodAssembler(format: format)
      samples = .allocate(capacity: format.samplesPerPeriod)
      samples.initialize(repeating: 0)
      descriptors = .allocate(capacity: pcm.descriptorCount + 1)
      descriptors.initialize(repeating: pollfd())
      mediaTime = now
      let longest = format.duration(ofFrames: max(geometry.period, format.framesPerPeriod))
      pollLimit = min(max(longest * 3, .milliseconds(30)), PCMStateMachine.longestWait)
    }

    deinit {
      samples.deallocate()
      descriptors.deallocate()
    }

    private func serve() -> Ending {
      var ending = pcm.pacing == .none ? Ending.unpaced : servePaced()
      if case .unpaced = ending { ending = serveUnpaced() }
      return ending
    }

    /// Serves a PCM that wakes us.
    private func servePaced() -> Ending {
      var poll = wait()
      while true {
        let action = look(after: poll)
        if let ending = perform(action) { return ending }
        if let hold = holdTime {
          holdTime = nil
          poll = sleep(hold)
        } else if case .sleep(let duration) = action {
          poll = sleep(duration)
        } else {
          poll = wait()
        }
        if governor.isUnpaced { return .unpaced }
      }
    }

    /// Looks at the PCM and decides.
    func look(after poll: (outcome: PCMPollOutcome, error: Int32)) -> PCMStateMachine.Action {
      var error = min(poll.error, transferError)
      transferError = 0
      let available = pcm.handle.available()
      if available < 0, error == 0 { error = Int32(truncatingIfNeeded: available) }
      readableOrRoom = min(max(available, 0), geometry.buffer)
      return machine.next(
        PCMStateMachine.Observation(
          state: pcm.handle.state, error: error, poll: poll.outcome,
          canTransfer: canTransfer(afterTimeout: poll.outcome == .timedOut), now: now))
    }

    /// What `snd_pcm_avail_update` said at the last look, within 0 … buffer.
    private(set) var readableOrRoom = 0

    private func canTransfer(afterTimeout isLate: Bool) -> Bool {
      switch pcm.direction {
      case .capture:
        // After a time-out less than a wake-up's worth is taken as well: some plug-ins stop just short of it.
        readableOrRoom >= (isLate ? 1 : geometry.wake)
      case .render:
        unwrittenFrames > 0 ? readableOrRoom > 0 : readableOrRoom - reservedFrames >= format.framesPerPeriod
      }
    }

    /// Playback: room in the PCM's buffer that is left empty, because the buffer is larger than was wished.
    var reservedFrames: Int { geometry.buffer - geometry.target }

    /// A delay above this is a plug-in's fancy: 10 s.
    var maximumDelay: Int { format.sampleRate * 10 }

    /// The present, on the clock that paces.
    var now: AudioInstant { tick == nil ? .now : shared.clock.now }

    /// Does what the machine decided, but for waiting.
    ///
    /// - Parameter action: What was decided.
    /// - Returns: How the loop ends; nil when it goes on.
    func perform(_ action: PCMStateMachine.Action) -> Ending? {
      switch action {
      case .wait, .sleep: break
      case .transfer:
        let moved = pcm.direction == .capture ? capture() : render()
        if moved > 0 {
          machine.didTransfer(now: now)
        } else if holdTime == nil, transferError == 0 {
          machine.didTransferNothing(now: now)
        }
        if isLateForGood { return restart(countsXrun: false) }
      case .restart(let reason): return restart(countsXrun: reason == .xrun)
      case .resume: machine.didResume(pcm.handle.resume(), now: now)
      case .lose(let loss): return .lost(loss)
      case .stop: return .stopped
      }
      return nil
    }

    // MARK: Starting anew

    /// Starts the PCM anew and counts what the gap cost.
    private func restart(countsXrun: Bool) -> Ending? {
      // A PCM whose call was left behind belongs to that call's thread: not another look at it.
      guard let result = startAnewInTime() else { return .lost(.failing(ETIMEDOUT)) }
      let now = now
      machine.didRestart(result, now: now)
      guard result >= 0 else { return nil }
      // Capture missed what came since; playback was silent since its queue ended, or lost what was still queued.
      let gap = abs(format.frames(in: now - mediaTime))
      let lost = min(gap, maximumDelay) + assembler.pendingFrames + unwrittenFrames
      mediaTime = now
      assembler.reset()
      backlog.restart()
      isLateForGood = false
      unwrittenFrames = 0
      guard countsXrun else {
        meter.addLostFrames(lost)
        return nil
      }
      meter.addXrun(lostFrames: lost)
      guard gate.enter() else { return nil }
      client.streamDidNotice(.xrun)
      gate.leave()
      return nil
    }

    /// Starts the PCM anew; one that may wait for a server gets a limit, and a thread that may be left behind.
    ///
    /// - Returns: Zero or a negative error number; nil when the limit passed.
    private func startAnewInTime() -> Int32? {
      guard pcm.pacing == .plugin else { return pcm.startAnew() }
      let pcm = pcm
      do {
        return try BoundedCall.run(limit: OpenPCM.restartLimit) { pcm.startAnew() }
      } catch {
        return -error.number
      }
    }

    // MARK: Waiting

    /// Waits for the PCM or a stop, no longer than ``pollLimit``.
    private func wait() -> (outcome: PCMPollOutcome, error: Int32) {
      let room = UnsafeMutableBufferPointer(rebasing: descriptors[1...])
      let count = min(pcm.handle.descriptors(into: room), room.count)
      guard poll(with: count, limit: pollLimit) else { return (.stopRequested, 0) }
      var events: UInt16 = 0
      let result = pcm.handle.events(of: UnsafeMutableBufferPointer(rebasing: room[..<count]), into: &events)
      return (PCMPollOutcome(events: events), min(result, 0))
    }

    /// Waits for a stop alone.
    private func sleep(_ duration: Duration) -> (outcome: PCMPollOutcome, error: Int32) {
      (poll(with: 0, limit: duration) ? .timedOut : .stopRequested, 0)
    }

    /// Polls the wake event and the first descriptors of the PCM.
    ///
    /// - Returns: Whether the stream goes on.
    private func poll(with count: Int, limit: Duration) -> Bool {
      guard let base = descriptors.baseAddress else { return false }
      base.pointee = pollfd(fd: shared.wake.fileDescriptor, events: Int16(POLLIN), revents: 0)
      for index in 1..<(count + 1) { base[index].revents = 0 }
      let result = cas_poll(base, UInt64(count + 1), max(limit.wholeNanoseconds, 0))
      // A signal handler ran: the events are not valid, and there were none.
      if result < 0 { for index in 0..<(count + 1) { base[index].revents = 0 } }
      return !gate.isShut
    }
  }
#endif
