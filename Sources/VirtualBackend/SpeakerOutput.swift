internal import AudioDeviceCore
internal import Synchronization
internal import WaveFile

/// The far end of a virtual speaker: a thread that takes what has sounded, period by period, to a file or a function.
///
/// The thread is a participant of the clock: a manual clock does not move on before everything that has sounded until
/// then is written. A file is written on a normal thread and may fall behind; a function is called on an audio thread.
final class SpeakerOutput: Sendable {
  /// Frames that went out, silence included.
  let frameCount = Atomic<Int>(0)
  /// Of these, frames that were silence because the thread had fallen behind by more than the timeline holds.
  let lostFrameCount = Atomic<Int>(0)

  private struct Sink: ~Copyable {
    var writer: WaveWriter?
    var function: (@Sendable (borrowing Span<Int16>, AudioFormat) -> Void)?
  }
  /// Locked by the thread for all its life: it alone uses the sink.
  private let sink: Locked<Sink>
  private let timeline: SpeakerTimeline
  private let clock: any PeriodClock
  private let waiter: any ClockWaiter
  private let isEnding = Atomic<Bool>(false)
  private let state: Locked<(thread: RealtimeThread?, failure: AudioDeviceError?)>
  private let onFailure: @Sendable (AudioDeviceError) -> Void

  /// Opens the target and starts to take what sounds from now on. Nil for a speaker that sounds to nobody.
  ///
  /// - Parameters:
  ///   - target: Where the sound goes.
  ///   - timeline: Where it comes from.
  ///   - clock: What paces it.
  ///   - onFailure: Called on the output's own thread, once, when it ends because of an error.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the file cannot be made, or no thread.
  init?(
    _ target: VirtualBackend.RenderTarget, timeline: SpeakerTimeline, clock: any PeriodClock,
    onFailure: @escaping @Sendable (AudioDeviceError) -> Void
  ) throws(AudioDeviceError) {
    let scheduling: SchedulingClass
    switch target {
    case .nothing: return nil
    case .file(let path):
      sink = Locked(Sink(writer: try WaveWriter(path: path, format: timeline.format), function: nil))
      scheduling = .normal
    case .function(let function):
      sink = Locked(Sink(writer: nil, function: function))
      scheduling = .audio
    }
    self.timeline = timeline
    self.clock = clock
    self.onFailure = onFailure
    state = Locked((nil, nil))
    do throws(SystemCallError) {
      waiter = try clock.makeWaiter()
    } catch {
      throw AudioDeviceError(error, "The virtual speaker cannot run.")
    }
    let start = clock.now
    do throws(SystemCallError) {
      let thread = try RealtimeThread(name: "virtual-output", scheduling: scheduling) { self.run(from: start) }
      state.withLock { $0.thread = thread }
    } catch {
      waiter.invalidate()
      throw AudioDeviceError(error, "The virtual speaker cannot run.")
    }
  }

  /// What ended the output, or nil while it works.
  var failure: AudioDeviceError? { state.withLock { $0.failure } }

  /// Ends the output after it has taken what sounded until now, and closes the file. Idempotent; blocks on the disk.
  ///
  /// - Returns: What went wrong, now or before.
  @discardableResult
  func finish() -> AudioDeviceError? {
    isEnding.store(true, ordering: .releasing)
    waiter.wake()
    state.withLock { $0.thread }?.join()
    return failure
  }

  private func run(from start: AudioInstant) {
    let error = sink.withLock { sink -> AudioDeviceError? in
      let taking = Result { () throws(AudioDeviceError) in try take(from: start, to: &sink) }
      let closing = Result { () throws(AudioDeviceError) in try sink.writer?.close() }
      if case .failure(let error) = taking { return error }
      if case .failure(let error) = closing { return error }
      return nil
    }
    if let error {
      state.withLock { $0.failure = error }
      onFailure(error)
    }
    waiter.invalidate()
  }

  private func take(from start: AudioInstant, to sink: inout Sink) throws(AudioDeviceError) {
    let format = timeline.format
    let buffer = UnsafeMutableBufferPointer<Int16>.allocate(capacity: format.samplesPerPeriod)
    buffer.initialize(repeating: 0)
    defer { buffer.deallocate() }
    let first = timeline.position(at: start)
    let reach = format.frames(in: SpeakerTimeline.reach)
    var position = first
    var period = 1
    while true {
      let outcome = waiter.wait(until: start + format.duration(ofFrames: period * format.framesPerPeriod))
      let isLast = isEnding.load(ordering: .acquiring)
      let now = timeline.position(at: clock.now)
      let end = isLast ? now : outcome == .deadline ? first + period * format.framesPerPeriod : position
      while position < end {
        let count = min(end - position, format.framesPerPeriod)
        let isLost = now - position > reach
        if isLost {
          buffer.update(repeating: 0)
          lostFrameCount.wrappingAdd(count, ordering: .relaxed)
        } else if let base = buffer.baseAddress {
          timeline.read(base, count: count, at: position)
        }
        let samples = UnsafeBufferPointer(rebasing: buffer[..<(count * format.channelCount)])
        try sink.writer?.write(samples.span)
        // A file keeps its timeline; a function is not called over and over for what is long past.
        if !isLost { sink.function?(samples.span, format) }
        frameCount.wrappingAdd(count, ordering: .relaxed)
        position += count
      }
      if isLast { return }
      if outcome == .deadline { period += 1 }
    }
  }
}
