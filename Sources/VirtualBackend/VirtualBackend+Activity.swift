public import AudioDeviceCore

extension VirtualBackend {
  /// A stream that is open: who holds a device.
  public struct OpenStream: Sendable, Hashable, Identifiable {
    /// A number that no other stream of the backend has had.
    public var id: Int
    /// Which way.
    public var direction: AudioDirection
    /// The device.
    public var deviceID: String
    /// What the sound is for.
    public var role: AudioStreamRole
    /// What the stream is called.
    public var name: String
    /// The client's format.
    public var format: AudioFormat
    /// Whether it has been started.
    public var isRunning: Bool
    /// What went through it.
    public var statistics: AudioDeviceStatistics.Direction
  }

  /// What a speaker's target got.
  public struct OutputStatistics: Sendable, Hashable {
    /// Frames, silence included.
    public var frames: Int
    /// Of these, frames that were lost and became silence, because the target was slower than the sound for a second.
    public var lostFrames: Int
    /// What ended the output, or nil.
    public var failure: AudioDeviceError?
  }

  /// The streams that are open now, in the order they were opened. A stream is open from
  /// ``openStream(_:client:)`` until it is closed or lost. Any thread but an audio thread.
  public var openStreams: [OpenStream] { registry.runners().map(\.identity.snapshot) }

  /// How many streams were opened since the backend was made. Any thread but an audio thread.
  ///
  /// - Parameter direction: Which.
  /// - Returns: The count, of those that were closed as well.
  public func openedCount(_ direction: AudioDirection) -> Int { registry.openedCount(direction) }

  /// What a speaker's target got so far. Any thread but an audio thread.
  ///
  /// - Parameter id: The speaker's id.
  /// - Returns: The counts.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `deviceNotFound`.
  public func outputStatistics(ofSpeaker id: String) throws(AudioDeviceError) -> OutputStatistics {
    try speaker(id).outputStatistics
  }

  /// Ends the output of a speaker after all that has sounded until now has reached the target, and closes the file.
  ///
  /// Streams go on, also when the file cannot be finished; loopback microphones hear them still. Idempotent; blocks on
  /// the disk, on any thread but an audio thread.
  ///
  /// - Parameter id: The speaker's id.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `deviceNotFound`, or what went wrong with the output,
  ///   now or before.
  public func finishOutput(ofSpeaker id: String) throws(AudioDeviceError) {
    if let error = try speaker(id).finish() { throw error }
  }
}
