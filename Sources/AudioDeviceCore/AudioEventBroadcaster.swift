/// Hands each event to any number of listeners, none of which can hold up another.
public final class AudioEventBroadcaster: Sendable {
  /// How many events wait for a slow listener; then the oldest go.
  public static let backlog = 1024

  private struct State {
    var listeners: [Int: AsyncStream<AudioDeviceEvent>.Continuation] = [:]
    var nextKey = 0
  }
  private let state = Locked(State())

  /// A broadcaster without listeners.
  public init() {}

  deinit {
    for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
  }

  /// A new listener's events, beginning with the next one. Ends when the broadcaster goes.
  ///
  /// - Returns: An asynchronous sequence for one task.
  public func events() -> AsyncStream<AudioDeviceEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AudioDeviceEvent.self, bufferingPolicy: .bufferingNewest(Self.backlog))
    let key = state.withLock { state in
      state.nextKey += 1
      state.listeners[state.nextKey] = continuation
      return state.nextKey
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: key) }
    }
    return stream
  }

  /// Sends an event to all listeners. Any thread but an audio thread: it allocates, and does not wait for listeners.
  ///
  /// - Parameter kind: What happened, now.
  public func post(_ kind: AudioDeviceEvent.Kind) {
    let event = AudioDeviceEvent(kind)
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }
}
