#if PulseAudio
  internal import CPulse

  /// Follows requests to the server to their end, whatever that is. Mainloop's thread.
  ///
  /// libpulse calls an operation's own callback only when the server answers. The state callback used here also comes
  /// when the stream or the connection dies first, so nothing that waits for an operation is ever forgotten.
  enum PulseOperation {
    private final class End {
      let body: (Bool) -> Void
      init(_ body: @escaping (Bool) -> Void) { self.body = body }
    }

    /// Takes over an operation and tells its end, exactly once.
    ///
    /// - Parameters:
    ///   - operation: What a `pa_context_…` or `pa_stream_…` call returned; nil ends at once, unanswered.
    ///   - onEnd: Called with whether the server answered (`PA_OPERATION_DONE`), after the operation's own callback.
    static func follow(_ operation: OpaquePointer?, onEnd: @escaping (_ wasAnswered: Bool) -> Void) {
      guard let operation else { return onEnd(false) }
      pa_operation_set_state_callback(
        operation,
        { operation, context in
          guard let operation, let context else { return }
          let state = pa_operation_get_state(operation)
          guard state != PA_OPERATION_RUNNING else { return }
          pa_operation_set_state_callback(operation, nil, nil)
          Unmanaged<End>.fromOpaque(context).takeRetainedValue().body(state == PA_OPERATION_DONE)
        }, Unmanaged.passRetained(End(onEnd)).toOpaque())
      // The connection holds a reference of its own until the end.
      pa_operation_unref(operation)
    }
  }
#endif
