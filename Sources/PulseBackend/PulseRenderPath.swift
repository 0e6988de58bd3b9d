#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse
  internal import Synchronization

  /// From the client to the server: writes whole periods, as many as the server asks for.
  final class PulseRenderPath: PulseStreamPath {
    private(set) var passes = 0

    private let stream: OpaquePointer
    private let format: AudioFormat
    private var client: (any AudioStreamClient)?
    private let state: PulseStreamState
    /// What is told of each pass, and under which number.
    private let wait: PulseWait
    private let key: Int
    /// For a period that the server's memory does not take in one piece.
    private let scratch: UnsafeMutableRawPointer
    private var clock: PulseStreamClock
    private var isRunning = false
    /// When periods were last written; nil where the stream begins anew.
    private var lastWrite: AudioInstant?
    /// The delay of what was written last, in nanoseconds.
    private var lastDelay: Int64 = 0
    /// The last time for which the server got nothing while it had nothing left, and when that ended; in nanoseconds.
    private var drought: (length: Int64, end: AudioInstant)?

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
      clock = PulseStreamClock(stream: stream, direction: .render, format: format)
      scratch = .allocate(byteCount: format.bytesPerPeriod, alignment: 16)
    }

    deinit { scratch.deallocate() }

    func setCallbacks() {
      let context = Unmanaged.passUnretained(self).toOpaque()
      pa_stream_set_write_callback(
        stream,
        { _, _, context in
          guard let context else { return }
          Unmanaged<PulseRenderPath>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.write() }
        }, context)
      pa_stream_set_latency_update_callback(
        stream,
        { _, context in
          guard let context else { return }
          Unmanaged<PulseRenderPath>.fromOpaque(context).takeUnretainedValue().clock.takeReport(now: .now)
        }, context)
    }

    func start() {
      isRunning = true
      write()
    }

    func stop() {
      isRunning = false
      client = nil
      pa_stream_set_write_callback(stream, nil, nil)
      pa_stream_set_latency_update_callback(stream, nil, nil)
    }

    func interrupt() {
      lastWrite = nil
      drought = nil
      clock.reset()
    }

    /// The server ran dry: the silence is what was not written in time, less what was still to be played.
    func countXrun() {
      let now = AudioInstant.now
      var silence = lastWrite.map { now.nanoseconds - $0.nanoseconds - lastDelay } ?? 0
      if let drought, now - drought.end < .seconds(1) { silence = max(silence, drought.length) }
      drought = nil
      clock.reset()
      state.meter.addXrun(lostFrames: format.frames(in: .nanoseconds(silence)))
      client?.streamDidNotice(.xrun)
    }

    /// libpulse's write callback: on the audio path, no allocation and no lock of ours.
    private func write() {
      guard isRunning else { return }
      let now = AudioInstant.now
      passes &+= 1
      wait.pass(key, now: now)
      if let lastWrite {
        let missing = now.nanoseconds - lastWrite.nanoseconds - lastDelay
        if missing > 0 { drought = (missing, now) }
      }
      let period = format.bytesPerPeriod
      clock.refresh()
      // Before the first report, what was written at once is all there is.
      var delay = max(clock.delay(now: now) ?? 0, 0)
      let writable = pa_stream_writable_size(stream)
      var wanted = writable == .max ? 0 : writable / period
      while wanted > 0, isRunning, !state.isClosed.load(ordering: .relaxed) {
        guard let written = writePeriods(wanted, delay: delay) else { break }
        wanted -= written
        delay &+= format.nanoseconds(ofFrames: written * format.framesPerPeriod)
        lastWrite = now
        lastDelay = delay
      }
    }

    /// Writes up to so many periods, at least one.
    ///
    /// - Returns: How many; nil when the server takes no more, or the stream was closed meanwhile.
    private func writePeriods(_ wanted: Int, delay: Int64) -> Int? {
      let period = format.bytesPerPeriod
      var space: UnsafeMutableRawPointer?
      var size = wanted * period
      let result = pa_stream_begin_write(stream, &space, &size)
      guard result >= 0, let space, size >= period, Int(bitPattern: space) % MemoryLayout<Int16>.alignment == 0 else {
        // The server's memory comes in smaller pieces than a period, or is out; libpulse then copies.
        if result >= 0, space != nil { pa_stream_cancel_write(stream) }
        guard fill(scratch, delay: delay) else { return nil }
        return pa_stream_write(stream, scratch, period, nil, 0, PA_SEEK_RELATIVE) >= 0 ? 1 : nil
      }
      let periods = min(size / period, wanted)
      for index in 0..<periods {
        let delay = delay &+ format.nanoseconds(ofFrames: index * format.framesPerPeriod)
        guard fill(space + index * period, delay: delay) else {
          pa_stream_cancel_write(stream)
          return nil
        }
      }
      return pa_stream_write(stream, space, periods * period, nil, 0, PA_SEEK_RELATIVE) >= 0 ? periods : nil
    }

    /// Has the client fill a period.
    ///
    /// - Returns: Whether the stream still runs.
    private func fill(_ space: UnsafeMutableRawPointer, delay: Int64) -> Bool {
      let samples = UnsafeMutableBufferPointer(
        start: space.assumingMemoryBound(to: Int16.self), count: format.samplesPerPeriod)
      samples.update(repeating: 0)
      state.meter.setLatency(nanoseconds: delay)
      state.meter.addFrames(format.framesPerPeriod)
      var span = samples.mutableSpan
      client?.streamWillRender(&span)
      return !state.isClosed.load(ordering: .relaxed)
    }
  }
#endif
