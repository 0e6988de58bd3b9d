#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  /// A timer of the mainloop (`time_new` of `pa_mainloop_api`). Mainloop's thread.
  final class PulseTimer {
    private let api: UnsafeMutablePointer<pa_mainloop_api>
    private let body: () -> Void
    private var event: OpaquePointer?
    /// Whether the body is going to be called.
    private(set) var isScheduled = false

    /// A timer that is not scheduled.
    ///
    /// - Parameters:
    ///   - api: Of the mainloop.
    ///   - body: Called on the mainloop's thread each time the timer has run down.
    init(api: UnsafeMutablePointer<pa_mainloop_api>, body: @escaping () -> Void) {
      self.api = api
      self.body = body
    }

    deinit { cancel() }

    /// Calls the body once, that long from now; replaces what was scheduled before.
    func schedule(after duration: Duration) {
      // The mainloop takes wall-clock time and turns it into the monotonic clock's at once.
      var time = timeval()
      pa_gettimeofday(&time)
      pa_timeval_add(&time, pa_usec_t(max(duration.wholeNanoseconds, 0) / 1000))
      isScheduled = true
      if let event {
        api.pointee.time_restart(event, &time)
        return
      }
      event = api.pointee.time_new(
        api, &time,
        { _, _, _, context in
          guard let context else { return }
          Unmanaged<PulseTimer>.fromOpaque(context).takeUnretainedValue().fire()
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func fire() {
      isScheduled = false
      body()
    }

    /// Takes back what was scheduled.
    func cancel() {
      isScheduled = false
      if let event { api.pointee.time_free(event) }
      event = nil
    }
  }
#endif
