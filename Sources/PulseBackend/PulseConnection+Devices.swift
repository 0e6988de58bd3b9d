#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  /// What devices there are. Mainloop's thread.
  extension PulseConnection {
    /// Lists all devices of both directions: `pa_context_get_server_info` and the two lists.
    ///
    /// - Parameters:
    ///   - context: The connection's, ready.
    ///   - onEnd: Called once with the sinks and then the sources, in the server's order.
    func listDevices(
      _ context: OpaquePointer, onEnd: @escaping (Result<[AudioDeviceInfo], AudioDeviceError>) -> Void
    ) {
      let answers = PulseDeviceAnswers()
      let data = Unmanaged.passUnretained(answers).toOpaque()
      var awaited = 3
      func end(_ call: String, _ wasAnswered: Bool) {
        if !wasAnswered, answers.error == nil { answers.error = .pulse(in: self.context(context), call: call) }
        awaited -= 1
        if awaited == 0 { onEnd(answers.result) }
      }
      // The answers live until the last of these has ended, by way of `end`.
      PulseOperation.follow(pa_context_get_server_info(context, { PulseDeviceAnswers.from($2)?.take($1) }, data)) {
        end("pa_context_get_server_info", $0)
      }
      PulseOperation.follow(
        pa_context_get_sink_info_list(context, { PulseDeviceAnswers.from($3)?.take($1, $2, $0) }, data)
      ) { end("pa_context_get_sink_info_list", $0) }
      PulseOperation.follow(
        pa_context_get_source_info_list(context, { PulseDeviceAnswers.from($3)?.take($1, $2, $0) }, data)
      ) { end("pa_context_get_source_info_list", $0) }
    }

    /// Asks the server for a sign of life, `pa_context_get_server_info`.
    ///
    /// - Parameters:
    ///   - context: The connection's, ready.
    ///   - onEnd: Called once with nil when it answered, or why it did not.
    func ping(_ context: OpaquePointer, onEnd: @escaping (AudioDeviceError?) -> Void) {
      let operation = pa_context_get_server_info(context, { _, _, _ in }, nil)
      PulseOperation.follow(operation) { [self] wasAnswered in
        onEnd(wasAnswered ? nil : .pulse(in: self.context(context), call: "pa_context_get_server_info"))
      }
    }

    /// Makes sure that a device exists. PulseAudio refuses a stream for a device that it does not have; PipeWire
    /// silently takes the default instead.
    ///
    /// - Parameters:
    ///   - id: The device; nil for the default, which is left to the server.
    ///   - direction: Its direction.
    ///   - context: The connection's, ready.
    ///   - onEnd: Called once with nil when it exists, or why not.
    func findDevice(
      _ id: String?, _ direction: AudioDirection, _ context: OpaquePointer,
      onEnd: @escaping (AudioDeviceError?) -> Void
    ) {
      guard let id else { return onEnd(nil) }
      let answers = PulseDeviceAnswers()
      let data = Unmanaged.passUnretained(answers).toOpaque()
      let call: String
      let operation: OpaquePointer?
      switch direction {
      case .capture:
        call = "pa_context_get_source_info_by_name"
        operation = pa_context_get_source_info_by_name(
          context, id, { PulseDeviceAnswers.from($3)?.take($1, $2, $0) }, data)
      case .render:
        call = "pa_context_get_sink_info_by_name"
        operation = pa_context_get_sink_info_by_name(
          context, id, { PulseDeviceAnswers.from($3)?.take($1, $2, $0) }, data)
      }
      // No operation: libpulse does not take that for a name at all.
      guard operation != nil else { return onEnd(.pulseDeviceNotFound(id, direction, call: call)) }
      PulseOperation.follow(operation) { wasAnswered in
        guard wasAnswered else { return onEnd(.pulse(in: self.context(context), call: call)) }
        // The server also takes an index for a name, and names such as @DEFAULT_SINK@ for what they stand for.
        let exists = answers.devices.contains { $0.name == id || id.hasPrefix("@") }
        if exists { return onEnd(nil) }
        // What is not a name at all is invalid to the server.
        if let error = answers.error, ![.deviceNotFound, .invalidArgument].contains(error.code) { return onEnd(error) }
        onEnd(.pulseDeviceNotFound(id, direction, call: call))
      }
    }
  }

  /// Collects the answers to one listing.
  private final class PulseDeviceAnswers {
    private(set) var devices: [PulseDeviceFacts] = []
    private var defaults: [AudioDirection: String] = [:]
    var error: AudioDeviceError?

    static func from(_ data: UnsafeMutableRawPointer?) -> PulseDeviceAnswers? {
      data.map { Unmanaged<PulseDeviceAnswers>.fromOpaque($0).takeUnretainedValue() }
    }

    func take(_ server: UnsafePointer<pa_server_info>?) {
      guard let server = server?.pointee else { return }
      defaults[.render] = String(pulse: server.default_sink_name)
      defaults[.capture] = String(pulse: server.default_source_name)
    }

    func take(_ sink: UnsafePointer<pa_sink_info>?, _ end: Int32, _ context: OpaquePointer?) {
      if let sink, end == 0 { devices.append(PulseDeviceFacts(sink.pointee)) }
      if end < 0 { error = .pulse(in: context, call: "pa_context_get_sink_info_list") }
    }

    func take(_ source: UnsafePointer<pa_source_info>?, _ end: Int32, _ context: OpaquePointer?) {
      if let source, end == 0 { devices.append(PulseDeviceFacts(source.pointee)) }
      if end < 0 { error = .pulse(in: context, call: "pa_context_get_source_info_list") }
    }

    var result: Result<[AudioDeviceInfo], AudioDeviceError> {
      if let error { return .failure(error) }
      return .success(devices.map { $0.info(defaultName: defaults[$0.direction] ?? "") })
    }
  }
#endif
