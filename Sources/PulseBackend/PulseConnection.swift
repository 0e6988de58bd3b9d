#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  /// The mainloop and its connection to the server (`pa_context`), which is made when first needed and again after it
  /// failed. Lives on the mainloop's thread alone.
  final class PulseConnection {
    /// A use of the connection: gets the context when it is ready, or why there is none.
    typealias Use = (Result<OpaquePointer, AudioDeviceError>) -> Void

    /// Of the mainloop.
    let api: UnsafeMutablePointer<pa_mainloop_api>
    /// How long to wait for what.
    let limits: PulseLimits
    /// How the thread waits.
    let wait: PulseWait
    /// The streams that exist at the server, or will, by key. A stream leaves when libpulse has seen its end.
    var streams: [Int: PulseStreamCore] = [:]
    /// Who watches the devices.
    var watches: [Int: PulseDelivery<Void>] = [:]
    /// The devices as they were last told to the watches.
    var watchedDevices: [AudioDeviceInfo]?
    /// Whether a device came since they were told.
    var deviceCame = false
    /// Tells the watches of changes, once they have settled.
    lazy var settling = PulseTimer(api: api) { [unowned self] in tellWatches() }
    /// Connects again, while somebody watches.
    lazy var reconnecting = PulseTimer(api: api) { [unowned self] in watchAgain() }

    private let mainloop: OpaquePointer
    private let commands: PulseCommandQueue
    private let server: String?
    private let application: ApplicationIdentity
    private var wakeUp: OpaquePointer?
    private var context: OpaquePointer?
    private var isReady = false
    private var isQuitting = false
    private var uses: [Use] = []
    private var connectError: AudioDeviceError?
    private lazy var connecting = PulseTimer(api: api) { [unowned self] in
      connectError = .pulseTimedOut(call: "pa_context_connect")
      dropContext()
    }

    /// Makes the mainloop, `pa_mainloop_new`; nil when that fails.
    init?(server: String?, application: ApplicationIdentity, limits: PulseLimits, commands: PulseCommandQueue) {
      guard let mainloop = pa_mainloop_new() else { return nil }
      guard let api = pa_mainloop_get_api(mainloop) else {
        pa_mainloop_free(mainloop)
        return nil
      }
      self.mainloop = mainloop
      self.api = api
      self.server = server
      self.application = application
      self.limits = limits
      self.commands = commands
      wait = PulseWait(wakeUp: commands.event.fileDescriptor)
      pa_mainloop_set_poll_func(
        mainloop,
        { descriptors, count, timeout, context in
          guard let descriptors, let context else { return -1 }
          return Unmanaged<PulseWait>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.wait(descriptors, count: Int(count), timeout: timeout)
          }
        }, Unmanaged.passUnretained(wait).toOpaque())
      wakeUp = api.pointee.io_new(
        api, commands.event.fileDescriptor, PA_IO_EVENT_INPUT,
        { _, _, _, _, context in
          guard let context else { return }
          let connection = Unmanaged<PulseConnection>.fromOpaque(context).takeUnretainedValue()
          connection.wait.attend(now: .now)
          for command in connection.commands.take() { command(connection) }
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
      if let wakeUp { api.pointee.io_free(wakeUp) }
      pa_mainloop_free(mainloop)
    }

    /// Runs until ``quit()``, or until the mainloop fails; then ends all that is left.
    func run() {
      pa_mainloop_run(mainloop, nil)
      isQuitting = true
      for stream in streams.values { stream.close() }
      dropContext()
      connecting.cancel()
      settling.cancel()
      reconnecting.cancel()
    }

    /// Ends ``run()``.
    func quit() {
      isQuitting = true
      pa_mainloop_quit(mainloop, 0)
    }

    // MARK: Streams

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - configuration: What it is to be.
    ///   - client: Who it works for.
    ///   - state: What it shares with its owner.
    ///   - key: Its number.
    ///   - reply: Resolved when the stream is there. When nobody waits for that any more, the stream goes again.
    func openStream(
      _ configuration: AudioStreamConfiguration, client: any AudioStreamClient, state: PulseStreamState, key: Int,
      reply: PulseReply<Void>
    ) {
      use { [self] result in
        let context: OpaquePointer
        switch result {
        case .success(let ready): context = ready
        case .failure(let error):
          reply.resolve(.failure(error))
          return
        }
        findDevice(configuration.deviceID, configuration.direction, context) { [self] error in
          if let error {
            reply.resolve(.failure(error))
            return
          }
          guard !reply.isAbandoned, self.context(context) != nil else {
            reply.resolve(.failure(.pulse(in: nil, call: "pa_stream_new_with_proplist")))
            return
          }
          do throws(AudioDeviceError) {
            let core = try PulseStreamCore(
              configuration, client: client, state: state, key: key, connection: self, context: context)
            streams[key] = core
            core.open { result in
              if !reply.resolve(result) { core.close() }
            }
          } catch {
            reply.resolve(.failure(error))
          }
        }
      }
    }

    // MARK: The context

    /// Connects where need be, and then uses the connection. A failure comes within the limit, at once where it can.
    ///
    /// - Parameter use: Called exactly once.
    func use(_ use: @escaping Use) {
      if let context, isReady { return use(.success(context)) }
      uses.append(use)
      if context == nil { connect() }
    }

    private func connect() {
      connectError = nil
      let properties = pa_proplist_new()
      defer { if let properties { pa_proplist_free(properties) } }
      pa_proplist_sets(properties, PA_PROP_APPLICATION_ID, application.id)
      pa_proplist_sets(properties, PA_PROP_APPLICATION_NAME, application.name)
      pa_proplist_sets(properties, PA_PROP_APPLICATION_ICON_NAME, application.iconName)
      guard let context = pa_context_new_with_proplist(api, application.name, properties) else {
        return endUses(.failure(.pulse(Int32(PA_ERR_INTERNAL.rawValue), call: "pa_context_new_with_proplist")))
      }
      self.context = context
      pa_context_set_state_callback(
        context,
        { _, data in
          guard let data else { return }
          Unmanaged<PulseConnection>.fromOpaque(data).takeUnretainedValue().contextDidChange()
        }, Unmanaged.passUnretained(self).toOpaque())
      connecting.schedule(after: limits.connect)
      // Failures are told by the state callback as well, most of them from within this call.
      if pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) < 0, self.context != nil { contextDidEnd() }
    }

    private func contextDidChange() {
      guard let context else { return }
      switch pa_context_get_state(context) {
      case PA_CONTEXT_READY:
        isReady = true
        connecting.cancel()
        endUses(.success(context))
        contextIsReadyForWatches(context)
      case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
        contextDidEnd()
      default: break
      }
    }

    private func contextDidEnd() {
      guard let context else { return }
      let error = connectError ?? .pulseConnecting(pa_context_errno(context))
      connecting.cancel()
      pa_context_set_state_callback(context, nil, nil)
      pa_context_set_subscribe_callback(context, nil, nil)
      self.context = nil
      isReady = false
      // Streams and operations hear of it from libpulse itself, when this callback has returned.
      pa_context_unref(context)
      endUses(.failure(error))
      if !isQuitting { contextIsGoneForWatches() }
    }

    /// Ends the connection and with it all streams and operations.
    private func dropContext() {
      guard let context else { return }
      pa_context_ref(context)
      pa_context_disconnect(context)
      pa_context_unref(context)
      contextDidEnd()
    }

    private func endUses(_ result: Result<OpaquePointer, AudioDeviceError>) {
      let uses = uses
      self.uses = []
      for use in uses { use(result) }
    }

    /// A context for asking about a failure: nil when it is not the connection's any more.
    func context(_ context: OpaquePointer) -> OpaquePointer? { context == self.context ? context : nil }

    /// Nobody waits any more for an answer that did not come. A connection that carries nothing alive is let go of, so
    /// that the next use connects anew.
    ///
    /// - Parameter key: The stream that was to be opened, if it was that.
    func didTimeOut(opening key: Int?) {
      if let key { streams[key]?.close() }
      guard isReady, streams.values.allSatisfy({ $0.phase == .closed }) else { return }
      dropContext()
    }
  }
#endif
