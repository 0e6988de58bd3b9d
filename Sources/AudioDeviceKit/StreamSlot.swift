internal import Synchronization

/// The place of a device's stream in one direction. Starting and stopping exclude each other; what is read per packet
/// or per period is lock-free.
final class StreamSlot: Sendable {
  private struct State {
    var stream: (any AudioStream)?
    /// What the streams that were closed had counted.
    var former = AudioDeviceStatistics.Direction()
  }
  let direction: AudioDirection
  private let state = Locked(State())
  /// On which streams are opened and closed, which may take long, so that `state` is held for moments only.
  private let lane = SerialLane("audio-stream")
  private let initialized = Atomic<Bool>(false)
  private let running = Atomic<Bool>(false)
  private let delayNanoseconds = Atomic<Int64>(0)
  private let shortfallFrames = Atomic<Int>(0)
  private let opens = Atomic<Int>(0)

  init(_ direction: AudioDirection) { self.direction = direction }

  var isInitialized: Bool { initialized.load(ordering: .relaxed) }
  var isRunning: Bool { running.load(ordering: .relaxed) }
  var delay: Duration { .nanoseconds(delayNanoseconds.load(ordering: .relaxed)) }
  var deviceID: String? { state.withLock { $0.stream }?.deviceID }
  var schedulingClass: SchedulingClass? { state.withLock { $0.stream }?.schedulingClass }

  var statistics: AudioDeviceStatistics.Direction {
    let (stream, former) = state.withLock { ($0.stream, $0.former) }
    var statistics = former
    if let stream { statistics.add(stream.statistics) }
    statistics.shortfallFrames = shortfallFrames.load(ordering: .relaxed)
    statistics.opens = opens.load(ordering: .relaxed)
    return statistics
  }

  func markInitialized() { initialized.store(true, ordering: .relaxed) }

  func start(_ open: () throws(AudioDeviceError) -> any AudioStream) throws(AudioDeviceError) {
    let failure = lane.sync { isRunning ? nil : run(open) }
    if let failure { throw failure }
  }

  /// Closes the stream and opens another in its place, if it runs.
  ///
  /// - Returns: Whether it ran and runs again.
  /// - Throws: ``AudioDeviceError`` when there is no stream now.
  func reopen(_ open: () throws(AudioDeviceError) -> any AudioStream) throws(AudioDeviceError) -> Bool {
    let result: Result<Bool, AudioDeviceError> = lane.sync {
      guard isRunning else { return .success(false) }
      closeStream()
      return run(open).map { .failure($0) } ?? .success(true)
    }
    return try result.get()
  }

  func stop() { lane.sync { closeStream() } }

  // MARK: On the lane

  private func run(_ open: () throws(AudioDeviceError) -> any AudioStream) -> AudioDeviceError? {
    do throws(AudioDeviceError) {
      let stream = try open()
      do throws(AudioDeviceError) {
        try stream.start()
      } catch {
        stream.close()
        throw error
      }
      state.withLock { $0.stream = stream }
    } catch {
      return error
    }
    initialized.store(true, ordering: .relaxed)
    running.store(true, ordering: .relaxed)
    opens.wrappingAdd(1, ordering: .relaxed)
    return nil
  }

  private func closeStream() {
    let stream = state.withLock { $0.stream }
    stream?.close()
    state.withLock { state in
      if let stream { state.former.add(stream.statistics) }
      state.stream = nil
    }
    running.store(false, ordering: .relaxed)
    delayNanoseconds.store(0, ordering: .relaxed)
  }

  // MARK: Audio thread

  func setDelay(_ delay: Duration) { delayNanoseconds.store(delay.wholeNanoseconds, ordering: .relaxed) }

  func addShortfall(frames: Int) { shortfallFrames.wrappingAdd(frames, ordering: .relaxed) }
}

extension AudioDeviceStatistics.Direction {
  /// Adds what a stream counts.
  fileprivate mutating func add(_ stream: AudioDeviceStatistics.Direction) {
    frames += stream.frames
    lostFrames += stream.lostFrames
    xruns += stream.xruns
  }
}
