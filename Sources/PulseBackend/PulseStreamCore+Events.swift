#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse
  internal import Synchronization

  /// What the server tells about a stream by itself. Mainloop's thread.
  extension PulseStreamCore {
    /// Has libpulse call us for everything but audio.
    func setEventCallbacks() {
      let context = Unmanaged.passUnretained(self).toOpaque()
      pa_stream_set_state_callback(stream, { PulseStreamCore.from($1)?.stateDidChange() }, context)
      pa_stream_set_moved_callback(stream, { PulseStreamCore.from($1)?.didMove() }, context)
      pa_stream_set_suspended_callback(stream, { PulseStreamCore.from($1)?.noteSuspension() }, context)
      pa_stream_set_buffer_attr_callback(stream, { PulseStreamCore.from($1)?.noteAttributes() }, context)
      pa_stream_set_overflow_callback(stream, { PulseStreamCore.from($1)?.countXrun() }, context)
      pa_stream_set_underflow_callback(stream, { PulseStreamCore.from($1)?.countXrun() }, context)
      pa_stream_set_event_callback(
        stream, { PulseStreamCore.from($3)?.didReceiveEvent($1) }, context)
    }

    /// Takes back all but the state callback, which sees the stream to its end.
    func clearEventCallbacks() {
      pa_stream_set_moved_callback(stream, nil, nil)
      pa_stream_set_suspended_callback(stream, nil, nil)
      pa_stream_set_buffer_attr_callback(stream, nil, nil)
      pa_stream_set_overflow_callback(stream, nil, nil)
      pa_stream_set_underflow_callback(stream, nil, nil)
      pa_stream_set_event_callback(stream, nil, nil)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> PulseStreamCore? {
      context.map { Unmanaged<PulseStreamCore>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Keeps the name of the device that the stream is on, `pa_stream_get_device_name`.
    ///
    /// - Returns: The name; nil when the server does not tell.
    @discardableResult
    func noteDevice() -> String? {
      let name = pa_stream_get_device_name(stream).map { String(cString: $0) }
      state.deviceID.withLock { $0 = name }
      return name
    }

    /// Keeps what the server granted, `pa_stream_get_buffer_attr`.
    func noteAttributes() {
      guard let granted = pa_stream_get_buffer_attr(stream) else { return }
      let attributes = PulseBufferAttributes(direction, granted: granted.pointee)
      state.bufferAttributes.withLock { $0 = attributes }
      expectPasses()
    }

    private func didMove() {
      interrupt()
      noteAttributes()
      let former = state.deviceID.withLock { $0 }
      if let device = noteDevice(), device != former { state.notices.send(.moved(deviceID: device)) }
      noteSuspension()
    }

    /// Tells a running stream's client when its device was suspended or works again, `pa_stream_is_suspended`.
    func noteSuspension() {
      // A corked stream does not keep its device awake, so that says nothing.
      guard phase == .running else { return }
      let isSuspended = pa_stream_is_suspended(stream) > 0
      guard isSuspended != self.isSuspended else { return }
      self.isSuspended = isSuspended
      interrupt()
      state.notices.send(.suspended(isSuspended))
    }

    /// Gives way when the server asks for it, and comes back when it asks for that: it only asks back who gave way.
    private func didReceiveEvent(_ name: UnsafePointer<CChar>?) {
      guard let name, phase == .running else { return }
      let mustCork: Bool
      switch String(cString: name) {
      case PA_STREAM_EVENT_REQUEST_CORK: mustCork = true
      case PA_STREAM_EVENT_REQUEST_UNCORK: mustCork = false
      default: return
      }
      guard mustCork != isCorked else { return }
      isCorked = mustCork
      interrupt()
      PulseOperation.follow(pa_stream_cork(stream, mustCork ? 1 : 0, nil, nil)) { _ in }
      state.notices.send(.corkRequested(mustCork))
    }
  }
#endif
