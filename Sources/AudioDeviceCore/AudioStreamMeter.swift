internal import Synchronization

/// What a stream's audio thread writes and any thread may read: counters and the delay. Lock-free throughout.
///
/// For authors of backends.
public final class AudioStreamMeter: Sendable {
  /// The largest delay that is told; what is above is clamped.
  public static let maximumLatency = Duration.nanoseconds(maximumNanoseconds)
  private static var maximumNanoseconds: Int64 { 10_000_000_000 }

  private let frames = Atomic<Int>(0)
  private let lostFrames = Atomic<Int>(0)
  private let xruns = Atomic<Int>(0)
  private let latencyNanoseconds = Atomic<Int64>(0)

  /// All zero.
  public init() {}

  /// Counts frames that went through.
  public func addFrames(_ count: Int) { frames.wrappingAdd(count, ordering: .relaxed) }

  /// Counts an xrun and the frames it cost.
  public func addXrun(lostFrames count: Int) {
    xruns.wrappingAdd(1, ordering: .relaxed)
    lostFrames.wrappingAdd(max(0, count), ordering: .relaxed)
  }

  /// Counts frames that were lost without an xrun.
  public func addLostFrames(_ count: Int) { lostFrames.wrappingAdd(max(0, count), ordering: .relaxed) }

  /// Sets the delay, clamped to 0 … ``maximumLatency``.
  ///
  /// - Parameter nanoseconds: Signed, as sources tell it.
  public func setLatency(nanoseconds: Int64) {
    latencyNanoseconds.store(min(max(nanoseconds, 0), Self.maximumNanoseconds), ordering: .relaxed)
  }

  /// The delay that was set last.
  public var latency: Duration { .nanoseconds(latencyNanoseconds.load(ordering: .relaxed)) }

  /// ``latency`` in nanoseconds, for the audio path.
  package var nanoseconds: Int64 { latencyNanoseconds.load(ordering: .relaxed) }

  /// The counters now.
  public var statistics: AudioDeviceStatistics.Direction {
    var statistics = AudioDeviceStatistics.Direction()
    statistics.frames = frames.load(ordering: .relaxed)
    statistics.lostFrames = lostFrames.load(ordering: .relaxed)
    statistics.xruns = xruns.load(ordering: .relaxed)
    return statistics
  }
}
