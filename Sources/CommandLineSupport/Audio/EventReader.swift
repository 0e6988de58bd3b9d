package import AudioDeviceKit
internal import RealtimeSupport

/// Brings the events of a manager to the main thread of a command, which waits on its ``StopSignal``.
///
/// Every event is written as it comes: with `--events` all of them as JSON lines, else what a person should know.
package final class EventReader: Sendable {
  /// How many wait for a command that reads them late, or never; then the oldest go.
  private static let backlog = 1024

  private let queue: Queue
  private let task: Task<Void, Never>

  /// Begins to read. Before the manager is given its device, so that nothing is missed.
  ///
  /// - Parameters:
  ///   - manager: Whose events.
  ///   - context: Where to write, and who is woken by every event.
  ///   - arguments: Tell whether the virtual backend was asked for; else its choice is worth a word. Nil for no such
  ///     word.
  /// - Throws: ``AudioDeviceError`` when the process is out of descriptors.
  package init(
    _ manager: AudioDeviceManager, _ context: CommandContext, _ arguments: ParsedArguments?
  ) throws(AudioDeviceError) {
    let expectsVirtual = arguments.map { !DeviceOptions.isAutomatic($0) } ?? true
    let queue: Queue
    do throws(SystemCallError) {
      queue = Queue(changed: try WakeEvent())
    } catch {
      throw AudioDeviceError(error, "Events cannot be read.")
    }
    let events = manager.events()
    self.queue = queue
    task = Task.detached {
      var started: Set<AudioDirection> = []
      for await event in events {
        context.console.report(event: event.kind.name, event.kind.members, at: event.time)
        if case .started(let direction, _) = event.kind { started.insert(direction) }
        // A direction that fails at its first start is the command's own failure, which is told at its end.
        if let words = event.kind.warning, event.kind.direction.map({ started.contains($0) }) ?? true {
          context.console.note(words)
        }
        if case .backendSelected("virtual") = event.kind, !expectsVirtual {
          context.console.note("No sound system was found: the virtual device is used, which nobody hears.")
        }
        queue.append(event)
        context.stop.wake()
      }
      queue.end()
    }
  }

  deinit { task.cancel() }

  /// The next event, if one has come. Does not block.
  package func next() -> AudioDeviceEvent? { queue.removeFirst() }

  /// The next event.
  ///
  /// - Parameter deadline: How long to wait for one.
  /// - Returns: The event; nil when none came in time.
  package func next(until deadline: AudioInstant) -> AudioDeviceEvent? {
    while true {
      if let event = queue.removeFirst() { return event }
      guard AudioInstant.now < deadline, queue.waitForChange(until: deadline) else { return nil }
    }
  }

  /// Reads and writes what has happened so far, and ends. Bounded by a second.
  package func finish() {
    // A cancelled task gets what its stream holds, and then the end of it.
    task.cancel()
    let deadline = AudioInstant.now + .seconds(1)
    while queue.waitForChange(until: deadline), AudioInstant.now < deadline {}
  }

  private final class Queue: Sendable {
    private let state = Locked<(events: [AudioDeviceEvent], hasEnded: Bool)>(([], false))
    private let changed: WakeEvent

    init(changed: WakeEvent) { self.changed = changed }

    func append(_ event: AudioDeviceEvent) {
      state.withLock { state in
        if state.events.count == EventReader.backlog { state.events.removeFirst() }
        state.events.append(event)
      }
      changed.signal()
    }

    func removeFirst() -> AudioDeviceEvent? {
      state.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
    }

    func end() {
      state.withLock { $0.hasEnded = true }
      changed.signal()
    }

    /// Returns whether more may come.
    func waitForChange(until deadline: AudioInstant) -> Bool {
      if state.withLock({ $0.hasEnded }) { return false }
      _ = changed.wait(limit: deadline - .now)
      return true
    }
  }
}
