#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  extension AudioDeviceError {
    /// An error from libpulse's number for it.
    ///
    /// - Parameters:
    ///   - number: One of `PA_ERR_…`; its sign does not matter.
    ///   - call: The C call that failed.
    /// - Returns: The error, with `pa_strerror`'s words as detail.
    static func pulse(_ number: Int32, call: String) -> AudioDeviceError {
      let number = number == .min ? 0 : abs(number)
      let (code, message) = meaning(UInt32(number))
      let detail = pa_strerror(number).map { String(cString: $0) }
      return AudioDeviceError(code, message, call: call, number: Int(number), detail: detail)
    }

    /// An error from the number that a context holds of its last failure, `pa_context_errno`.
    ///
    /// - Parameters:
    ///   - context: The context; nil when there is none any more.
    ///   - call: The C call that failed.
    /// - Returns: The error.
    static func pulse(in context: OpaquePointer?, call: String) -> AudioDeviceError {
      guard let context else { return .pulse(Int32(PA_ERR_CONNECTIONTERMINATED.rawValue), call: call) }
      return .pulse(pa_context_errno(context), call: call)
    }

    /// The connection could not be made.
    ///
    /// - Parameter number: Of `pa_context_errno`.
    /// - Returns: The error. A connection that ends at once counts as a server that is not there, and the only argument
    ///   that can be invalid is the address.
    static func pulseConnecting(_ number: Int32) -> AudioDeviceError {
      let error = AudioDeviceError.pulse(number, call: "pa_context_connect")
      let reason: pa_error_code
      switch error.code {
      case .deviceLost: reason = PA_ERR_CONNECTIONREFUSED
      case .invalidArgument: reason = PA_ERR_INVALIDSERVER
      default: return error
      }
      return AudioDeviceError(
        .serverUnavailable, meaning(reason.rawValue).1, call: error.call, number: error.number, detail: error.detail)
    }

    /// The server did not answer in time.
    ///
    /// - Parameter call: The C call whose answer did not come.
    /// - Returns: The error.
    static func pulseTimedOut(call: String) -> AudioDeviceError {
      .pulse(Int32(PA_ERR_TIMEOUT.rawValue), call: call)
    }

    /// No device has that id.
    ///
    /// - Parameters:
    ///   - id: The id; nil for the default.
    ///   - direction: The direction it was asked for.
    ///   - call: The C call that told.
    /// - Returns: The error.
    static func pulseDeviceNotFound(_ id: String?, _ direction: AudioDirection, call: String) -> AudioDeviceError {
      let kind = direction == .capture ? "source" : "sink"
      let message =
        id.map { "The sound server has no \(kind) named “\($0)”; list the devices to see what there is." }
        ?? "The sound server has no \(kind) at all; connect a device, or load one (module-null-\(kind))."
      let number = PA_ERR_NOENTITY.rawValue
      let detail = pa_strerror(Int32(number)).map { String(cString: $0) }
      return AudioDeviceError(.deviceNotFound, message, call: call, number: Int(number), detail: detail)
    }

    /// A function that waits was called on the thread that it would wait for.
    ///
    /// - Parameter call: The function of ours.
    /// - Returns: The error.
    static func pulseOnAudioThread(_ call: String) -> AudioDeviceError {
      AudioDeviceError(.invalidState, "\(call) waits for the audio thread and cannot be called on it.")
    }

    /// The stream was closed.
    static var pulseStreamIsClosed: AudioDeviceError {
      AudioDeviceError(.invalidState, "The stream is closed; open another one.")
    }

    private static func meaning(_ number: UInt32) -> (Code, String) {
      switch number {
      case PA_ERR_CONNECTIONREFUSED.rawValue:
        (.serverUnavailable, "No PulseAudio or PipeWire server answers; start one or choose another backend.")
      case PA_ERR_INVALIDSERVER.rawValue:
        (
          .serverUnavailable,
          "The sound server's address is not valid; write it as unix:/path or tcp:host:port, or leave it out."
        )
      case PA_ERR_ACCESS.rawValue, PA_ERR_AUTHKEY.rawValue:
        (
          .permissionDenied,
          "The sound server does not let this user in; run as the user it belongs to, or name its cookie in PULSE_COOKIE."
        )
      case PA_ERR_TIMEOUT.rawValue:
        (.timedOut, "The sound server does not answer in time; if it hangs, restart it.")
      case PA_ERR_NOENTITY.rawValue:
        (.deviceNotFound, "The sound server does not have that device; list the devices to see what there is.")
      case PA_ERR_BUSY.rawValue:
        (.deviceBusy, "Another program holds the device; close it there, or choose another device.")
      case PA_ERR_CONNECTIONTERMINATED.rawValue:
        (.deviceLost, "The sound server ended the connection; it was stopped, or it crashed.")
      case PA_ERR_KILLED.rawValue:
        (.deviceLost, "The sound server ended the stream; its device went away, or somebody closed it there.")
      case PA_ERR_BADSTATE.rawValue, PA_ERR_FORKED.rawValue:
        (.invalidState, "The sound server's library cannot do that in its present state.")
      case PA_ERR_INVALID.rawValue:
        (.invalidArgument, "The sound server takes an argument for invalid; see which call it was.")
      case PA_ERR_VERSION.rawValue, PA_ERR_PROTOCOL.rawValue, PA_ERR_COMMAND.rawValue, PA_ERR_NOTSUPPORTED.rawValue,
        PA_ERR_NOTIMPLEMENTED.rawValue, PA_ERR_OBSOLETE.rawValue, PA_ERR_NOEXTENSION.rawValue:
        (.backendUnavailable, "The sound server does not understand this library; bring both to the same version.")
      default:
        (.systemFailure, "The sound server or its library failed; see its log.")
      }
    }
  }
#endif
