#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  import Synchronization

  /// A client of streams that renders a known signal, keeps what it captures, and notes when it was called.
  ///
  /// On the audio thread it touches only memory that was allocated before, so it is as quiet as a good client is.
  final class StreamProbe: AudioStreamClient, @unchecked Sendable {
    // Unchecked: each side's memory is written by its audio thread alone, up to a count that is then published.

    /// What happened in one period.
    struct Period {
      /// When the client was called.
      var time = AudioInstant(nanoseconds: 0)
      /// Render: the delay that the stream told. Capture: when the first frame was at the microphone, as it was told.
      var delay = Duration.zero
      var capturedAt = AudioInstant(nanoseconds: 0)
      /// The first sample.
      var first: Int16 = 0
    }

    let format: AudioFormat

    private let signal: [Int16]
    private let captured: UnsafeMutableBufferPointer<Int16>
    private let capturePeriods: UnsafeMutableBufferPointer<Period>
    private let renderPeriods: UnsafeMutableBufferPointer<Period>
    private let captureCount = Atomic<Int>(0)
    private let renderCount = Atomic<Int>(0)
    private let xruns = Atomic<Int>(0)
    private let received = Locked<[AudioStreamNotice]>([])
    /// The stream whose delay is noted. It outlives the calls.
    private unowned(unsafe) var metered: (any AudioStream)?
    private let stallMicroseconds = Atomic<UInt32>(0)

    /// A probe.
    ///
    /// - Parameters:
    ///   - signal: What it renders, over and over; silence when empty. A whole number of periods.
    ///   - format: Of the streams.
    ///   - seconds: How much it can keep.
    init(rendering signal: Signal? = nil, format: AudioFormat = .voice, seconds: Int = 20) {
      self.format = format
      self.signal = signal?.samples ?? []
      captured = .allocate(capacity: seconds * 100 * format.samplesPerPeriod)
      captured.initialize(repeating: 0)
      capturePeriods = .allocate(capacity: seconds * 100)
      capturePeriods.initialize(repeating: Period())
      renderPeriods = .allocate(capacity: seconds * 100)
      renderPeriods.initialize(repeating: Period())
    }

    deinit {
      captured.deallocate()
      capturePeriods.deallocate()
      renderPeriods.deallocate()
    }

    /// Periods captured so far.
    var capturedPeriods: Int { captureCount.load(ordering: .acquiring) }
    /// Periods rendered so far.
    var renderedPeriods: Int { renderCount.load(ordering: .acquiring) }
    /// Times that an xrun was told.
    var xrunNotices: Int { xruns.load(ordering: .acquiring) }
    /// All other notices, in order.
    var notices: [AudioStreamNotice] { received.withLock { $0 } }
    /// What was captured, from a period on.
    func recording(from period: Int = 0) -> Signal {
      let count = min(capturedPeriods, capturePeriods.count)
      let range = min(period, count) * format.samplesPerPeriod..<count * format.samplesPerPeriod
      return Signal(Array(captured[range]), format: format)
    }
    /// The captured periods so far.
    var capture: [Period] { Array(capturePeriods[..<min(capturedPeriods, capturePeriods.count)]) }
    /// The rendered periods so far.
    var render: [Period] { Array(renderPeriods[..<min(renderedPeriods, renderPeriods.count)]) }

    /// Has each rendered period note the delay of a stream. Before that starts.
    func meter(_ stream: any AudioStream) { metered = stream }

    /// Blocks the audio thread once, at the next captured period: what the stream sees when the process was stopped.
    func stallOnce(_ duration: Duration) {
      stallMicroseconds.store(UInt32(duration / .microseconds(1)), ordering: .releasing)
    }

    func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
      let index = captureCount.load(ordering: .relaxed)
      if index < capturePeriods.count, samples.count == format.samplesPerPeriod {
        capturePeriods[index].time = .now
        capturePeriods[index].capturedAt = time
        capturePeriods[index].first = samples[0]
        let start = index * format.samplesPerPeriod
        for position in 0..<samples.count { captured[start + position] = samples[position] }
      }
      captureCount.store(index + 1, ordering: .releasing)
      let stall = stallMicroseconds.exchange(0, ordering: .acquiringAndReleasing)
      if stall > 0 { usleep(stall) }
    }

    func streamWillRender(_ samples: inout MutableSpan<Int16>) {
      let index = renderCount.load(ordering: .relaxed)
      if index < renderPeriods.count {
        renderPeriods[index].time = .now
        if let metered { renderPeriods[index].delay = metered.latency }
      }
      if !signal.isEmpty {
        let start = index * format.samplesPerPeriod
        for position in 0..<samples.count { samples[position] = signal[(start + position) % signal.count] }
      }
      renderCount.store(index + 1, ordering: .releasing)
    }

    func streamDidNotice(_ notice: AudioStreamNotice) {
      if case .xrun = notice {
        xruns.wrappingAdd(1, ordering: .releasing)
      } else {
        received.withLock { $0.append(notice) }
      }
    }
  }
#endif
