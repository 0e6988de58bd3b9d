#if PulseAudio
  internal import AudioDeviceCore
  internal import Dispatch

  /// The answer to one request that a control thread made of the mainloop's thread.
  final class PulseReply<Value: Sendable>: Sendable {
    private enum State {
      case open
      case resolved(Result<Value, AudioDeviceError>)
      case abandoned
    }
    private let state = Locked(State.open)
    private let arrival = DispatchSemaphore(value: 0)

    /// Whether nobody waits any more.
    var isAbandoned: Bool {
      state.withLock { state in
        if case .abandoned = state { true } else { false }
      }
    }

    /// Answers. Only the first answer counts.
    ///
    /// - Parameter result: The answer.
    /// - Returns: Whether it reached the one who waits; what an answer brings must otherwise be undone.
    @discardableResult
    func resolve(_ result: Result<Value, AudioDeviceError>) -> Bool {
      let isFirst = state.withLock { state in
        guard case .open = state else { return false }
        state = .resolved(result)
        return true
      }
      if isFirst { arrival.signal() }
      return isFirst
    }

    /// Waits for the answer, and abandons it when it does not come.
    ///
    /// - Parameter limit: The longest wait.
    /// - Returns: The answer, or nil.
    func wait(limit: Duration) -> Result<Value, AudioDeviceError>? {
      let nanoseconds = Int(min(max(limit.wholeNanoseconds, 0), Int64(Int32.max) * 1_000_000))
      _ = arrival.wait(timeout: .now() + .nanoseconds(nanoseconds))
      return state.withLock { state in
        if case .resolved(let result) = state { return result }
        state = .abandoned
        return nil
      }
    }
  }
#endif
