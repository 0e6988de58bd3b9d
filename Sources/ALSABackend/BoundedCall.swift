#if ALSA
  internal import AudioDeviceCore

  /// Calls into alsa-lib that may never return, with a limit.
  ///
  /// A PCM of a sound server's plug-in waits for its server without a time-out, in `snd_pcm_open`, `prepare`, `start`
  /// and `close`; so does the hook that Debian runs when the configuration is read. A server that was stopped would
  /// hang its client. Such a call gets a thread of its own, which is left behind when the limit has passed; what it
  /// brings when it does return is released there.
  enum BoundedCall {
    private final class Slot<Value: Sendable>: Sendable {
      let value = Locked<Value?>(nil)
      let isFilled: WakeEvent
      init() throws(SystemCallError) { isFilled = try WakeEvent() }
    }

    /// Runs a body on a thread of its own, at normal priority, with ``ALSALog`` collecting.
    ///
    /// - Parameters:
    ///   - limit: The longest wait.
    ///   - body: What may hang.
    /// - Returns: What the body returned; nil when it had not after the limit.
    /// - Throws: ``SystemCallError`` when the system has no thread or descriptor left.
    static func run<Value: Sendable>(
      limit: Duration, _ body: @escaping @Sendable () -> Value
    ) throws(SystemCallError) -> Value? {
      let slot = try Slot<Value>()
      let thread = try RealtimeThread(name: "alsa-call", scheduling: .normal) {
        let value = ALSALog.collect(body)
        slot.value.withLock { $0 = value }
        slot.isFilled.signal()
      }
      guard slot.isFilled.wait(limit: limit) else { return nil }
      thread.join()
      return slot.value.withLock { value in
        defer { value = nil }
        return value
      }
    }
  }
#endif
