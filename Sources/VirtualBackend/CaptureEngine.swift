internal import AudioDeviceCore

/// Takes each period from a source and gives it to the client at the moment its last frame was captured.
final class CaptureEngine: PeriodEngine {
  let latency: Duration
  /// Four periods of 10 ms, as a capture buffer would hold them.
  let tolerance = Duration.milliseconds(40)

  private let source: any PeriodSource
  private let clock: DeviceClock
  private let period: UnsafeMutableBufferPointer<Int16>

  /// - Parameters:
  ///   - source: Where the samples come from.
  ///   - format: Of the client.
  ///   - clock: The device's.
  init(_ source: any PeriodSource, format: AudioFormat, clock: DeviceClock) {
    self.source = source
    self.clock = clock
    latency = format.periodDuration
    period = .allocate(capacity: format.samplesPerPeriod)
    period.initialize(repeating: 0)
  }

  deinit { period.deallocate() }

  func exchange(_ client: any AudioStreamClient, _ pace: PeriodPace) -> Int {
    let time = pace.instant(ofPeriod: pace.index - 1)
    let missing = source.fill(period, capturedAt: time)
    var span = period.mutableSpan
    client.streamDidCapture(&span, capturedAt: clock.baseInstant(time))
    return missing
  }

  func skip(_ count: Int) { source.skip(count) }

  func end(at now: AudioInstant) {}
}
