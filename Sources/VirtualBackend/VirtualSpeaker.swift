internal import AudioDeviceCore
internal import Synchronization

/// A speaker of the backend: one timeline into which all its streams mix, and where that goes.
///
/// It comes to life with the first stream that opens it, and goes on, silent between streams, as long as the backend.
final class VirtualSpeaker: Sendable {
  let description: VirtualBackend.Speaker
  /// Whether anybody listens: a target, or a microphone that hears this speaker. Where nobody does, streams need not
  /// mix.
  let isHeard = Atomic<Bool>(false)

  private struct State {
    var timeline: SpeakerTimeline?
    var output: SpeakerOutput?
    var isFinished = false
  }
  private let state = Locked(State())

  init(_ description: VirtualBackend.Speaker) { self.description = description }

  deinit { _ = state.withLock { $0.output }?.finish() }

  /// The timeline, for a listener.
  ///
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when there is no memory.
  func timeline(_ clock: any PeriodClock) throws(AudioDeviceError) -> SpeakerTimeline {
    try state.withLock { (state) throws(AudioDeviceError) in try Self.timeline(&state, description, clock) }
  }

  /// The timeline, for a stream that will mix into it; the first one starts the output.
  ///
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the output cannot be opened, or has failed and was not given
  ///   up by `finish()`.
  func open(
    _ clock: any PeriodClock, onFailure: @escaping @Sendable (AudioDeviceError) -> Void
  ) throws(AudioDeviceError) -> SpeakerTimeline {
    try state.withLock { (state) throws(AudioDeviceError) in
      if let failure = state.output?.failure, !state.isFinished { throw failure }
      let timeline = try Self.timeline(&state, description, clock)
      if state.output == nil && !state.isFinished {
        state.output = try SpeakerOutput(
          description.target, timeline: timeline, clock: clock, onFailure: onFailure)
      }
      return timeline
    }
  }

  /// Ends the output for good. Streams go on, and sound to listeners only.
  ///
  /// - Returns: What went wrong with the output, now or before.
  func finish() -> AudioDeviceError? {
    let output = state.withLock { state in
      state.isFinished = true
      return state.output
    }
    return output?.finish()
  }

  /// What ended the output by itself, or nil.
  var failure: AudioDeviceError? { state.withLock { $0.isFinished ? nil : $0.output?.failure } }

  /// What went out so far.
  var outputStatistics: VirtualBackend.OutputStatistics {
    let output = state.withLock { $0.output }
    return VirtualBackend.OutputStatistics(
      frames: output?.frameCount.load(ordering: .relaxed) ?? 0,
      lostFrames: output?.lostFrameCount.load(ordering: .relaxed) ?? 0, failure: output?.failure)
  }

  private static func timeline(
    _ state: inout State, _ description: VirtualBackend.Speaker, _ clock: any PeriodClock
  ) throws(AudioDeviceError) -> SpeakerTimeline {
    if let timeline = state.timeline { return timeline }
    let timeline = try SpeakerTimeline(format: description.format, epoch: clock.now)
    state.timeline = timeline
    return timeline
  }
}
