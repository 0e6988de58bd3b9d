/// Something that happened to a device or its manager, for people and programs that watch.
public struct AudioDeviceEvent: Sendable, Hashable {
  /// When.
  public let time: AudioInstant
  /// What.
  public let kind: Kind

  /// An event.
  ///
  /// - Parameters:
  ///   - kind: What happened.
  ///   - time: When; now, unless said otherwise.
  public init(_ kind: Kind, time: AudioInstant = .now) {
    self.time = time
    self.kind = kind
  }

  /// What can happen. More cases may come: give a `switch` a `default`.
  public enum Kind: Sendable, Hashable {
    /// The backend that the device uses, by name.
    case backendSelected(String)
    /// Another device object was installed.
    case deviceChanged
    /// The direction runs, on the device of that id.
    case started(AudioDirection, deviceID: String?)
    /// The direction stopped, as was wished or because a gate closed.
    case stopped(AudioDirection)
    /// The direction could not be started; it is tried again as long as it is wished.
    case failed(AudioDirection, AudioDeviceError)
    /// The running direction died; the client gets silence until it is back.
    case lost(AudioDirection, AudioDeviceError)
    /// The direction runs again after it was lost or had failed.
    case recovered(AudioDirection)
    /// The stream is now on the device of that id.
    case moved(AudioDirection, deviceID: String)
    /// The wished device is missing, and the default stands in for it, on the device of that id.
    case fellBack(AudioDirection, wished: String, deviceID: String?)
    /// The devices that can be chosen are others than before. Told while a device of the package is in use.
    case devices(AudioDeviceChange)
    /// Overruns or underruns: the new ones, and the frames they cost.
    case xrun(AudioDirection, count: Int, lostFrames: Int)
    /// A ringtone took the audio.
    case ringtoneStarted
    /// The ringtone gave the audio back; the error says why when it ended by itself.
    case ringtoneStopped(AudioDeviceError?)
    /// A mute changed.
    case muteChanged(soft: Bool, hard: Bool)
    /// The audio was taken from the call.
    case interrupted(InterruptionReason)
    /// The audio is the call's again.
    case resumed
    /// The audio session of the calling services became active or inactive.
    case sessionActivated(Bool)
    /// The session was prepared, and no activation came in the set time.
    case sessionActivationOverdue
    /// Something worth knowing that is no failure, in a sentence.
    case notice(String)
  }
}

extension AudioDeviceEvent.Kind {
  /// The case's name, such as `ringtoneStarted`: stable, for logs and JSON.
  public var name: String {
    switch self {
    case .backendSelected: "backendSelected"
    case .deviceChanged: "deviceChanged"
    case .started: "started"
    case .stopped: "stopped"
    case .failed: "failed"
    case .lost: "lost"
    case .recovered: "recovered"
    case .moved: "moved"
    case .fellBack: "fellBack"
    case .devices(let change): change.name
    case .xrun: "xrun"
    case .ringtoneStarted: "ringtoneStarted"
    case .ringtoneStopped: "ringtoneStopped"
    case .muteChanged: "muteChanged"
    case .interrupted: "interrupted"
    case .resumed: "resumed"
    case .sessionActivated: "sessionActivated"
    case .sessionActivationOverdue: "sessionActivationOverdue"
    case .notice: "notice"
    }
  }

  /// The direction it is about, or nil.
  public var direction: AudioDirection? {
    switch self {
    case .started(let direction, _), .stopped(let direction), .failed(let direction, _), .lost(let direction, _),
      .recovered(let direction), .moved(let direction, _), .fellBack(let direction, _, _), .xrun(let direction, _, _):
      direction
    case .devices(let change): change.direction
    default: nil
    }
  }
}
