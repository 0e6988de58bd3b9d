import AudioDeviceKit
import RealtimeSupport

/// What a manager tells, in the order it came.
final class EventLog: Sendable {
  private let seen = Locked<[AudioDeviceEvent.Kind]>([])
  private let listener: Task<Void, Never>

  init(_ manager: AudioDeviceManager) {
    let events = manager.events()
    listener = Task { [seen] in
      for await event in events { seen.withLock { $0.append(event.kind) } }
    }
  }

  /// Forgets what came so far.
  func clear() { seen.withLock { $0 = [] } }

  /// How many events came of a name and a direction.
  func count(_ name: String, _ direction: AudioDirection? = nil) -> Int {
    seen.withLock { seen in
      seen.filter { $0.name == name && (direction == nil || $0.direction == direction) }.count
    }
  }

  /// All events, for messages.
  var story: String { seen.withLock { $0.map { "\($0)" }.joined(separator: "; ") } }

  func end() { listener.cancel() }
}
