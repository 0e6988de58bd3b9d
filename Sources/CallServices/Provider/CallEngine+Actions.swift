#if CallServices
  internal import AudioDeviceKit
  internal import Foundation

  extension CallEngine {
    func request(_ action: CallAction, completion: @escaping @Sendable (CallError?) -> Void) {
      lane.async { self.accept(action, completion) }
    }

    func accept(_ action: CallAction, _ completion: @escaping @Sendable (CallError?) -> Void) {
      if case .start(let id, let callee, let hasVideo) = action {
        let call = Call(id: id, direction: .outgoing, caller: callee, hasVideo: hasVideo)
        if let failure = begin(call) { return completion(failure) }
        callDidChange()
        return enqueue(action, completion)
      }
      if let failure = failure(of: action.callID) { return completion(failure) }
      switch action {
      case .end:
        guard let ended = end(call?.state == .ringing ? .declined : .ended) else { return completion(nil) }
        // Nobody can refuse it.
        performAside(action, of: ended) { _ in completion(nil) }
      case .mute(_, let isMuted): acceptMute(isMuted, completion)
      default: enqueue(action, completion)
      }
    }

    // MARK: One after the other

    func enqueue(_ action: CallAction, _ completion: @escaping @Sendable (CallError?) -> Void) {
      guard let call else { return }
      lastJob += 1
      queue.append(Job(number: lastJob, action: action, call: call, completion: completion))
      takeTurn()
    }

    private func takeTurn() {
      while turn == nil, !queue.isEmpty, let call {
        let job = queue.removeFirst()
        do throws(CallError) {
          try prepare(job.action, of: call)
          turn = job.number
          perform(job)
        } catch {
          job.completion(error)
        }
      }
    }

    /// What happens before the delegate is asked.
    private func prepare(_ action: CallAction, of call: Call) throws(CallError) {
      switch action {
      case .start: prepareSession(for: call)
      case .answer:
        var answered = call
        try answered.machine.take(.answer)
        self.call = answered
        // The ringing ends here.
        callDidChange()
        prepareSession(for: call)
      case .hold(_, true): _ = try call.machine.state(after: .hold)
      case .hold(_, false):
        _ = try call.machine.state(after: .resume)
        prepareSession(for: call)
      case .mute, .end: break
      }
    }

    /// What follows when the delegate has performed, or refused.
    private func conclude(_ job: Job, _ refusal: CallError?) {
      switch job.action {
      case .start, .answer:
        if let refusal {
          job.completion(refusal)
          end(.failed)
          return
        }
        isStarted = true
        if case .answer = job.action { try? call?.machine.take(.connect) }
        callDidChange()
      case .hold(_, let isHeld):
        guard refusal == nil else { break }
        try? call?.machine.take(isHeld ? .hold : .resume)
        callDidChange()
      case .mute(_, let isMuted): return concludeMute(isMuted, refusal, job.completion)
      case .end: break
      }
      job.completion(refusal)
      takeTurn()
    }

    // MARK: The delegate

    /// Has the delegate perform something out of turn.
    func performAside(
      _ action: CallAction, of call: Call, _ completion: @escaping @Sendable (CallError?) -> Void
    ) {
      lastJob += 1
      perform(Job(number: lastJob, action: action, call: call, completion: completion))
    }

    private func perform(_ job: Job) {
      let number = job.number
      running[number] = job
      guard let delegate, let provider else { return finish(number, nil) }
      let action = job.action
      let call = self.call ?? job.call
      Task { [lane] in
        do {
          try await delegate.provider(provider, perform: action, of: call)
          lane.async { self.finish(number, nil) }
        } catch {
          let refusal = error as? CallError ?? CallError(.refused, "The app refused: \(error)")
          lane.async { self.finish(number, refusal) }
        }
      }
      lane.async(after: configuration.actionLimit) { [weak self] in
        guard let self, self.running[number] != nil else { return }
        self.broadcaster.post(.actionTimedOut(action))
        self.finish(number, nil)
      }
    }

    /// The first answer counts; none does when the call has ended meanwhile.
    private func finish(_ number: Int, _ refusal: CallError?) {
      guard let job = running.removeValue(forKey: number) else { return }
      guard turn == number else { return job.completion(refusal) }
      turn = nil
      conclude(job, refusal)
    }

    // MARK: Mute

    private func acceptMute(_ isMuted: Bool, _ completion: @escaping @Sendable (CallError?) -> Void) {
      mute.waiting.append(completion)
      mute.wish = isMuted
      // Whoever mutes must not be heard for a second longer.
      if isMuted { setMute(true) }
      switch mute.throttle.wish(isMuted, at: .now) {
      case .now: passOnMute(isMuted)
      case .replaced: break
      case .later(let time):
        let number = callNumber
        lane.async(after: time - .now) { [weak self] in
          guard let self, self.callNumber == number, let isMuted = self.mute.throttle.take(at: .now) else { return }
          self.passOnMute(isMuted)
        }
      }
    }

    private func passOnMute(_ isMuted: Bool) {
      guard let call else { return }
      let waiting = mute.waiting
      mute.waiting = []
      enqueue(.mute(call.id, isMuted)) { failure in
        for completion in waiting { completion(failure) }
      }
    }

    private func concludeMute(
      _ isMuted: Bool, _ refusal: CallError?, _ completion: @escaping @Sendable (CallError?) -> Void
    ) {
      guard let call else { return completion(refusal) }
      // A later wish may wait already; what it says about silence holds.
      let wishesSilence = !mute.waiting.isEmpty && mute.wish == true
      let becomesMuted = refusal == nil ? isMuted : call.isMuted
      let number = callNumber
      setMute(becomesMuted || wishesSilence) { [lane] failure in
        lane.async {
          guard self.callNumber == number else { return completion(refusal ?? failure.map(CallError.init)) }
          self.call?.isMuted = failure == nil ? becomesMuted : true
          if self.call != call { self.callDidChange() }
          completion(refusal ?? failure.map(CallError.init))
        }
      }
      takeTurn()
    }

    private func setMute(_ isMuted: Bool, done: @escaping @Sendable (AudioDeviceError?) -> Void = { _ in }) {
      guard mute.isEffective != isMuted else { return done(nil) }
      mute.isEffective = isMuted
      let number = callNumber
      audio.mute(isMuted) { [lane] failure in
        if failure != nil {
          // It stays as it was.
          lane.async { if self.callNumber == number { self.mute.isEffective = !isMuted } }
        }
        done(failure)
      }
    }
  }

  extension CallError {
    fileprivate init(_ error: AudioDeviceError) { self.init(.audioFailed, error.description) }
  }
#endif
