#if PulseAudio
  import CPulse

  extension SoundServer {
    /// Kills a playing stream, as a mixer may: its client sees it fail. `pactl` has no word for that. Blocks until the
    /// server has no such stream any more.
    ///
    /// - Parameter index: The stream's number.
    /// - Throws: ``RigError`` when the server refuses.
    public func killSinkInput(_ index: Int) throws {
      try kill("stream \(index)", pa_context_kill_sink_input, index) {
        try snapshot().sinkInputs.contains { $0.index == index }
      }
    }

    /// Kills a recording stream. Blocks until the server has no such stream any more.
    ///
    /// - Parameter index: The stream's number.
    /// - Throws: ``RigError`` when the server refuses.
    public func killSourceOutput(_ index: Int) throws {
      try kill("stream \(index)", pa_context_kill_source_output, index) {
        try snapshot().sourceOutputs.contains { $0.index == index }
      }
    }

    /// Breaks a connection: the client sees it terminated. Blocks until the server has no such client any more.
    ///
    /// - Parameter index: The client's number.
    /// - Throws: ``RigError`` when the server refuses.
    public func killClient(_ index: Int) throws {
      try kill("client \(index)", pa_context_kill_client, index) {
        try snapshot().clients.contains { $0.index == index }
      }
    }

    /// Kills until it is gone: PipeWire now and then answers that all is well, and does nothing.
    private func kill(
      _ what: String,
      _ request: (OpaquePointer?, UInt32, pa_context_success_cb_t?, UnsafeMutableRawPointer?) -> OpaquePointer?,
      _ index: Int, isThere: () throws -> Bool
    ) throws {
      func ask() throws {
        try PulseConnection(serverString).perform { context, completion, data in
          request(context, UInt32(index), completion, data)
        }
      }
      try ask()
      let isGone = try eventually {
        guard try isThere() else { return true }
        // That it is gone by now is no error.
        try? ask()
        return false
      }
      guard isGone else { throw RigError("The server does not let go of \(what)") }
    }
  }

  /// A connection to a server for one request, on the calling thread.
  private final class PulseConnection {
    private let loop: OpaquePointer
    private let context: OpaquePointer

    /// Connects. Blocks, for five seconds at most.
    init(_ server: String) throws {
      guard let loop = pa_mainloop_new() else { throw RigError("pa_mainloop_new") }
      guard let context = pa_context_new(pa_mainloop_get_api(loop), "AudioTestSupport") else {
        pa_mainloop_free(loop)
        throw RigError("pa_context_new")
      }
      self.loop = loop
      self.context = context
      guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else { throw failure("connect") }
      try iterate {
        PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) == 0 || pa_context_get_state(context) == PA_CONTEXT_READY
      }
      guard pa_context_get_state(context) == PA_CONTEXT_READY else { throw failure("connect") }
    }

    deinit {
      pa_context_disconnect(context)
      pa_context_unref(context)
      pa_mainloop_free(loop)
    }

    /// Makes a request and waits for its answer. Blocks, for five seconds at most.
    func perform(
      _ request: (OpaquePointer, @escaping pa_context_success_cb_t, UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws {
      var answer: Int32 = -1
      try withUnsafeMutablePointer(to: &answer) { answer in
        let operation = request(context, { _, success, data in data?.storeBytes(of: success, as: Int32.self) }, answer)
        guard let operation else { throw failure("request") }
        defer {
          pa_operation_cancel(operation)
          pa_operation_unref(operation)
        }
        try iterate { pa_operation_get_state(operation) != PA_OPERATION_RUNNING }
      }
      guard answer == 1 else { throw failure("request") }
    }

    private func iterate(until isDone: () -> Bool) throws {
      let deadline = ContinuousClock.now + .seconds(5)
      while !isDone() {
        guard ContinuousClock.now < deadline else { throw RigError("The sound server does not answer") }
        guard pa_mainloop_prepare(loop, 100_000) >= 0, pa_mainloop_poll(loop) >= 0, pa_mainloop_dispatch(loop) >= 0
        else { throw failure("main loop") }
      }
    }

    private func failure(_ what: String) -> RigError {
      RigError("\(what): \(String(cString: pa_strerror(pa_context_errno(context))))")
    }
  }
#endif
