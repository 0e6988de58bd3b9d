internal import Synchronization

/// The reading side of a ring whose rate is corrected: it holds the delay from the writes to the reads where it is.
///
/// The frames in the ring tell little about the delay: their number jumps by a chunk with each write, and it hides a
/// drift until a whole chunk has added up. So both sides note when frames pass, and the delay is the distance between
/// the two ``PaceLine``s. It is held at the target and a chunk: just before a write, when a chunk is missing, the
/// target is left.
final class CorrectedReader: @unchecked Sendable {
  // Unchecked: what is not atomic belongs to the one thread that consumes the ring.

  /// What a read did, in frames.
  struct Outcome {
    var read = 0
    var dropped = 0
  }

  /// A shortfall that ends sooner was jitter.
  private static let longestJitter = Duration.milliseconds(100)
  /// How fast the delay that jitter took is given back: 1 ms in half a minute.
  private static let loweringSpeed = 1.0 / 30_000

  /// What comes at once, in frames.
  let chunk = Atomic<Int>(0)
  /// When frame zero was written, by the line of the writes; in nanoseconds.
  let writeOrigin = Atomic<Int64>(0)
  /// Frames in the corrector.
  let held = Atomic<Int>(0)
  /// In parts per billion.
  let correction = Atomic<Int>(0)

  private let format: AudioFormat
  private let target: Int
  private let highestLift: Double
  private let corrector: any AudioRateCorrector
  private let scratch: UnsafeMutablePointer<Int16>
  private let scratchCount: Int
  private var governor: BacklogGovernor
  private var controller = DriftController()
  private var reads: PaceLine
  /// Frames that were asked for, whether given or not.
  private var asked = 0
  /// Frames that were taken from the ring, the dropped ones included.
  private var taken = 0
  /// By how much the delay is above the target because jitter proved to need it.
  private var lift = 0.0
  /// What the last shortfall lacked, and how long it has been.
  private var lacking = 0
  private var missed = 0

  /// Allocates.
  init?(_ type: any AudioRateCorrector.Type, format: AudioFormat, target: Int, maximum: Int) {
    let period = format.framesPerPeriod
    guard let corrector = type.init(format: format, maximumFrames: period) else { return nil }
    self.corrector = corrector
    self.format = format
    // Without any target an empty ring would not be filled again.
    self.target = max(target, 1)
    highestLift = Double(max(maximum, target) / 2)
    governor = BacklogGovernor(target: self.target, maximum: maximum, period: period, window: format.sampleRate)
    reads = PaceLine(format: format)
    let frames = corrector.inputFrames(forOutput: period, speed: 1 + DriftController.limit) + 16
    scratchCount = frames * format.channelCount
    scratch = .allocate(capacity: scratchCount)
    scratch.initialize(repeating: 0, count: scratchCount)
  }

  deinit { scratch.deallocate() }

  /// Reads, and steers the rate. Real-time safe.
  func read(into samples: inout MutableSpan<Int16>, from ring: SampleRing<Int16>, at time: AudioInstant) -> Outcome {
    let channels = format.channelCount
    let wanted = samples.count / channels
    var outcome = Outcome()
    asked += wanted
    let readOrigin = reads.note(asked, at: time)
    let surplus = surplus(readOrigin: readOrigin, afterReading: wanted)
    let isStart = governor.isFilling
    if isStart { missed += wanted }
    let available = ring.availableToRead / channels
    let needed = max(corrector.inputFrames(forOutput: wanted, speed: controller.speed), 1)
    let plan = governor.plan(available: available, wanted: needed, surplus: Int(surplus))
    guard plan.read > 0 || !isStart else { return outcome }
    let discard = isStart ? max(min(Int(surplus), available - needed - target), 0) : plan.discard
    if discard > 0 {
      outcome.dropped = ring.discard(discard * channels) / channels
      taken += outcome.dropped
    }
    if isStart { start(surplus: surplus) } else { steer(surplus: surplus - Double(outcome.dropped), frames: wanted) }

    outcome.read = convert(into: &samples, wanted: wanted, from: ring)
    if governor.isFilling {
      lacking = wanted - outcome.read
      missed = lacking
      corrector.restart(holding: 0)
    }
    held.store(Int(corrector.heldFrames.rounded()), ordering: .relaxed)
    correction.store(Int((controller.speed - 1) * 1e9), ordering: .relaxed)
    return outcome
  }

  /// By how many frames the delay is too long, once this read has taken its frames.
  private func surplus(readOrigin: Int64, afterReading wanted: Int) -> Double {
    let apart = Double(readOrigin &- writeOrigin.load(ordering: .acquiring)) * 1e-9 * Double(format.sampleRate)
    let passed = Double(taken) - corrector.heldFrames + Double(wanted) * controller.speed
    let delay = apart + Double(asked) - passed
    return delay - Double(target + chunk.load(ordering: .relaxed) + corrector.lookahead) - lift
  }

  /// The backlog has been built up: the delay begins exactly where it is to stay. What is too much was dropped unheard,
  /// for what is missing there is silence.
  private func start(surplus: Double) {
    var missing = -surplus
    if lacking > 0, format.duration(ofFrames: missed) < Self.longestJitter {
      // Half a period at the least, else the next jitter of this size would be short again soon.
      let lifted = min(lift + Double(max(lacking, format.framesPerPeriod / 2)), highestLift)
      missing += lifted - lift
      lift = lifted
    }
    lacking = 0
    missed = 0
    let longest = min(chunk.load(ordering: .relaxed), format.sampleRate / 10) + corrector.lookahead
    corrector.restart(holding: min(max(Int(missing), 0), longest))
  }

  private func steer(surplus: Double, frames: Int) {
    controller.update(
      error: surplus / Double(format.sampleRate), elapsed: Double(frames) / Double(format.sampleRate))
    lift = max(lift - Self.loweringSpeed * Double(frames), 0)
  }

  /// Returns how many frames were made: what is wanted, or else all that the ring and the corrector hold.
  private func convert(into samples: inout MutableSpan<Int16>, wanted: Int, from ring: SampleRing<Int16>) -> Int {
    let channels = format.channelCount
    let speed = controller.speed
    var made = 0
    while made < wanted {
      var frames = min(wanted - made, format.framesPerPeriod)
      var needed = corrector.inputFrames(forOutput: frames, speed: speed)
      var room = MutableSpan(_unsafeStart: scratch, count: scratchCount)
      let read = ring.read(into: &room, limit: needed * channels) / channels
      taken += read
      let isShort = read < needed
      if isShort {
        // The end of the sound, and silence for what the corrector wants to see beyond it.
        frames = min(max(frames - (needed - read) + corrector.lookahead - 2, 0), frames)
        needed = max(corrector.inputFrames(forOutput: frames, speed: speed), read)
        (scratch + read * channels).update(repeating: 0, count: (needed - read) * channels)
      }
      samples.withUnsafeMutableBufferPointer { samples in
        guard let base = samples.baseAddress else { return }
        var output = MutableSpan(_unsafeStart: base + made * channels, count: frames * channels)
        let input = Span(_unsafeStart: UnsafePointer(scratch), count: needed * channels)
        corrector.correct(input, into: &output, speed: speed)
      }
      made += frames
      if isShort { break }
    }
    return made
  }
}
