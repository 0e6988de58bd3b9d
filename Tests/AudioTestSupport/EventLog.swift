public import AudioDeviceCore
internal import RealtimeSupport

/// What a manager tells, in the order it came.
///
/// It listens on a thread of its own: tests that block all of Swift's do not hold it up.
public final class EventLog: Sendable {
  private let seen = Locked<[AudioDeviceEvent]>([])
  private let listener: Task<Void, Never>

  /// Listens from now on.
  public init(_ manager: AudioDeviceManager) {
    let events = manager.events()
    listener = Task(executorPreference: OwnThreadExecutor()) { [seen] in
      for await event in events { seen.withLock { $0.append(event) } }
    }
  }

  deinit { listener.cancel() }

  /// Forgets what came so far.
  public func clear() { seen.withLock { $0 = [] } }

  /// What came so far.
  public var events: [AudioDeviceEvent] { seen.withLock { $0 } }

  /// The names of what came so far.
  public var names: [String] { events.map(\.kind.name) }

  /// How many events came of a name and a direction.
  public func count(_ name: String, _ direction: AudioDirection? = nil) -> Int {
    events.filter { $0.kind.name == name && (direction == nil || $0.kind.direction == direction) }.count
  }

  /// All events, for messages.
  public var story: String { events.map { "\($0.kind)" }.joined(separator: "; ") }

  /// Listens no more.
  public func end() { listener.cancel() }
}
