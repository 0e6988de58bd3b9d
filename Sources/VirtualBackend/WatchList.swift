internal import AudioDeviceCore
internal import Synchronization

/// Who wants to know of changes to the devices. Any thread but an audio thread.
final class WatchList: Sendable {
  private struct State {
    var events: [Int: WakeEvent] = [:]
    var nextKey = 0
  }
  private let state = Locked(State())

  /// Starts a watch.
  ///
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the system has no thread or descriptor left.
  func add(_ onChange: @escaping @Sendable () -> Void) throws(AudioDeviceError) -> VirtualDeviceWatch {
    do throws(SystemCallError) {
      let event = try WakeEvent()
      let key = state.withLock { state in
        state.nextKey += 1
        state.events[state.nextKey] = event
        return state.nextKey
      }
      do throws(SystemCallError) {
        return try VirtualDeviceWatch(event, onChange) { [weak self] in self?.remove(key) }
      } catch {
        remove(key)
        throw error
      }
    } catch {
      throw AudioDeviceError(error, "The virtual devices cannot be watched.")
    }
  }

  /// Tells all watches of a change. Does not wait for them.
  func tell() {
    for event in state.withLock({ Array($0.events.values) }) { event.signal() }
  }

  private func remove(_ key: Int) { _ = state.withLock { $0.events.removeValue(forKey: key) } }
}

/// A watch, and the thread that calls its handler.
final class VirtualDeviceWatch: AudioDeviceWatch {
  private final class Shared: Sendable {
    let isCancelled = Atomic<Bool>(false)
  }
  private let shared = Shared()
  private let event: WakeEvent
  private let thread: RealtimeThread
  private let onCancel: @Sendable () -> Void

  init(
    _ event: WakeEvent, _ onChange: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable () -> Void
  ) throws(SystemCallError) {
    self.event = event
    self.onCancel = onCancel
    // The thread must not retain the watch, which ends when it is released.
    thread = try RealtimeThread(name: "virtual-watch", scheduling: .normal) { [shared] in
      while !shared.isCancelled.load(ordering: .acquiring) {
        guard event.wait(limit: .seconds(60)), !shared.isCancelled.load(ordering: .acquiring) else { continue }
        onChange()
      }
    }
  }

  deinit { cancel() }

  func cancel() {
    shared.isCancelled.store(true, ordering: .releasing)
    event.signal()
    thread.join()
    onCancel()
  }
}
