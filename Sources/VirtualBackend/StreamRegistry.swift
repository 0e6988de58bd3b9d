internal import AudioDeviceCore

/// Which streams are open, and how many ever were. Any thread but an audio thread.
final class StreamRegistry: Sendable {
  private struct State {
    var runners: [Int: StreamRunner] = [:]
    var nextKey = 0
    var opened: [AudioDirection: Int] = [:]
  }
  private let state = Locked(State())

  /// A number for a stream that is being opened.
  func makeKey() -> Int {
    state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
  }

  func add(_ runner: StreamRunner) {
    state.withLock { state in
      state.runners[runner.identity.key] = runner
      state.opened[runner.identity.configuration.direction, default: 0] += 1
    }
  }

  func remove(_ key: Int) {
    // The runner must not go while the lock is held: it lets go of the client.
    _ = state.withLock { $0.runners.removeValue(forKey: key) }
  }

  /// The open streams for which a condition holds, in the order they were opened.
  func runners(where isIncluded: (VirtualBackend.OpenStream) -> Bool = { _ in true }) -> [StreamRunner] {
    state.withLock { Array($0.runners.values) }
      .filter { isIncluded($0.identity.snapshot) }
      .sorted { $0.identity.key < $1.identity.key }
  }

  /// How many streams of a direction were ever opened.
  func openedCount(_ direction: AudioDirection) -> Int { state.withLock { $0.opened[direction] ?? 0 } }
}
