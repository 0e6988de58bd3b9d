/// Counters of a device or of a manager, per direction. All only grow. Trivial to copy.
public struct AudioDeviceStatistics: Sendable, Hashable, BitwiseCopyable {
  /// Of the microphone.
  public var capture = Direction()
  /// Of the speaker.
  public var render = Direction()

  /// All zero.
  public init() {}

  /// The counters of one direction, in frames unless said otherwise.
  public struct Direction: Sendable, Hashable, BitwiseCopyable {
    /// Frames exchanged between the device and the bus, silence included.
    public var frames = 0
    /// Of these, frames that were silence because a gate was closed: zeros written for capture, drained for render.
    public var silentFrames = 0
    /// Frames that the device rendered as silence because the bus gave too few. Render only.
    public var shortfallFrames = 0
    /// Frames that were lost to an xrun, a stall or a full buffer.
    public var lostFrames = 0
    /// Overruns (capture) or underruns (render), a count.
    public var xruns = 0
    /// Times the direction was opened, a count.
    public var opens = 0

    /// All zero.
    public init() {}
  }

  /// The counters of a direction.
  ///
  /// - Parameter direction: Which.
  public subscript(direction: AudioDirection) -> Direction {
    get { direction == .capture ? capture : render }
    set {
      switch direction {
      case .capture: capture = newValue
      case .render: render = newValue
      }
    }
  }
}
