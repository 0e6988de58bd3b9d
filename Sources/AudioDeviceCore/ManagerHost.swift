internal import Synchronization

/// What a manager is to the device it hosts. After the device was replaced it ignores what that still says.
final class ManagerHost: AudioDeviceHost {
  private weak let manager: AudioDeviceManager?
  private let isValid = Atomic<Bool>(true)

  init(_ manager: AudioDeviceManager) { self.manager = manager }

  func invalidate() { isValid.store(false, ordering: .relaxed) }

  private var current: AudioDeviceManager? { isValid.load(ordering: .relaxed) ? manager : nil }

  func setRinging(_ isRinging: Bool) {
    guard let manager = current else { return }
    manager.state.withLock { $0.gates.isRinging = isRinging }
    manager.capture.apply()
    manager.render.apply()
  }

  func didLose(_ direction: AudioDirection, _ error: AudioDeviceError) {
    guard let manager = current else { return }
    let isNew = manager.state.withLock { state in
      guard state.gates.isWished(direction), !state.gates.isLost(direction) else { return false }
      state.gates.setLost(direction, true)
      return true
    }
    guard isNew else { return }
    manager.broadcaster.post(.lost(direction, error))
    (direction == .capture ? manager.capture : manager.render).applySoon()
  }

  func mayBeBack(_ direction: AudioDirection) {
    guard let manager = current, manager.state.withLock({ $0.gates.isLost(direction) }) else { return }
    (direction == .capture ? manager.capture : manager.render).retrySoon()
  }

  func setHeld(_ direction: AudioDirection, _ reason: InterruptionReason, _ isHeld: Bool) {
    guard let manager = current else { return }
    let event = manager.state.withLock {
      $0.setInterruption(Interruption(reason: reason, direction: direction), isHeld)
    }
    if let event { manager.broadcaster.post(event) }
    manager.capture.applySoon()
    manager.render.applySoon()
  }

  func post(_ kind: AudioDeviceEvent.Kind) { current?.broadcaster.post(kind) }
}
