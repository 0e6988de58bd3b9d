#if ALSA
  import ALSABackend
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  import Synchronization

  /// A stream's client that plays an index code and keeps what was captured and told.
  final class TestClient: AudioStreamClient {
    /// What one call to the client was like.
    struct Capture: Sendable {
      /// When it came.
      let calledAt: AudioInstant
      /// When its first frame was captured, as the stream says.
      let capturedAt: AudioInstant
    }
    private struct State {
      var captured: [Int16] = []
      var captures: [Capture] = []
      var notices: [AudioStreamNotice] = []
      var calls: [AudioInstant] = []
      var schedulingClass: SchedulingClass?
      var processorTime: Duration = .zero

      mutating func noteCall() {
        calls.append(.now)
        schedulingClass = .current
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        processorTime = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
      }
    }
    private let format: AudioFormat
    /// The code, and its beginning once more: a period from any place. Made beforehand, because a debug build under a
    /// sanitizer is too slow to make each sample in time.
    private let code: [Int16]
    private let state = Locked(State())
    private let rendered = Atomic<Int>(0)

    init(format: AudioFormat = .voice) {
      self.format = format
      let once = Signal.make(frames: IndexCode.period, format: format) { IndexCode.value(ofFrame: $0) }.samples
      code = once + once.prefix(format.samplesPerPeriod)
    }

    func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
      state.withLock { state in
        state.noteCall()
        state.captures.append(Capture(calledAt: .now, capturedAt: time))
        samples.withUnsafeBufferPointer { state.captured.append(contentsOf: $0) }
      }
    }

    func streamWillRender(_ samples: inout MutableSpan<Int16>) {
      let channels = format.channelCount
      let first = rendered.load(ordering: .relaxed)
      let start = first % IndexCode.period * channels
      samples.withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: code[start..<start + $0.count]) }
      rendered.store(first + samples.count / channels, ordering: .relaxed)
      state.withLock { $0.noteCall() }
    }

    func streamDidNotice(_ notice: AudioStreamNotice) { state.withLock { $0.notices.append(notice) } }

    /// Frames that were rendered so far.
    var renderedFrames: Int { rendered.load(ordering: .relaxed) }
    /// Frames that were captured so far.
    var capturedFrames: Int { state.withLock { $0.captured.count } / format.channelCount }
    /// All that was captured.
    var captured: Signal { Signal(state.withLock { $0.captured }, format: format) }
    /// All capture calls.
    var captures: [Capture] { state.withLock { $0.captures } }
    /// All notices.
    var notices: [AudioStreamNotice] { state.withLock { $0.notices } }
    /// How often the client was called for audio.
    var calls: Int { state.withLock { $0.calls.count } }

    /// How fast the client was called, as a multiple of real time, but for its first few calls. Needs some 50 calls.
    var pace: Double { pace(of: max(calls - 20, 0)) }

    /// How fast the client was called last.
    ///
    /// - Parameter count: How many calls to look at.
    /// - Returns: 1 for real time.
    func pace(of count: Int) -> Double {
      let calls = state.withLock { $0.calls }.suffix(count)
      guard let first = calls.first, let last = calls.last, last > first else { return 0 }
      return format.periodDuration * (calls.count - 1) / (last - first)
    }

    /// The class of the thread that called last.
    var schedulingClass: SchedulingClass? { state.withLock { $0.schedulingClass } }
    /// What the calling thread had used of a processor when it called last.
    var processorTime: Duration { state.withLock { $0.processorTime } }

    /// The errors that the stream was lost by; one at most, if all is well.
    var losses: [AudioDeviceError] {
      notices.compactMap { notice in
        guard case .lost(let error) = notice else { return nil }
        return error
      }
    }
    /// How many xruns were told.
    var xruns: Int { notices.count { $0 == .xrun } }
  }

  /// Waits for a condition without holding a thread; see ``AudioTestSupport/eventually(within:_:)``.
  func becomesTrue(within limit: Duration = .seconds(5), _ condition: () -> Bool) async -> Bool {
    await eventually(within: limit) { () async in condition() }
  }

  /// A stream on a PCM with its client.
  struct OpenStream {
    let stream: any AudioStream
    let client: TestClient

    /// Opens and starts a stream.
    ///
    /// - Parameters:
    ///   - name: The PCM.
    ///   - direction: Which way.
    ///   - format: The client's.
    ///   - latency: The wish. Long by default, so that a busy machine has no xruns of its own.
    ///   - backend: What opens it.
    ///   - starts: Whether it is started.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``.
    init(
      _ name: String, _ direction: AudioDirection, format: AudioFormat = .voice,
      latency: Duration? = .milliseconds(300),
      backend: ALSABackend = ALSABackend(), starts: Bool = true
    ) throws {
      client = TestClient(format: format)
      stream = try backend.openStream(
        AudioStreamConfiguration(direction: direction, format: format, deviceID: name, latency: latency),
        client: client)
      if starts { try stream.start() }
    }

    /// Frames that went between the client and the stream.
    var frames: Int { client.renderedFrames + client.capturedFrames }

    /// Waits for more audio.
    func flows(_ frames: Int = 9_600) async -> Bool {
      let start = self.frames
      return await becomesTrue { self.frames >= start + frames }
    }

    /// Closes the stream and tells how long that took.
    func close() -> Duration { ContinuousClock().measure { stream.close() } }
  }
#endif
