#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  /// Tells the delay of a stream between the server's timing reports, which come every 1.5 s once a stream is settled.
  ///
  /// A report ties a position of the stream to a moment: what is heard, or at the microphone, just then. From there on
  /// the position grows with the clock. Reports that differ a little are averaged; one that differs much is believed at
  /// once, and another is asked for. libpulse's own interpolation (`PA_STREAM_INTERPOLATE_TIMING`) remembers five
  /// seconds, and is wrong for as long when the server stood still.
  struct PulseStreamClock {
    private let stream: OpaquePointer
    private let direction: AudioDirection
    private let format: AudioFormat
    /// Nanoseconds of the stream at the device when `moment` was; nil before the first report.
    private var position: Int64?
    private var moment = AudioInstant(nanoseconds: 0)
    /// Whether the stream is at rest at the device, so that its position does not grow.
    private var isResting = false
    private var wantsReport = false

    /// What is no more than the reports' own inaccuracy.
    private static let tolerance: UInt64 = 20_000_000

    init(stream: OpaquePointer, direction: AudioDirection, format: AudioFormat) {
      self.stream = stream
      self.direction = direction
      self.format = format
    }

    /// Forgets everything: what comes does not continue what was before.
    mutating func reset() {
      position = nil
      wantsReport = true
    }

    /// Takes a report, `pa_stream_get_timing_info`.
    ///
    /// - Parameter now: When it came.
    mutating func takeReport(now: AudioInstant) {
      guard var report = pa_stream_get_timing_info(stream)?.pointee else { return }
      let index = direction == .render ? report.read_index : report.write_index
      let isCorrupt = direction == .render ? report.read_index_corrupt : report.write_index_corrupt
      guard isCorrupt == 0 else { return }
      var reported = nanoseconds(index)
      switch direction {
      case .render: reported &-= nanoseconds(report.sink_usec)
      // Audio from a monitor is there before it is heard.
      case .capture: reported &+= nanoseconds(report.source_usec) - nanoseconds(report.sink_usec)
      }
      let sent = AudioInstant(nanoseconds: now.nanoseconds - nanoseconds(pa_timeval_age(&report.timestamp)))
      let isResting = direction == .render && report.playing == 0
      if let expected = position(at: sent), isResting == self.isResting {
        let error = reported &- expected
        if error.magnitude > Self.tolerance {
          wantsReport = true
        } else if !isResting {
          reported = expected &+ error / 4
        }
      } else {
        wantsReport = true
      }
      self.isResting = isResting
      position = reported
      moment = sent
    }

    /// Asks for another report where one is needed, `pa_stream_update_timing_info`. That allocates, and is rare.
    mutating func refresh() {
      guard wantsReport else { return }
      wantsReport = false
      if let operation = pa_stream_update_timing_info(stream, nil, nil) { pa_operation_unref(operation) }
    }

    /// Render: the time until the next frame to be written is heard. Capture: the age of the next frame to be read,
    /// which is negative where a monitor gives a frame before it is heard. Nil as long as nothing is known.
    ///
    /// - Parameter now: The present.
    /// - Returns: The delay in nanoseconds.
    func delay(now: AudioInstant) -> Int64? {
      guard let atDevice = position(at: now), let info = pa_stream_get_timing_info(stream) else { return nil }
      switch direction {
      case .render: return nanoseconds(info.pointee.write_index) &- atDevice
      case .capture: return atDevice &- nanoseconds(info.pointee.read_index)
      }
    }

    private func position(at instant: AudioInstant) -> Int64? {
      guard let position else { return nil }
      return isResting ? position : position &+ (instant.nanoseconds &- moment.nanoseconds)
    }

    /// Wraps around, as do the sums of positions here: only their differences count.
    private func nanoseconds(_ index: Int64) -> Int64 {
      format.nanoseconds(ofFrames: Int(index) / format.bytesPerFrame)
    }

    /// Clamped to an hour, which no sound device reaches.
    private func nanoseconds(_ microseconds: pa_usec_t) -> Int64 {
      Int64(min(microseconds, 3_600_000_000)) * 1000
    }
  }
#endif
