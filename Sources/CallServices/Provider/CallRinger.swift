public import AudioDeviceKit

/// What can ring for an incoming call, such as an audio device with a ringtone.
public protocol CallRinger: AnyObject, Sendable {
  /// Begins to ring. May block while a device opens. Idempotent.
  ///
  /// - Throws: `AudioDeviceError` when it cannot ring.
  func startRingtone() throws(AudioDeviceError)

  /// Ends the ringing. May block for a moment. Idempotent.
  func stopRingtone()
}

#if MP3
  extension RingtoneAudioDevice: CallRinger {}
#endif
