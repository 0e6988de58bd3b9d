internal import AudioDeviceCore
internal import Glibc
internal import Synchronization

/// What sounds at a virtual speaker, frame by frame: a window of a few seconds around now, into which any number of
/// streams mix and out of which any number of listeners read, from any thread, lock-free.
///
/// Positions are frames since the speaker's epoch. Streams add ahead of now, listeners read behind it, so that within
/// the window nobody waits for anybody and the order of threads does not matter. A cell holds a sum in its lower half
/// and in its upper half the number of the lap around the window it belongs to: what is left from an earlier lap counts
/// as silence, and nobody has to clear it. Sums are saturated when they are read.
final class SpeakerTimeline: @unchecked Sendable {
  // Unchecked: `cells` is shared by all threads, and every access to it is atomic.

  /// The format of the speaker.
  let format: AudioFormat
  /// When position 0 sounds.
  let epoch: AudioInstant
  /// Frames in the window.
  let frameCount: Int

  /// How far ahead of now streams may add, and how far behind it listeners may read without losing anything.
  static let reach = Duration.seconds(1)

  private let cells: UnsafeMutablePointer<Atomic<UInt64>>
  private let shift: Int

  /// Makes a silent timeline. Allocates; the memory is taken page by page, as it is used.
  ///
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when there is no memory (`calloc(3)`).
  init(format: AudioFormat, epoch: AudioInstant) throws(AudioDeviceError) {
    self.format = format
    self.epoch = epoch
    let wished = 2 * format.frames(in: Self.reach) + format.framesPerPeriod
    shift = Int.bitWidth - (wished - 1).leadingZeroBitCount
    frameCount = 1 << shift
    let count = frameCount * format.channelCount
    guard let memory = calloc(count, MemoryLayout<Atomic<UInt64>>.stride) else {
      throw AudioDeviceError(
        .systemFailure, "There is no memory for a virtual speaker of \(format).", call: "calloc", number: Int(errno))
    }
    // All zero bits are an atomic zero: lap 0, silence.
    cells = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
  }

  deinit { free(cells) }

  /// The frame that sounds at an instant, rounded to the nearest.
  func position(at instant: AudioInstant) -> Int {
    let (seconds, rest) = (instant.nanoseconds &- epoch.nanoseconds).quotientAndRemainder(
      dividingBy: 1_000_000_000)
    let rate = format.sampleRate
    return Int(seconds) * rate + Int((Double(rest) * Double(rate) / 1e9).rounded())
  }

  /// Mixes frames in, or takes out again what was mixed in before.
  ///
  /// - Parameters:
  ///   - samples: Interleaved.
  ///   - count: Frames.
  ///   - position: Of the first.
  ///   - isAdded: Whether they are added, or taken out.
  func mix(_ samples: UnsafePointer<Int16>, count: Int, at position: Int, isAdded: Bool = true) {
    let channels = format.channelCount
    for frame in 0..<count {
      let (lap, first) = cell(of: position + frame)
      for channel in 0..<channels {
        let sample = Int32(samples[frame * channels + channel])
        guard sample != 0 else { continue }
        add(isAdded ? sample : -sample, to: first + channel, lap)
      }
    }
  }

  /// Reads frames.
  ///
  /// - Parameters:
  ///   - output: Interleaved room; filled with silence where nothing was mixed in.
  ///   - count: Frames.
  ///   - position: Of the first.
  func read(_ output: UnsafeMutablePointer<Int16>, count: Int, at position: Int) {
    let channels = format.channelCount
    for frame in 0..<count {
      let (lap, first) = cell(of: position + frame)
      for channel in 0..<channels {
        let value = cells[first + channel].load(ordering: .relaxed)
        output[frame * channels + channel] =
          UInt32(value >> 32) == lap ? Int16(clamping: Int32(truncatingIfNeeded: value)) : 0
      }
    }
  }

  private func cell(of position: Int) -> (lap: UInt32, index: Int) {
    (UInt32(truncatingIfNeeded: position >> shift), (position & (frameCount - 1)) * format.channelCount)
  }

  private func add(_ sample: Int32, to index: Int, _ lap: UInt32) {
    var old = cells[index].load(ordering: .relaxed)
    while true {
      // A sum of an earlier lap is over. One of a later lap means that these frames are long past; they go unheard.
      let isSameLap = UInt32(old >> 32) == lap
      guard isSameLap || Int32(bitPattern: lap &- UInt32(old >> 32)) > 0 else { return }
      let sum = isSameLap ? Int32(truncatingIfNeeded: old) &+ sample : sample
      let new = UInt64(lap) << 32 | UInt64(UInt32(bitPattern: sum))
      let (isExchanged, now) = cells[index].weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
      if isExchanged { return }
      old = now
    }
  }
}
