/// How a ringtone sounds and where.
public struct RingtoneConfiguration: Sendable {
  /// The speaker's ``AudioDeviceCore/AudioDeviceInfo/id``; nil rings where the call is heard.
  public var outputDeviceID: String?
  /// Decibels, -60 … +20, added to the file's own level; peaks that become too large are clipped.
  public var gain: Double = 0
  /// How long the ringtone takes to reach its level, 0 … 60 s.
  public var fadeIn: Duration = .zero
  /// How long it takes to fall silent when it is stopped, 0 … 1 s. Stopping waits for it, so that no click is heard.
  public var fadeOut: Duration = .milliseconds(30)
  /// What the sound is for, as the sound server is told; with `phone` servers let music give way to the ringing.
  public var role: AudioStreamRole = .phone
  /// What paces decoding and vibration: the clock of the backend, where that is not the machine's.
  public var clock: any PeriodClock = SystemPeriodClock.shared

  /// At the file's own level, on the speaker of the call.
  public init() {}
}
