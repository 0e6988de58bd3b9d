import AudioDeviceKit
import RealtimeSupport

/// What a manager tells, in the order it came.
final class EventLog: Sendable {
  private let seen = Locked<[AudioDeviceEvent]>([])
  private let listener: Task<Void, Never>

  init(_ manager: AudioDeviceManager) {
    let events = manager.events()
    listener = Task { [seen] in
      for await event in events { seen.withLock { $0.append(event) } }
    }
  }

  /// Forgets what came so far.
  func clear() { seen.withLock { $0 = [] } }

  /// What came so far.
  var events: [AudioDeviceEvent] { seen.withLock { $0 } }

  /// How many events came of a name and a direction.
  func count(_ name: String, _ direction: AudioDirection? = nil) -> Int {
    events.filter { $0.kind.name == name && (direction == nil || $0.kind.direction == direction) }.count
  }

  /// All events, for messages.
  var story: String { events.map { "\($0.kind)" }.joined(separator: "; ") }

  func end() { listener.cancel() }
}
