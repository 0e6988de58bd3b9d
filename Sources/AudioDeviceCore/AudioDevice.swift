/// A microphone and a speaker that a client can use: the contract every driver fulfils.
///
/// Subclass ``AudioDeviceKit/DefaultAudioDevice`` to change what the system's audio does, or implement this protocol
/// from nothing. Every requirement has a default, so that a driver writes only what it does: a driver that only
/// captures implements ``setAudioBus(_:)``, ``captureIsAvailable``, ``startCapture()``, ``stopCapture()`` and
/// ``isCapturing``.
///
/// `start…` and `stop…` are idempotent, may be called from any thread and may block while a device opens or closes.
/// When `stop…` has returned, the device does not touch the bus in that direction until the next `start…`.
public protocol AudioDevice: AnyObject, Sendable {
  /// Gives the device the bus to use, or takes it away. Called while neither direction runs.
  ///
  /// - Parameter bus: Retained until the next call.
  func setAudioBus(_ bus: (any AudioBus)?)

  /// Gives the device whoever hosts it, or takes it away. Most drivers need not implement this.
  ///
  /// - Parameter host: For what the device has to say by itself; hold it weakly.
  func setHost(_ host: (any AudioDeviceHost)?)

  /// Prepares for a call that calling services activate, before a direction opens for it, and puts back what it changed
  /// afterwards, when both directions have closed. Most drivers need not implement this. May block for seconds.
  ///
  /// - Parameter session: What the call is; nil when it is over.
  func setSession(_ session: AudioSession?)

  /// What can be chosen: microphones and speakers, monitors and helpers too (``AudioDeviceInfo/isOffered``). Blocks for
  /// a bounded time.
  ///
  /// - Returns: The devices in the backend's own order; none where the driver has nothing to choose.
  /// - Throws: ``AudioDeviceError`` when the sound system does not answer.
  func devices() throws(AudioDeviceError) -> [AudioDeviceInfo]

  /// The format of the periods it writes to the bus.
  var captureFormat: AudioFormat { get }
  /// Whether it can capture at all. Does not block for long.
  var captureIsAvailable: Bool { get }
  /// Whether ``initializeCapture()`` succeeded.
  var captureIsInitialized: Bool { get }
  /// Whether captured periods reach the bus.
  var isCapturing: Bool { get }
  /// The ``AudioDeviceInfo/id`` of the microphone in use; nil when none is or the driver has no ids.
  var captureDeviceID: String? { get }
  /// The time from the microphone to the bus. Lock-free, from any thread, never negative: it may be read per packet.
  var estimatedCaptureDelay: Duration { get }
  /// Prepares to capture without opening a microphone. Idempotent.
  ///
  /// - Throws: ``AudioDeviceError`` that says what is missing.
  func initializeCapture() throws(AudioDeviceError)
  /// Opens the microphone; periods come to the bus from now on. Idempotent.
  ///
  /// - Throws: ``AudioDeviceError``; nothing stays half open, and the call can be made again.
  func startCapture() throws(AudioDeviceError)
  /// Closes the microphone. Idempotent; at return the bus is not touched any more.
  func stopCapture()

  /// The format of the periods it reads from the bus.
  var renderFormat: AudioFormat { get }
  /// Whether it can render at all. Does not block for long.
  var renderingIsAvailable: Bool { get }
  /// Whether ``initializeRendering()`` succeeded.
  var renderingIsInitialized: Bool { get }
  /// Whether the bus is read and rendered.
  var isRendering: Bool { get }
  /// The ``AudioDeviceInfo/id`` of the speaker in use; nil when none is or the driver has no ids.
  var renderDeviceID: String? { get }
  /// The time from the bus to the speaker. Lock-free, from any thread, never negative: it may be read per packet.
  var estimatedRenderDelay: Duration { get }
  /// Prepares to render without opening a speaker. Idempotent.
  ///
  /// - Throws: ``AudioDeviceError`` that says what is missing.
  func initializeRendering() throws(AudioDeviceError)
  /// Opens the speaker; the bus is read from now on. Idempotent.
  ///
  /// - Throws: ``AudioDeviceError``; nothing stays half open, and the call can be made again.
  func startRendering() throws(AudioDeviceError)
  /// Closes the speaker. Idempotent; at return the bus is not touched any more.
  func stopRendering()

  /// What went through the device and what it lost, since it was made. Lock-free.
  var statistics: AudioDeviceStatistics { get }
}

extension AudioDevice {
  /// Does nothing.
  public func setHost(_ host: (any AudioDeviceHost)?) {}

  /// Does nothing.
  public func setSession(_ session: AudioSession?) {}

  /// None.
  public func devices() throws(AudioDeviceError) -> [AudioDeviceInfo] { [] }

  /// 48 kHz mono.
  public var captureFormat: AudioFormat { .voice }
  /// No.
  public var captureIsAvailable: Bool { false }
  /// As available.
  public var captureIsInitialized: Bool { captureIsAvailable }
  /// No.
  public var isCapturing: Bool { false }
  /// None.
  public var captureDeviceID: String? { nil }
  /// Zero.
  public var estimatedCaptureDelay: Duration { .zero }
  /// Succeeds where the direction is available.
  public func initializeCapture() throws(AudioDeviceError) {
    guard captureIsAvailable else { throw .missing(.capture) }
  }
  /// Always fails.
  public func startCapture() throws(AudioDeviceError) { throw .missing(.capture) }
  /// Does nothing.
  public func stopCapture() {}

  /// 48 kHz mono.
  public var renderFormat: AudioFormat { .voice }
  /// No.
  public var renderingIsAvailable: Bool { false }
  /// As available.
  public var renderingIsInitialized: Bool { renderingIsAvailable }
  /// No.
  public var isRendering: Bool { false }
  /// None.
  public var renderDeviceID: String? { nil }
  /// Zero.
  public var estimatedRenderDelay: Duration { .zero }
  /// Succeeds where the direction is available.
  public func initializeRendering() throws(AudioDeviceError) {
    guard renderingIsAvailable else { throw .missing(.render) }
  }
  /// Always fails.
  public func startRendering() throws(AudioDeviceError) { throw .missing(.render) }
  /// Does nothing.
  public func stopRendering() {}

  /// Nothing counted.
  public var statistics: AudioDeviceStatistics { AudioDeviceStatistics() }
}

extension AudioDeviceError {
  fileprivate static func missing(_ direction: AudioDirection) -> AudioDeviceError {
    AudioDeviceError(.directionNotSupported, "This audio device has no \(direction) direction.")
  }
}
