extension AudioDeviceManager {
  /// Whether silence is sent in place of what the microphone hears.
  public var isAudioSoftMuted: Bool { gates.isSoftMuted }

  /// Whether the microphone is closed whatever is wished.
  public var isAudioHardMuted: Bool { gates.isHardMuted }

  /// Sends silence in place of what the microphone hears, or no longer. The microphone stays as it is.
  ///
  /// Takes effect with the next period; independent of the hard mute. Idempotent.
  ///
  /// - Parameter isMuted: Whether to mute.
  public func setAudioSoftMute(_ isMuted: Bool) {
    let change = state.withLock { state -> AudioGates? in
      guard state.gates.isSoftMuted != isMuted else { return nil }
      state.gates.isSoftMuted = isMuted
      return state.gates
    }
    guard let change else { return }
    broadcaster.post(.muteChanged(soft: change.isSoftMuted, hard: change.isHardMuted))
    capture.apply()
  }

  /// Closes the microphone so that no stream exists at the server and nothing is sent, or lets it open again.
  ///
  /// Waits for the device. Playback is not touched; independent of the soft mute. Idempotent.
  ///
  /// - Parameter isMuted: Whether to mute.
  /// - Throws: ``AudioDeviceError`` when the microphone cannot be opened again: it stays muted, and the call can be
  ///   made again.
  public func setAudioHardMute(_ isMuted: Bool) throws(AudioDeviceError) {
    let change = state.withLock { state -> AudioGates? in
      guard state.gates.isHardMuted != isMuted else { return nil }
      state.gates.isHardMuted = isMuted
      return state.gates
    }
    guard let change else { return }
    if let failure = capture.apply(), !isMuted {
      state.withLock { state in
        state.gates.isHardMuted = true
        state.gates.captureIsLost = false
      }
      capture.apply()
      throw failure
    }
    broadcaster.post(.muteChanged(soft: change.isSoftMuted, hard: isMuted))
  }
}
