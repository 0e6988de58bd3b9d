/// What a device tells by itself to whoever hosts it; an ``AudioDeviceManager`` gives one to its device.
///
/// Any thread but an audio thread. After the device was replaced its host ignores it.
public protocol AudioDeviceHost: AnyObject, Sendable {
  /// Closes or opens the ringing gate.
  ///
  /// Blocks: when a `true` returns, both directions of the call are stopped and the client gets silence; when a `false`
  /// returns, what the client wishes has been started again as far as the other gates allow.
  ///
  /// - Parameter isRinging: Whether a ringtone has the audio.
  func setRinging(_ isRinging: Bool)

  /// Tells that a direction which was started has died. Does not block: the host stops the direction, gives the client
  /// silence and starts the direction again until that succeeds or nobody wishes it.
  ///
  /// - Parameters:
  ///   - direction: What was lost.
  ///   - error: Why.
  func didLose(_ direction: AudioDirection, _ error: AudioDeviceError)

  /// Tells that a lost direction may work again, for instance because a device came: it is tried at once, without
  /// waiting for the next of the regular tries. Does not block.
  ///
  /// - Parameter direction: Which.
  func mayBeBack(_ direction: AudioDirection)

  /// Tells that the server holds a running direction back, or gives it back. Does not block.
  ///
  /// The direction stays started: the client gets silence until the device brings audio again. What another stream took
  /// is taken from the whole call, so the other direction closes meanwhile. Whoever stops a direction that is held back
  /// takes that back here.
  ///
  /// - Parameters:
  ///   - direction: Which.
  ///   - reason: Why.
  ///   - isHeld: Whether it is held back now.
  func setHeld(_ direction: AudioDirection, _ reason: InterruptionReason, _ isHeld: Bool)

  /// Passes an event on to all who listen. Does not block.
  ///
  /// - Parameter kind: What happened.
  func post(_ kind: AudioDeviceEvent.Kind)
}

/// Why the audio was taken from the call.
public enum InterruptionReason: String, Sendable, Hashable, CaseIterable {
  /// The sound server asked the call to give way to another stream.
  case otherAudio
  /// The device was suspended. The other direction goes on.
  case deviceSuspended
  /// The machine goes to sleep.
  case sleep
}
