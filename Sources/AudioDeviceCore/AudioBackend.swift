/// One world of sound: a sound server, the kernel's devices, or none at all.
///
/// A backend lists devices and opens streams on them. All functions may block for a bounded time and may be called
/// from any thread but an audio thread.
public protocol AudioBackend: AnyObject, Sendable {
  /// `pulse`, `alsa` or `virtual`.
  var name: String { get }

  /// Whether it can work here: its server answers, or it has a device. Bounded by a second or two.
  var isAvailable: Bool { get }

  /// All devices of both directions.
  ///
  /// - Returns: The devices in the backend's own order.
  /// - Throws: ``AudioDeviceError`` when the backend does not answer.
  func devices() throws(AudioDeviceError) -> [AudioDeviceInfo]

  /// Watches for devices that come, go or change.
  ///
  /// - Parameter onChange: Called without arguments on a thread of the backend's, after a change; it may call
  ///   ``devices()`` only from another thread.
  /// - Returns: The watch, which ends when it is cancelled or released.
  /// - Throws: ``AudioDeviceError`` when the backend does not answer.
  func watchDevices(onChange: @escaping @Sendable () -> Void) throws(AudioDeviceError) -> any AudioDeviceWatch

  /// Prepares the backend's cards for a call: switches a profile where that gives the call a microphone.
  ///
  /// - Parameter session: What the call is.
  /// - Returns: What ends the preparation; nil where there was nothing to do.
  /// - Throws: ``AudioDeviceError`` when the backend refuses; nothing is changed then.
  func prepare(for session: AudioSession) throws(AudioDeviceError) -> (any AudioSessionPreparation)?

  /// Raises the level of a speaker for a call.
  ///
  /// - Parameters:
  ///   - deviceID: The speaker.
  ///   - level: From 0 to 1, as the user's mixer shows it; a level that is higher already stays.
  /// - Returns: What ends it; nil where there was nothing to do, or the backend has no levels.
  /// - Throws: ``AudioDeviceError`` when the backend refuses; nothing is changed then.
  func raiseLevel(of deviceID: String, to level: Double) throws(AudioDeviceError) -> (any AudioSessionPreparation)?

  /// Opens a stream, without starting it.
  ///
  /// - Parameters:
  ///   - configuration: Direction, format, device and wishes.
  ///   - client: Called on the audio thread once the stream is started; retained until ``AudioStream/close()``.
  /// - Returns: The stream.
  /// - Throws: ``AudioDeviceError``; nothing stays half open.
  func openStream(
    _ configuration: AudioStreamConfiguration, client: any AudioStreamClient
  ) throws(AudioDeviceError) -> any AudioStream
}

extension AudioBackend {
  /// Nothing to do.
  public func prepare(for session: AudioSession) throws(AudioDeviceError) -> (any AudioSessionPreparation)? { nil }

  /// No levels.
  public func raiseLevel(
    of deviceID: String, to level: Double
  ) throws(AudioDeviceError) -> (any AudioSessionPreparation)? { nil }
}

/// Something that a backend changed for a call.
public protocol AudioSessionPreparation: AnyObject, Sendable {
  /// Puts back what was changed, unless somebody else has changed it since. Idempotent; blocks for a bounded time.
  func end()
}

/// A running watch on a backend's devices.
public protocol AudioDeviceWatch: AnyObject, Sendable {
  /// Ends the watch. Idempotent; the handler is not called after it returned.
  func cancel()
}

/// What a stream is to be.
public struct AudioStreamConfiguration: Sendable, Hashable {
  /// Which way.
  public var direction: AudioDirection
  /// The format that the client sees; the backend converts where the device has another.
  public var format: AudioFormat
  /// The device's ``AudioDeviceInfo/id``; nil follows the backend's default.
  public var deviceID: String?
  /// The wished delay of this direction, server and device together; nil for the backend's measured best.
  public var latency: Duration?
  /// What the sound is for.
  public var role: AudioStreamRole
  /// What the stream is called in the user's mixer.
  public var name: String
  /// Whether the server is asked for an echo canceller before the microphone. Where it has none, nothing happens.
  public var wantsEchoCancellation: Bool

  /// A configuration.
  ///
  /// - Parameters:
  ///   - direction: Which way.
  ///   - format: The format that the client sees.
  ///   - deviceID: The device; nil follows the default.
  ///   - latency: The wished delay of this direction.
  ///   - role: What the sound is for.
  ///   - name: What the stream is called in the user's mixer.
  ///   - wantsEchoCancellation: Whether the server is asked for an echo canceller.
  public init(
    direction: AudioDirection, format: AudioFormat, deviceID: String? = nil, latency: Duration? = nil,
    role: AudioStreamRole = .phone, name: String = "Call", wantsEchoCancellation: Bool = false
  ) {
    self.direction = direction
    self.format = format
    self.deviceID = deviceID
    self.latency = latency
    self.role = role
    self.name = name
    self.wantsEchoCancellation = wantsEchoCancellation
  }
}

/// What a sound is for; an open set, in the words of PulseAudio's `media.role`.
public struct AudioStreamRole: RawRepresentable, Sendable, Hashable {
  /// The role as the server spells it.
  public let rawValue: String
  /// A role by its spelling.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A call: servers let music give way to it.
  public static let phone = AudioStreamRole(rawValue: "phone")
  /// A short notice.
  public static let event = AudioStreamRole(rawValue: "event")
  /// Music.
  public static let music = AudioStreamRole(rawValue: "music")
}

/// Who an application is to the sound server and the user's mixer.
public struct ApplicationIdentity: Sendable, Hashable {
  /// A reverse domain name, `application.id`.
  public var id: String
  /// What people read, `application.name`.
  public var name: String
  /// An icon's name in the desktop's theme, `application.icon_name`.
  public var iconName: String

  /// An identity.
  ///
  /// - Parameters:
  ///   - id: A reverse domain name.
  ///   - name: What people read.
  ///   - iconName: An icon's name in the desktop's theme.
  public init(
    id: String = "io.audiodevicekit", name: String = "AudioDeviceKit", iconName: String = "audio-headset"
  ) {
    self.id = id
    self.name = name
    self.iconName = iconName
  }
}
