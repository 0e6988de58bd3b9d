internal import AudioDeviceKit
internal import RealtimeSupport

/// Hands each event to any number of listeners, none of which can hold up another.
final class EventBroadcaster<Event: Sendable>: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    var nextKey = 0
  }
  private let state = Locked(State())

  deinit { finish() }

  /// A new listener's events, beginning with the next one; of a slow listener the oldest go.
  func events() -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(AudioEventBroadcaster.backlog))
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

  func post(_ event: Event) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }

  /// Ends what all listeners hear.
  func finish() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }
}
