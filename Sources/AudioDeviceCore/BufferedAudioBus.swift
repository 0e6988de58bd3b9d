internal import Synchronization

/// A bus for clients that live on threads of their own: two lock-free rings between the device and the client.
///
/// The client takes what was captured with ``readCapturedFrames(into:)`` and hands over what is to be rendered with
/// ``writeRenderedFrames(_:)``, in chunks of any size, from one thread per direction. Nothing blocks, locks or
/// allocates after `init`. The backlog of each ring is kept near its target: what lies above it for a second is
/// dropped, what is missing is silence, and both are counted.
///
/// With a ``Configuration/rateCorrector`` the delay of each direction is held where it is, whatever the clocks of
/// device and client do: frames are read up to 0.2 % faster or slower than they came, which nobody hears. Then only a
/// real stall or loss makes the bus drop frames or go short.
public final class BufferedAudioBus: AudioBus {
  /// What a bus is to be.
  public struct Configuration: Sendable, Hashable {
    /// Of what the client reads.
    public var captureFormat: AudioFormat
    /// Of what the client writes.
    public var renderFormat: AudioFormat
    /// What stays in a ring after each read, as a cushion against jitter: 0 … 1 s.
    public var targetBacklog: Duration
    /// More than this is dropped at once; at least the target and a period, at most 10 s.
    public var maximumBacklog: Duration
    /// What follows the drift between the clocks of device and client; nil to drop or go short now and then instead.
    public var rateCorrector: (any AudioRateCorrector.Type)?

    /// A configuration.
    ///
    /// - Parameters:
    ///   - captureFormat: Of what the client reads.
    ///   - renderFormat: Of what the client writes.
    ///   - targetBacklog: What stays in a ring after each read.
    ///   - maximumBacklog: What is dropped at once when exceeded.
    ///   - rateCorrector: What follows clock drift.
    public init(
      captureFormat: AudioFormat = .voice, renderFormat: AudioFormat = .voice,
      targetBacklog: Duration = .milliseconds(10), maximumBacklog: Duration = .milliseconds(100),
      rateCorrector: (any AudioRateCorrector.Type)? = nil
    ) {
      self.captureFormat = captureFormat
      self.renderFormat = renderFormat
      self.targetBacklog = targetBacklog
      self.maximumBacklog = maximumBacklog
      self.rateCorrector = rateCorrector
    }

    /// Whether all is the same, the type of the corrector included.
    public static func == (lhs: Configuration, rhs: Configuration) -> Bool {
      lhs.captureFormat == rhs.captureFormat && lhs.renderFormat == rhs.renderFormat
        && lhs.targetBacklog == rhs.targetBacklog && lhs.maximumBacklog == rhs.maximumBacklog
        && lhs.rateCorrector.map { ObjectIdentifier($0) } == rhs.rateCorrector.map { ObjectIdentifier($0) }
    }

