#if PulseAudio
  public import AudioDeviceCore

  /// The sound servers that speak PulseAudio's protocol: PulseAudio itself, and PipeWire with its pulse server.
  ///
  /// It stands on libpulse's asynchronous interface, on one thread of its own: the audio thread, which calls every
  /// stream's client. The connection to the server is made when first needed and again after it broke; the server is
  /// never started (`PA_CONTEXT_NOAUTOSPAWN`). Every call is bounded, also when the server hangs: opening and listing
  /// by four seconds, closing by 200 ms.
  ///
  /// A device's id is the server's name for it, as `pactl list short sinks` shows it.
  public final class PulseBackend: AudioBackend {
    private let server: String?
    private let application: ApplicationIdentity
    private let limits: PulseLimits
    private let mainloop = Locked<PulseMainloop?>(nil)

    /// A backend that has not connected yet. Neither blocks nor fails.
    ///
    /// - Parameters:
    ///   - server: The server's address, `unix:/path` or `tcp:host:port`; nil for libpulse's own choice
    ///     (`PULSE_SERVER`, `client.conf`, the user's runtime directory).
    ///   - application: Who the application is to the server and in the user's mixer.
    public convenience init(server: String? = nil, application: ApplicationIdentity = ApplicationIdentity()) {
      self.init(server: server, application: application, limits: PulseLimits())
    }

    init(server: String?, application: ApplicationIdentity, limits: PulseLimits) {
      self.server = server
      self.application = application
      self.limits = limits
    }

    /// `pulse`.
    public var name: String { "pulse" }

    /// Whether a server lets us in and answers: connects where need be (`pa_context_connect`,
    /// `pa_context_get_server_info`). Any thread but an audio thread; blocks for two seconds at the most.
    public var isAvailable: Bool {
      do throws(AudioDeviceError) {
        try request("pa_context_get_server_info", within: limits.connect) {
          (connection: PulseConnection, reply: PulseReply<Void>) in
          connection.use { result in
            switch result {
            case .failure(let error): reply.resolve(.failure(error))
            case .success(let context):
              connection.ping(context) { reply.resolve($0.map(Result.failure) ?? .success(())) }
            }
          }
        }
        return true
      } catch {
        return false
      }
    }

    /// All sinks and then all sources, monitors included, in the server's order (`pa_context_get_sink_info_list`,
    /// `pa_context_get_source_info_list`). Any thread but an audio thread; blocks for four seconds at the most.
    ///
    /// - Returns: The devices. Those made of software (null sinks, filters such as echo cancellers) are of the kind
    ///   ``AudioDeviceCore/AudioDeviceInfo/Kind/virtual``.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``: no server, no permission, or no answer in time.
    public func devices() throws(AudioDeviceError) -> [AudioDeviceInfo] {
      try request("pa_context_get_sink_info_list") { connection, reply in
        connection.use { result in
          switch result {
          case .failure(let error): reply.resolve(.failure(error))
          case .success(let context): connection.listDevices(context) { reply.resolve($0) }
          }
        }
      }
    }

    /// Watches for devices that come, go or change (`pa_context_subscribe`), over restarts of the server as well.
    ///
    /// - Parameter onChange: Called after a change of what ``devices()`` tells, once for changes that come together, on
    ///   a queue of the backend's that is no audio thread. It may call ``devices()``. The server's end is a change, and
    ///   so is its return; both are seen within a second or so.
    /// - Returns: The watch.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``: no server, no permission, or no answer in time.
    public func watchDevices(
      onChange: @escaping @Sendable () -> Void
    ) throws(AudioDeviceError) -> any AudioDeviceWatch {
      let mainloop = try runningMainloop()
      let key = mainloop.makeKey()
      let delivery = PulseDelivery<Void>(queue: mainloop.notices) { onChange() }
      try request("pa_context_subscribe") { (connection: PulseConnection, reply: PulseReply<Void>) in
        connection.addWatch(key, delivery, reply)
      }
      return PulseDeviceWatch(mainloop: mainloop, key: key, delivery: delivery)
    }

    /// Opens a stream, corked (`pa_stream_connect_playback`, `pa_stream_connect_record`).
    ///
    /// The audio has the configuration's format; the server converts. Periods pass about a hundred times a second. The
    /// wished delay is 30 ms and no less than 15 ms for a render stream, 10 ms and no less for a capture stream; the
    /// device may make it longer. Less than 30 ms leaves little room for a busy machine: 5 ms at 15 ms. A stream follows the server when it is moved to another device, and gives way by
    /// itself (corks) when the server asks for it; both are told by a notice. One that gets no audio for five seconds,
    /// though nothing holds it back, is lost.
    ///
    /// - Parameters:
    ///   - configuration: What the stream is to be.
    ///   - client: Called on the audio thread once the stream is started; retained until the stream is closed.
    /// - Returns: The stream.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``: no server, no permission, no such device, or no answer within
    ///   four seconds. Nothing is left at the server then.
    public func openStream(
      _ configuration: AudioStreamConfiguration, client: any AudioStreamClient
    ) throws(AudioDeviceError) -> any AudioStream {
      let mainloop = try runningMainloop()
      let key = mainloop.makeKey()
      let state = PulseStreamState(
        notices: PulseDelivery(queue: mainloop.notices) { client.streamDidNotice($0) })
      let call =
        configuration.direction == .capture ? "pa_stream_connect_record" : "pa_stream_connect_playback"
      try request(call, on: mainloop, opening: key) { connection, reply in
        connection.openStream(configuration, client: client, state: state, key: key, reply: reply)
      }
      return PulseStream(format: configuration.format, mainloop: mainloop, key: key, state: state)
    }

    // MARK: The thread

    private func runningMainloop() throws(AudioDeviceError) -> PulseMainloop {
      try mainloop.withLock { mainloop throws(AudioDeviceError) in
        if let mainloop, mainloop.isRunning { return mainloop }
        let started = try PulseMainloop(server: server, application: application, limits: limits)
        mainloop = started
        return started
      }
    }

    func request<Value: Sendable>(
      _ call: String, on mainloop: PulseMainloop? = nil, opening key: Int? = nil, within limit: Duration? = nil,
      _ body: @escaping @Sendable (PulseConnection, PulseReply<Value>) -> Void
    ) throws(AudioDeviceError) -> Value {
      let mainloop = if let mainloop { mainloop } else { try runningMainloop() }
      do throws(AudioDeviceError) {
        return try mainloop.request(call, limit: limit ?? limits.connect + limits.request, body)
      } catch {
        if error.code == .timedOut, !mainloop.isCurrentThread { mainloop.post { $0.didTimeOut(opening: key) } }
        throw error
      }
    }
  }
#endif
