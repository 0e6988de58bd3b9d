#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse
  internal import Synchronization

  /// One stream at the server (`pa_stream`). Lives on the mainloop's thread alone.
  ///
  /// The connection keeps it from the moment libpulse knows of it until libpulse has seen its end, so that the context
  /// pointers of the callbacks stay good.
  final class PulseStreamCore {
    /// What a stream is, from the call that makes it to the end.
    enum Phase {
      /// The server makes it.
      case opening
      /// It is there, corked.
      case open
      /// It was uncorked.
      case running
      /// It is being taken away, or is gone.
      case closed
    }

    let key: Int
    let stream: OpaquePointer
    let direction: AudioDirection
    let format: AudioFormat
    let state: PulseStreamState
    private(set) var phase = Phase.opening
    /// Whether the server holds the device back; as last told to the client.
    var isSuspended = false
    /// Whether the stream gave way to another because the server asked it to.
    var isCorked = false

    private let wishedDevice: String?
    private let wishedAttributes: PulseBufferAttributes
    private unowned let connection: PulseConnection
    private let path: any PulseStreamPath
    private var onOpen: ((Result<Void, AudioDeviceError>) -> Void)?
    private var onStart: [PulseReply<Void>] = []
    private var onGone: [() -> Void] = []
    private var inspection: PulseTimer?
    private var inspectedPasses = 0
    private var silentInspections = 0

    /// Makes a stream that the server does not know yet.
    ///
    /// - Parameters:
    ///   - configuration: What it is to be.
    ///   - client: Who it works for.
    ///   - state: What it shares with its owner.
    ///   - key: Its number in the connection.
    ///   - connection: Where it belongs.
    ///   - context: The connection's, ready.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when libpulse refuses the arguments.
    init(
      _ configuration: AudioStreamConfiguration, client: any AudioStreamClient, state: PulseStreamState, key: Int,
      connection: PulseConnection, context: OpaquePointer
    ) throws(AudioDeviceError) {
      format = configuration.format
      var spec = format.sampleSpec
      var map = pa_channel_map()
      pa_channel_map_init_extend(&map, UInt32(spec.channels), PA_CHANNEL_MAP_DEFAULT)
      let properties = pa_proplist_new()
      defer { if let properties { pa_proplist_free(properties) } }
      if !configuration.role.rawValue.isEmpty {
        pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, configuration.role.rawValue)
      }
      if configuration.wantsEchoCancellation {
        // For module-filter-apply; it is no key of libpulse's own.
        pa_proplist_sets(properties, "filter.want", "echo-cancel")
      }
      guard
        let stream = pa_stream_new_with_proplist(context, configuration.name, &spec, &map, properties)
      else { throw .pulse(in: context, call: "pa_stream_new_with_proplist") }
      self.stream = stream
      self.key = key
      self.state = state
      self.connection = connection
      direction = configuration.direction
      wishedDevice = configuration.deviceID
      wishedAttributes = PulseBufferAttributes(direction, format: format, latency: configuration.latency)
      switch direction {
      case .capture:
        path = PulseCapturePath(
          stream: stream, format: format, client: client, state: state, wait: connection.wait, key: key)
      case .render:
        path = PulseRenderPath(
          stream: stream, format: format, client: client, state: state, wait: connection.wait, key: key)
      }
    }

    deinit { pa_stream_unref(stream) }

    // MARK: Opening

    /// Has the server make the stream, corked.
    ///
    /// - Parameter onEnd: Called once: with success when the stream is there.
    func open(onEnd: @escaping (Result<Void, AudioDeviceError>) -> Void) {
      onOpen = onEnd
      setEventCallbacks()
      path.setCallbacks()
      var attributes = wishedAttributes.native
      // Not DONT_MOVE: a stream may go on when its device ends, and filters such as echo cancellation can be put under
      // it; where it is now is told by `moved`.
      let flags = pa_stream_flags_t(
        rawValue: PA_STREAM_START_CORKED.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
          | PA_STREAM_ADJUST_LATENCY.rawValue)
      let result =
        switch direction {
        case .capture: pa_stream_connect_record(stream, wishedDevice, &attributes, flags)
        case .render: pa_stream_connect_playback(stream, wishedDevice, &attributes, flags, nil, nil)
        }
      if result < 0 { didEnd(.pulse(result, call: openingCall)) }
    }

    /// The C call that makes a stream of this direction.
    var openingCall: String { direction == .capture ? "pa_stream_connect_record" : "pa_stream_connect_playback" }

    /// `pa_stream_set_state_callback`'s callback.
    func stateDidChange() {
      switch pa_stream_get_state(stream) {
      case PA_STREAM_READY:
        guard phase == .opening else {
          // Its owner gave up while the server was still making it.
          disconnect()
          return
        }
        phase = .open
        noteDevice()
        noteAttributes()
        correctAttributes { [weak self] in self?.endOpening(.success(())) }
      case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
        didEnd(endError)
      default: break
      }
    }

    private var endError: AudioDeviceError {
      guard phase == .opening else { return .pulse(in: pa_stream_get_context(stream), call: "pa_stream_get_state") }
      let error = AudioDeviceError.pulse(in: pa_stream_get_context(stream), call: openingCall)
      guard error.code == .deviceNotFound else { return error }
      return .pulseDeviceNotFound(wishedDevice, direction, call: openingCall)
    }

    private func correctAttributes(onEnd: @escaping () -> Void) {
      let granted = state.bufferAttributes.withLock { $0 }
      guard let granted, let corrected = wishedAttributes.corrected(granted: granted) else { return onEnd() }
      var attributes = corrected.native
      PulseOperation.follow(pa_stream_set_buffer_attr(stream, &attributes, nil, nil)) { [weak self] _ in
        // A refusal leaves what was granted first; a lost connection is told by the state.
        self?.noteAttributes()
        onEnd()
      }
    }

    private func endOpening(_ result: Result<Void, AudioDeviceError>) {
      let onOpen = onOpen
      self.onOpen = nil
      onOpen?(result)
    }

    // MARK: Starting

    /// Uncorks the stream; from now on the client is called.
    ///
    /// - Parameter reply: Resolved when the server has done so.
    func start(_ reply: PulseReply<Void>) {
      switch phase {
      case .running where onStart.isEmpty: reply.resolve(.success(()))
      case .running: onStart.append(reply)
      case .open:
        onStart.append(reply)
        phase = .running
        // What is rendered first is at the server before it starts.
        path.start()
        PulseOperation.follow(pa_stream_cork(stream, 0, nil, nil)) { [weak self] wasAnswered in
          self?.didStart(wasAnswered)
        }
      case .opening, .closed: reply.resolve(.failure(.pulseStreamIsClosed))
      }
    }

    private func didStart(_ wasAnswered: Bool) {
      guard phase == .running else { return }
      guard wasAnswered else { return die(.pulse(in: pa_stream_get_context(stream), call: "pa_stream_cork")) }
      endStarting(.success(()))
      expectPasses()
      let timer = PulseTimer(api: connection.api) { [unowned self] in inspect() }
      timer.schedule(after: connection.limits.inspection)
      inspection = timer
    }

    private func endStarting(_ result: Result<Void, AudioDeviceError>) {
      let replies = onStart
      onStart = []
      for reply in replies { reply.resolve(result) }
    }

    // MARK: Ending

    /// Takes the stream away. The client is not called any more.
    ///
    /// - Parameter onGone: Called once, when the server has confirmed the end or the connection is gone.
    func close(onGone: @escaping () -> Void = {}) {
      switch pa_stream_get_state(stream) {
      case PA_STREAM_FAILED, PA_STREAM_TERMINATED, PA_STREAM_UNCONNECTED: return onGone()
      default: self.onGone.append(onGone)
      }
      guard phase != .closed else { return }
      let wasOpening = phase == .opening
      stop()
      endOpening(.failure(.pulseStreamIsClosed))
      endStarting(.failure(.pulseStreamIsClosed))
      // The server cannot be told to take away what it has not made yet; the state callback sees to that.
      if !wasOpening { disconnect() }
    }

    /// Ends a stream that works no longer, and tells the client.
    func die(_ error: AudioDeviceError) {
      guard phase != .closed else { return }
      tellLoss(error)
      close()
    }

    private func disconnect() {
      if pa_stream_disconnect(stream) < 0 {
        didEnd(.pulse(in: pa_stream_get_context(stream), call: "pa_stream_disconnect"))
      }
    }

    /// libpulse has seen the end of the stream.
    private func didEnd(_ error: AudioDeviceError) {
      pa_stream_set_state_callback(stream, nil, nil)
      if phase != .closed { tellLoss(error) }
      stop()
      let onGone = onGone
      self.onGone = []
      // The last reference may go with the first of these; what follows them must not need it.
      connection.streams[key] = nil
      for body in onGone { body() }
    }

    /// Whoever waits for the stream hears of the failure; when nobody does, the client, and only once.
    private func tellLoss(_ error: AudioDeviceError) {
      if onOpen != nil { return endOpening(.failure(error)) }
      if !onStart.isEmpty { return endStarting(.failure(error)) }
      state.notices.send(.lost(error))
    }

    private func stop() {
      phase = .closed
      inspection?.cancel()
      inspection = nil
      path.stop()
      connection.wait.forget(key)
      clearEventCallbacks()
    }

    // MARK: Watching

    /// A server that hangs, or that forgot a stream, says nothing at all. So a running stream is looked at now and
    /// then.
    ///
    /// Looks are counted and not time, because this process may itself have been stopped in between.
    private func inspect() {
      guard phase == .running else { return }
      // Not at the start: a device that was idle is still being woken then.
      noteSuspension()
      let passes = path.passes
      let isSilent = passes == inspectedPasses && !isSuspended && !isCorked
      inspectedPasses = passes
      silentInspections = isSilent ? silentInspections + 1 : 0
      if silentInspections >= connection.limits.silentInspections {
        let call = direction == .capture ? "pa_stream_peek" : "pa_stream_begin_write"
        return die(.pulseTimedOut(call: call))
      }
      inspection?.schedule(after: connection.limits.inspection)
    }

    /// Tells when a running stream's audio is to be expected.
    func expectPasses() {
      guard phase == .running, let attributes = state.bufferAttributes.withLock({ $0 }) else { return }
      let step = Int(attributes.step) / format.bytesPerFrame
      connection.wait.watch(key, step: format.duration(ofFrames: step))
    }

    /// Begins to measure anew, after the device was changed or held back.
    func interrupt() { path.interrupt() }

    /// The server reported an overrun or an underrun.
    func countXrun() { path.countXrun() }
  }

  /// One direction of audio through a stream: the part that runs for every period. Mainloop's thread.
  protocol PulseStreamPath: AnyObject {
    /// How many times audio passed.
    var passes: Int { get }
    /// Has libpulse call the path when there is something to do.
    func setCallbacks()
    /// The client may be called from now on.
    func start()
    /// The client is not called any more.
    func stop()
    /// What comes next does not continue what was before.
    func interrupt()
    /// The server reported an overrun or an underrun.
    func countXrun()
  }
#endif