    /// Feeds all that is compared.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(captureFormat)
      hasher.combine(renderFormat)
      hasher.combine(targetBacklog)
      hasher.combine(maximumBacklog)
      hasher.combine(rateCorrector.map { ObjectIdentifier($0) })
    }
  }

  /// What the bus lost, in frames. All only grow.
  public struct Statistics: Sendable, Hashable, BitwiseCopyable {
    /// Frames dropped to bring the delay back to its target, or because the ring was full.
    public var droppedFrames = 0
    /// Frames that a reader wanted and did not get.
    public var shortfallFrames = 0

    /// Nothing lost, unless said otherwise.
    ///
    /// - Parameters:
    ///   - droppedFrames: Frames dropped.
    ///   - shortfallFrames: Frames missing.
    public init(droppedFrames: Int = 0, shortfallFrames: Int = 0) {
      self.droppedFrames = droppedFrames
      self.shortfallFrames = shortfallFrames
    }
  }

  /// What the bus was made with.
  public let configuration: Configuration
  private let captured: BufferedLane
  private let rendered: BufferedLane
  /// When frame zero of the capture ring was, or would have been, at the microphone.
  private let captureOrigin = Atomic<Int64>(0)
  private let writtenFrames = Atomic<Int>(0)

  /// A bus with empty rings. Allocates; nothing later does.
  ///
  /// - Parameters:
  ///   - configuration: Formats and backlogs, and whether drift is corrected.
  ///   - clock: Tells the corrector when frames came and went. Its `now` is read on the threads of both sides.
  public init(_ configuration: Configuration = Configuration(), clock: any PeriodClock = SystemPeriodClock.shared) {
    self.configuration = configuration
    captured = BufferedLane(format: configuration.captureFormat, configuration: configuration, clock: clock)
    rendered = BufferedLane(format: configuration.renderFormat, configuration: configuration, clock: clock)
  }

  // MARK: For the client

  /// Takes captured frames, oldest first. One thread at a time; real-time safe.
  ///
  /// - Parameter samples: Interleaved room for whole frames, filled from its beginning; the rest is not touched.
  /// - Returns: How many frames were taken.
  public func readCapturedFrames(into samples: inout MutableSpan<Int16>) -> Int { captured.read(into: &samples) }

  /// Hands over frames to render. One thread at a time; real-time safe.
  ///
  /// - Parameter samples: Interleaved, whole frames.
  /// - Returns: How many frames were taken; what did not fit is dropped and counted.
  @discardableResult
  public func writeRenderedFrames(_ samples: borrowing Span<Int16>) -> Int { rendered.write(samples) }

  /// How long what waits to be read by the client lasts. Lock-free.
  public var captureBacklog: Duration { captured.backlog }

  /// How long what waits to be rendered lasts. Lock-free.
  public var renderBacklog: Duration { rendered.backlog }

  /// When the oldest frame that waits for the client was at the microphone; nil before the first. Lock-free.
  public var oldestCaptureTime: AudioInstant? {
    let origin = captureOrigin.load(ordering: .acquiring)
    guard origin != 0 else { return nil }
    let position = writtenFrames.load(ordering: .relaxed) - captured.backlogFrames
    return AudioInstant(nanoseconds: origin) + captured.format.duration(ofFrames: position)
  }

  /// By how many parts per million captured frames are now read faster than they came. Lock-free.
  public var captureRateCorrection: Double { captured.rateCorrection }

  /// By how many parts per million rendered frames are now read faster than they came. Lock-free.
  public var renderRateCorrection: Double { rendered.rateCorrection }

  /// What was lost on the way from the device to the client. Lock-free.
  public var captureStatistics: Statistics { captured.statistics }

  /// What was lost on the way from the client to the device. Lock-free.
  public var renderStatistics: Statistics { rendered.statistics }

  // MARK: AudioBus

  /// Accepts the formats of ``configuration`` alone.
  ///
  /// - Parameters:
  ///   - captureFormat: Of what the device captures.
  ///   - renderFormat: Of what the device renders.
  /// - Throws: ``AudioDeviceError`` with the code ``AudioDeviceError/Code/formatNotSupported``.
  public func prepare(captureFormat: AudioFormat, renderFormat: AudioFormat) throws(AudioDeviceError) {
    guard captureFormat == configuration.captureFormat, renderFormat == configuration.renderFormat else {
      throw AudioDeviceError(
        .formatNotSupported,
        "The device works in \(captureFormat) and \(renderFormat), the bus in \(configuration.captureFormat) and "
          + "\(configuration.renderFormat); make the device or the bus with the other's formats.")
    }
  }

  /// Puts captured frames into the ring. The device's audio thread.
  ///
  /// - Parameters:
  ///   - samples: Interleaved, whole frames.
  ///   - time: When the first frame was at the microphone.
  public func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {
    let position = writtenFrames.load(ordering: .relaxed)
    captureOrigin.store(
      time.nanoseconds &- captured.format.duration(ofFrames: position).wholeNanoseconds, ordering: .releasing)
    writtenFrames.store(position &+ captured.write(samples), ordering: .releasing)
  }

  /// Takes frames to render from the ring. The device's audio thread.
  ///
  /// - Parameter samples: Filled from its beginning.
  /// - Returns: How many frames were given.
  public func readRenderData(into samples: inout MutableSpan<Int16>) -> Int { rendered.read(into: &samples) }
}
