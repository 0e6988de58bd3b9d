internal import Synchronization

/// One direction of a ``BufferedAudioBus``: a ring, and what keeps its backlog near the target.
final class BufferedLane: @unchecked Sendable {
  // Unchecked: the governor and the corrected reader belong to the one thread that consumes the ring, the line of the
  // writes to the one that fills it.
  let ring: SampleRing<Int16>
  let format: AudioFormat
  private let clock: any PeriodClock
  private let dropped = Atomic<Int>(0)
  private let shortfall = Atomic<Int>(0)
  private var governor: BacklogGovernor
  private let corrected: CorrectedReader?
  private var writes: PaceLine
  private var writtenFrames = 0
  private var lastWrite = AudioInstant(nanoseconds: 0)
  private var burst = 0

  init(format: AudioFormat, configuration: BufferedAudioBus.Configuration, clock: any PeriodClock) {
    let target = format.frames(in: min(max(configuration.targetBacklog, .zero), .seconds(1)))
    let maximum = format.frames(in: min(max(configuration.maximumBacklog, .zero), .seconds(10)))
    self.format = format
    self.clock = clock
    governor = BacklogGovernor(
      target: target, maximum: maximum, period: format.framesPerPeriod, window: format.sampleRate)
    corrected = configuration.rateCorrector.flatMap {
      CorrectedReader($0, format: format, target: target, maximum: maximum)
    }
    writes = PaceLine(format: format)
    // Twice the maximum: room for a burst that the governor then judges, instead of a full ring that loses the
    // newest.
    let frames = 2 * (max(maximum, target) + 4 * format.framesPerPeriod)
    ring = SampleRing(minimumCapacity: frames * format.channelCount)
  }

  var statistics: BufferedAudioBus.Statistics {
    BufferedAudioBus.Statistics(
      droppedFrames: dropped.load(ordering: .relaxed), shortfallFrames: shortfall.load(ordering: .relaxed))
  }

  /// Frames that are in the ring or in the corrector.
  var backlogFrames: Int {
    ring.availableToRead / format.channelCount + (corrected?.held.load(ordering: .relaxed) ?? 0)
  }

  var backlog: Duration { format.duration(ofFrames: backlogFrames) }

  /// In parts per million.
  var rateCorrection: Double { Double(corrected?.correction.load(ordering: .relaxed) ?? 0) / 1000 }

  func write(_ samples: borrowing Span<Int16>) -> Int {
    // Whole frames only, else the channels would change places after a full ring.
    let channels = format.channelCount
    let fitting = min(samples.count, ring.availableToWrite) / channels * channels
    let written = ring.write(samples.extracting(first: fitting))
    let lost = (samples.count - written) / channels
    if lost > 0 { dropped.wrappingAdd(lost, ordering: .relaxed) }
    if let corrected, written > 0 { note(written / channels, for: corrected) }
    return written / channels
  }

  /// Tells the reading side what was written. Who works in 20 ms often writes two periods at once: that is one chunk.
  private func note(_ frames: Int, for corrected: CorrectedReader) {
    let now = clock.now
    let isOneBurst = now - lastWrite < format.duration(ofFrames: frames) / 4
    burst = isOneBurst ? max(min(burst + frames, 4 * format.framesPerPeriod), frames) : frames
    lastWrite = now
    writtenFrames += frames
    corrected.chunk.store(burst, ordering: .relaxed)
    corrected.writeOrigin.store(writes.note(writtenFrames, at: now), ordering: .releasing)
  }

  func read(into samples: inout MutableSpan<Int16>) -> Int {
    let wanted = samples.count / format.channelCount
    guard wanted > 0 else { return 0 }
    let read: Int
    if let corrected {
      let outcome = corrected.read(into: &samples, from: ring, at: clock.now)
      read = outcome.read
      if outcome.dropped > 0 { dropped.wrappingAdd(outcome.dropped, ordering: .relaxed) }
    } else {
      read = readAsItIs(into: &samples, wanted: wanted)
    }
    if read < wanted { shortfall.wrappingAdd(wanted - read, ordering: .relaxed) }
    return read
  }

  private func readAsItIs(into samples: inout MutableSpan<Int16>, wanted: Int) -> Int {
    let channels = format.channelCount
    let plan = governor.plan(available: ring.availableToRead / channels, wanted: wanted)
    if plan.discard > 0 {
      dropped.wrappingAdd(ring.discard(plan.discard * channels) / channels, ordering: .relaxed)
    }
    return ring.read(into: &samples, limit: plan.read * channels) / channels
  }
}
