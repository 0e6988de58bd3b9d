internal import VirtualBackend

#if ALSA
  internal import ALSABackend
#endif
#if PulseAudio
  internal import PulseBackend
#endif

/// Carries out a ``BackendChoice`` for one device.
///
/// A sound system that was chosen automatically stays chosen, so that a server's restart does not send a call
/// elsewhere. The virtual backend, which is nobody's wish, is given up for a sound system at the next opening, for which
/// ``DeviceRouter`` sees when one comes.
final class BackendSelector: Sendable {
  private struct State {
    var selected: (any AudioBackend)?
    var candidates: [any AudioBackend] = []
  }
  private let choice: BackendChoice
  private let application: ApplicationIdentity
  private let state = Locked(State())

  init(_ choice: BackendChoice, application: ApplicationIdentity) {
    self.choice = choice
    self.application = application
  }

  /// The backend that was chosen last, without a new look.
  var current: (any AudioBackend)? { state.withLock { $0.selected } }

  /// Whether the virtual backend stands in because no sound system was there.
  var isStandingIn: Bool {
    guard case .automatic = choice else { return false }
    return current is VirtualBackend
  }

  /// Whether a sound system is there now. Blocks for a bounded time while servers are asked.
  var soundSystemIsThere: Bool { state.withLock { $0.candidates }.dropLast().contains { $0.isAvailable } }

  /// Chooses. Blocks for a bounded time while servers are asked.
  ///
  /// - Returns: The backend, and whether it is another one than before.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when a wished backend was not built in.
  func select() throws(AudioDeviceError) -> (backend: any AudioBackend, isNew: Bool) {
    let (selected, known) = state.withLock { ($0.selected, $0.candidates) }
    if let selected {
      guard case .automatic = choice, selected is VirtualBackend else { return (selected, false) }
    }
    let candidates = known.isEmpty ? try makeCandidates() : known
    // The last candidate is taken whether it is available or not: its own error says best what is wrong.
    let chosen = candidates.dropLast().first { $0.isAvailable } ?? candidates.last
    guard let chosen else {
      throw AudioDeviceError(.backendUnavailable, "No audio backend was built in.")
    }
    return state.withLock { state in
      state.candidates = candidates
      let isNew = state.selected !== chosen
      state.selected = chosen
      return (chosen, isNew)
    }
  }

  private func makeCandidates() throws(AudioDeviceError) -> [any AudioBackend] {
    switch choice {
    case .custom(let backend): return [backend]
    case .virtual: return [VirtualBackend()]
    case .pulse:
      #if PulseAudio
        return [PulseBackend(application: application)]
      #else
        throw Self.notBuilt("PulseAudio")
      #endif
    case .alsa:
      #if ALSA
        return [ALSABackend()]
      #else
        throw Self.notBuilt("ALSA")
      #endif
    case .automatic:
      var candidates: [any AudioBackend] = []
      #if PulseAudio
        candidates.append(PulseBackend(application: application))
      #endif
      #if ALSA
        candidates.append(ALSABackend())
      #endif
      candidates.append(VirtualBackend())
      return candidates
    }
  }

  private static func notBuilt(_ trait: String) -> AudioDeviceError {
    AudioDeviceError(
      .backendUnavailable, "The \(trait) backend was not built in; build the package with the trait \(trait).")
  }
}
