#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse
  internal import Glibc
  internal import Synchronization

  /// The one thread that talks to the sound server, and that calls every stream's client: the audio thread.
  ///
  /// There is no lock on libpulse's objects: only this thread ever touches them. Control threads post commands to it
  /// and wait for a ``PulseReply``, never without a limit, so that neither a hung server nor a stuck client holds them.
  /// The thread ends when this object goes.
  final class PulseMainloop: Sendable {
    /// What the thread does for a control thread.
    typealias Command = @Sendable (PulseConnection) -> Void

    /// The class that the audio thread got.
    var schedulingClass: SchedulingClass { thread.schedulingClass }
    /// Where notices are delivered.
    let notices: PulseNoticeQueue
    /// How long to wait for what.
    let limits: PulseLimits

    private let commands: PulseCommandQueue
    private let thread: RealtimeThread
    private let keys = Atomic<Int>(0)

    /// Starts the thread, which does not connect before it is asked to.
    ///
    /// - Parameters:
    ///   - server: The server's address; nil for libpulse's own choice.
    ///   - application: Who we are to the server.
    ///   - limits: How long to wait for what.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the process is out of threads, descriptors or memory.
    init(server: String?, application: ApplicationIdentity, limits: PulseLimits) throws(AudioDeviceError) {
      let started = PulseReply<Void>()
      do throws(SystemCallError) {
        let commands = PulseCommandQueue(event: try WakeEvent())
        thread = try RealtimeThread(name: "pulse-audio") {
          Self.blockSignals()
          if let connection = PulseConnection(
            server: server, application: application, limits: limits, commands: commands)
          {
            started.resolve(.success(()))
            connection.run()
          } else {
            started.resolve(
              .failure(
                AudioDeviceError(
                  .systemFailure, "The sound server's library cannot start; the process is out of files or memory.",
                  call: "pa_mainloop_new")))
          }
          commands.close()
        }
        self.commands = commands
      } catch {
        throw AudioDeviceError(error, "The audio thread cannot be started.")
      }
      notices = PulseNoticeQueue()
      self.limits = limits
      guard let result = started.wait(limit: limits.request) else {
        throw AudioDeviceError(.timedOut, "The audio thread did not start in time; the machine is overloaded.")
      }
      try result.get()
    }

    deinit {
      commands.post { $0.quit() }
      thread.join()
    }

    /// Whether the calling thread is the audio thread.
    var isCurrentThread: Bool { thread.isCurrent }

    /// Whether the thread still takes commands.
    var isRunning: Bool { !commands.isClosed }

    /// A number that no other stream or watch of this loop has.
    func makeKey() -> Int { keys.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Has the thread do something. Any thread; does not wait.
    func post(_ command: @escaping Command) { commands.post(command) }

    /// Asks the thread for something and waits for its answer.
    ///
    /// - Parameters:
    ///   - call: What to name in the error when no answer comes.
    ///   - limit: The longest wait.
    ///   - body: Runs on the audio thread; resolves the reply, now or later.
    /// - Returns: The answer.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``: the answer, or that none came.
    func request<Value: Sendable>(
      _ call: String, limit: Duration, _ body: @escaping @Sendable (PulseConnection, PulseReply<Value>) -> Void
    ) throws(AudioDeviceError) -> Value {
      guard !isCurrentThread else { throw .pulseOnAudioThread(call) }
      let reply = PulseReply<Value>()
      post { connection in
        guard !reply.isAbandoned else { return }
        body(connection, reply)
      }
      guard isRunning else {
        throw AudioDeviceError(.systemFailure, "The audio thread has ended; make another backend.", call: call)
      }
      guard let result = reply.wait(limit: limit) else { throw .pulseTimedOut(call: call) }
      return try result.get()
    }

    /// As libpulse's own threaded loop does: the application's signal handlers do not run on the audio thread. Those
    /// that a fault on this very thread raises do.
    private static func blockSignals() {
      var signals = sigset_t()
      sigfillset(&signals)
      for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&signals, fault) }
      pthread_sigmask(SIG_SETMASK, &signals, nil)
    }
  }

  /// What control threads want of the audio thread, in order.
  final class PulseCommandQueue: Sendable {
    private struct State {
      var commands: [PulseMainloop.Command] = []
      var isClosed = false
    }
    /// Wakes the audio thread.
    let event: WakeEvent
    private let state = Locked(State())

    init(event: WakeEvent) { self.event = event }

    /// Whether nobody takes commands any more.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Appends a command. Any thread. A closed queue drops it.
    func post(_ command: @escaping PulseMainloop.Command) {
      state.withLock { state in
        if !state.isClosed { state.commands.append(command) }
      }
      event.signal()
    }

    /// Takes all that wait. The audio thread, when ``event`` is signalled.
    func take() -> [PulseMainloop.Command] {
      event.take()
      return state.withLock { state in
        let commands = state.commands
        state.commands = []
        return commands
      }
    }

    /// Drops what waits and all that comes.
    func close() {
      let dropped = state.withLock { state in
        state.isClosed = true
        let commands = state.commands
        state.commands = []
        return commands
      }
      withExtendedLifetime(dropped) {}
    }
  }
#endif
