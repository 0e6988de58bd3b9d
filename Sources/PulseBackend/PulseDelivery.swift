#if PulseAudio
  internal import AudioDeviceCore
  internal import Dispatch

  /// The serial queue on which clients and watchers get their notices, so that these never run on the audio thread.
  final class PulseNoticeQueue: Sendable {
    private let queue = DispatchQueue(label: "pulse-notices")
    private let key = DispatchSpecificKey<Bool>()

    /// An empty queue.
    init() { queue.setSpecific(key: key, value: true) }

    /// Whether the calling thread is running something of this queue.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Runs something later, in order.
    func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
  }

  /// Hands messages to one handler on the notice queue, until it is closed.
  final class PulseDelivery<Message: Sendable>: Sendable {
    private struct State {
      var handler: (@Sendable (Message) -> Void)?
      var pending = 0
    }
    private let queue: PulseNoticeQueue
    private let state: Locked<State>

    /// A delivery that is open.
    ///
    /// - Parameters:
    ///   - queue: Where the handler runs.
    ///   - handler: Gets the messages; retained until the delivery is closed.
    init(queue: PulseNoticeQueue, handler: @escaping @Sendable (Message) -> Void) {
      self.queue = queue
      state = Locked(State(handler: handler))
    }

    /// Sends a message. Any thread; allocates, does not wait.
    func send(_ message: Message) {
      state.withLock { $0.pending += 1 }
      queue.run { [self] in
        let handler = state.withLock { $0.handler }
        handler?(message)
        state.withLock { $0.pending -= 1 }
      }
    }

    /// Drops the handler. After it returned the handler is not called, and does not run unless it is stuck or is itself
    /// the caller.
    ///
    /// - Parameter limit: How long to wait for a handler that runs now.
    func close(limit: Duration) {
      // Out of the lock, because a handler's deinitialiser may do anything.
      let (handler, pending) = state.withLock { state in
        defer { state.handler = nil }
        return (state.handler, state.pending)
      }
      guard handler != nil, pending > 0, !queue.isCurrent else { return }
      let reply = PulseReply<Void>()
      queue.run { reply.resolve(.success(())) }
      _ = reply.wait(limit: limit)
    }
  }
#endif
