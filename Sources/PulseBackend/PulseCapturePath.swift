#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse
  internal import Synchronization

  /// From the server to the client: reads what came, cuts it into periods, and drops what came too late.
  ///
  /// libpulse's reader hands on a stall in full: after two seconds in which this process or the server stood still, two
  /// seconds of old audio come at once, and a call would be that much late. So a long gap between two arrivals has the
  /// stream flushed, and everything up to the server's confirmation dropped and counted: the delay is then what it was.
  final class PulseCapturePath: PulseStreamPath {
    private(set) var passes = 0

    private let stream: OpaquePointer
    private let format: AudioFormat
    private var client: (any AudioStreamClient)?
    private let state: PulseStreamState
    /// What is told of each pass, and under which number.
    private let wait: PulseWait
    private let key: Int
    private var assembler: PeriodAssembler
    private var clock: PulseStreamClock
    private var isRunning = false
    /// When audio last reached the client; nil where the stream begins anew.
    private var lastArrival: AudioInstant?
    /// The longest gap that is no stall, and what it is at the least.
    private var patience = Duration.milliseconds(100)
    private var leastPatience = Duration.milliseconds(100)
    /// The longest gap of late, and when that is looked at.
    private var longestGap = Duration.zero
    private var nextReview = AudioInstant.now
    /// When the last stall was seen, and how many came shortly after one another.
    private var lastStall: AudioInstant?
    private var stallsInARow = 0
    /// Until when to drop what comes, at the latest; nil where nothing is dropped.
    private var droppingUntil: AudioInstant?

    init(
      stream: OpaquePointer, format: AudioFormat, client: any AudioStreamClient, state: PulseStreamState,
      wait: PulseWait, key: Int
    ) {
      self.stream = stream
      self.format = format
      self.client = client
      self.state = state
      self.wait = wait
      self.key = key
      assembler = PeriodAssembler(format: format)
      clock = PulseStreamClock(stream: stream, direction: .capture, format: format)
    }

    func setCallbacks() {
      let context = Unmanaged.passUnretained(self).toOpaque()
      pa_stream_set_read_callback(
        stream,
        { _, readable, context in
          guard let context else { return }
          Unmanaged<PulseCapturePath>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.read(readable) }
        }, context)
      pa_stream_set_latency_update_callback(
        stream,
        { _, context in
          guard let context else { return }
          Unmanaged<PulseCapturePath>.fromOpaque(context).takeUnretainedValue().clock.takeReport(now: .now)
        }, context)
    }

    func start() {
      isRunning = true
      let step = state.bufferAttributes.withLock { $0?.step ?? 0 }
      leastPatience = max(.milliseconds(100), format.duration(ofFrames: Int(step) / format.bytesPerFrame) * 4)
      patience = leastPatience
    }

    func stop() {
      isRunning = false
      client = nil
      pa_stream_set_read_callback(stream, nil, nil)
      pa_stream_set_latency_update_callback(stream, nil, nil)
    }

    func interrupt() {
      lastArrival = nil
      clock.reset()
    }

    func countXrun() {
      state.meter.addXrun(lostFrames: 0)
      client?.streamDidNotice(.xrun)
    }

    /// libpulse's read callback: on the audio path, no allocation and no lock of ours.
    private func read(_ readable: Int) {
      let now = AudioInstant.now
      passes &+= 1
      wait.pass(key, now: now)
      if let lastArrival, droppingUntil == nil { check(gap: now - lastArrival, now: now) }
      guard isRunning, droppingUntil.map({ now > $0 }) ?? true else { return dropAll() }
      if droppingUntil != nil { didRecover(now: now) }
      lastArrival = now
      clock.refresh()
      read(readable, now: now)
    }

    private func read(_ readable: Int, now: AudioInstant) {
      // The age of what is read next; from here on it is known by counting. Before the first report, that of a period.
      var age = clock.delay(now: now) ?? format.nanoseconds(ofFrames: format.framesPerPeriod)
      var rest = readable
      while rest > 0, isRunning, !state.isClosed.load(ordering: .relaxed) {
        var data: UnsafeRawPointer?
        var length = 0
        guard pa_stream_peek(stream, &data, &length) >= 0, length > 0 else { return }
        rest -= length
        let frames = length / format.bytesPerFrame
        // A hole: the server lost it, and its time is kept with silence.
        if data == nil { state.meter.addLostFrames(frames) }
        deliver(data, frames: frames, age: age, now: now)
        age &-= format.nanoseconds(ofFrames: frames)
        guard pa_stream_drop(stream) >= 0 else { return }
      }
    }

    private func deliver(_ data: UnsafeRawPointer?, frames: Int, age: Int64, now: AudioInstant) {
      let samples = data?.assumingMemoryBound(to: Int16.self)
      assembler.append(samples, count: frames * format.channelCount) { period, framesBehind in
        guard !state.isClosed.load(ordering: .relaxed) else { return }
        let age = age &- format.nanoseconds(ofFrames: frames - framesBehind - format.framesPerPeriod)
        state.meter.setLatency(nanoseconds: age)
        state.meter.addFrames(format.framesPerPeriod)
        // A monitor gives audio before it is heard, which makes its age negative.
        client?.streamDidCapture(&period, capturedAt: AudioInstant(nanoseconds: now.nanoseconds - max(age, 0)))
      }
    }

    // MARK: Stalls

    private func check(gap: Duration, now: AudioInstant) {
      longestGap = max(longestGap, gap)
      if gap > patience { didStall(now: now, gap: gap) }
      guard now >= nextReview else { return }
      if longestGap < leastPatience { patience = leastPatience }
      longestGap = .zero
      nextReview = now + .seconds(10)
    }

    private func didStall(now: AudioInstant, gap: Duration) {
      let isInARow = lastStall.map { now - $0 < .seconds(5) } ?? false
      stallsInARow = isInARow ? stallsInARow + 1 : 1
      lastStall = now
      // One after the other: this device gives its audio in large pieces, which must not be taken for stalls.
      guard stallsInARow <= 3 else {
        patience = min(gap * 2, .seconds(2))
        return
      }
      droppingUntil = now + .seconds(1)
      PulseOperation.follow(pa_stream_flush(stream, nil, nil)) { [weak self] _ in
        guard let self, droppingUntil != nil else { return }
        dropAll()
        droppingUntil = .now
      }
    }

    private func didRecover(now: AudioInstant) {
      droppingUntil = nil
      clock.reset()
      guard let lastArrival else { return }
      let fresh = pa_stream_readable_size(stream)
      let kept = fresh == .max ? 0 : fresh / format.bytesPerFrame
      state.meter.addXrun(lostFrames: format.frames(in: now - lastArrival) - kept + assembler.pendingFrames)
      assembler.reset()
      client?.streamDidNotice(.xrun)
    }

    private func dropAll() {
      var data: UnsafeRawPointer?
      var length = 0
      while pa_stream_peek(stream, &data, &length) >= 0, length > 0, pa_stream_drop(stream) >= 0 {}
    }
  }
#endif
