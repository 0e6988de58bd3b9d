internal import AudioDeviceCore
internal import Synchronization
internal import WaveFile

/// Reads a sound file ahead of a stream, on a thread of its own, and converts it to the stream's format.
///
/// The thread is a participant of the clock and fills the ring every 100 ms of it. The ring holds a second, so that on
/// a manual clock, which waits for its participants, it never runs dry; on the machine's clock a disk may take 900 ms.
final class FileFeed: Sendable {
  /// Samples in the stream's format.
  let ring: SampleRing<Int16>
  /// Whether nothing more will come into the ring. Read it before the ring.
  var hasEnded: Bool { ended.load(ordering: .acquiring) }

  private static let interval = Duration.milliseconds(100)

  private let ended = Atomic<Bool>(false)
  private let isStopping = Atomic<Bool>(false)
  private let filler: Locked<Filler>
  private let waiter = Locked<(any ClockWaiter)?>(nil)

  /// Opens a file and fills the ring. Blocks on the disk.
  ///
  /// - Parameters:
  ///   - path: Of a WAVE file.
  ///   - repeats: Whether it begins again at its end; silence follows otherwise.
  ///   - format: Of the stream.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` from ``WaveReader``.
  init(path: String, repeats: Bool, format: AudioFormat) throws(AudioDeviceError) {
    ring = SampleRing(minimumCapacity: format.sampleRate * format.channelCount)
    filler = Locked(Filler(try WaveReader(path: path), repeats: repeats, format: format))
    try fill()
  }

  /// Starts to read ahead.
  ///
  /// - Parameters:
  ///   - clock: What paces it.
  ///   - onFailure: Called on the feed's own thread, once, when the file cannot be read on.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when there is no thread to be had.
  func start(
    _ clock: any PeriodClock, onFailure: @escaping @Sendable (AudioDeviceError) -> Void
  ) throws(AudioDeviceError) {
    do throws(SystemCallError) {
      let waiter = try clock.makeWaiter()
      do throws(SystemCallError) {
        _ = try RealtimeThread(name: "virtual-reader", scheduling: .normal) {
          self.run(clock, waiter, onFailure)
        }
        self.waiter.withLock { $0 = waiter }
      } catch {
        waiter.invalidate()
        throw error
      }
    } catch {
      throw AudioDeviceError(error, "The sound file of the virtual microphone cannot be read ahead.")
    }
  }

  /// Ends the thread, and does not wait for that: it may be held up by a disk, and is nobody's to wait for. Idempotent.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    waiter.withLock { $0 }?.wake()
  }

  private func run(
    _ clock: any PeriodClock, _ waiter: any ClockWaiter, _ onFailure: @Sendable (AudioDeviceError) -> Void
  ) {
    var due = clock.now
    while !isStopping.load(ordering: .acquiring) {
      due = max(due, clock.now) + Self.interval
      guard waiter.wait(until: due) == .deadline else { continue }
      do throws(AudioDeviceError) {
        try fill()
      } catch {
        onFailure(error)
        break
      }
    }
    waiter.invalidate()
  }

  private func fill() throws(AudioDeviceError) {
    let isAtEnd = try filler.withLock { (filler) throws(AudioDeviceError) in try filler.fill(ring) }
    if isAtEnd { ended.store(true, ordering: .releasing) }
  }
}

/// The file and its conversion. For one thread at a time.
private final class Filler {
  private var reader: WaveReader
  private var converter: FormatConverter
  private let repeats: Bool
  private let channelCount: Int
  private var input: [Int16]
  private var output: [Int16]
  /// Frames since the file began.
  private var framesOfTurn = 0
  private var isAtEnd = false

  init(_ reader: consuming WaveReader, repeats: Bool, format: AudioFormat) {
    let source = reader.format
    let frames = source.framesPerPeriod
    converter = FormatConverter(from: source, to: format, maximumInput: frames)
    input = [Int16](repeating: 0, count: source.samplesPerPeriod)
    output = [Int16](
      repeating: 0, count: (frames * format.sampleRate / source.sampleRate + 2) * format.channelCount)
    channelCount = format.channelCount
    self.repeats = repeats
    self.reader = reader
  }

  /// Fills a ring as far as it has room.
  ///
  /// - Returns: Whether the file is at its end, and all of it in the ring.
  func fill(_ ring: SampleRing<Int16>) throws(AudioDeviceError) -> Bool {
    while !isAtEnd && ring.availableToWrite >= output.count {
      var span = input.mutableSpan
      let frames = try reader.read(into: &span)
      framesOfTurn += frames
      if frames > 0 {
        convert(frames, ring)
      } else if repeats && framesOfTurn > 0 {
        reader.rewind()
        framesOfTurn = 0
      } else {
        isAtEnd = true
        flush(ring)
      }
    }
    return isAtEnd
  }

  /// The converter still holds frames that it could not give without knowing what follows them: silence.
  private func flush(_ ring: SampleRing<Int16>) {
    let period = input.count / reader.format.channelCount
    var rest = converter.lookahead
    for index in input.indices { input[index] = 0 }
    while rest > 0 {
      convert(min(rest, period), ring)
      rest -= period
    }
  }

  private func convert(_ frames: Int, _ ring: SampleRing<Int16>) {
    converter.push(input, count: frames)
    let channels = channelCount
    output.withUnsafeMutableBufferPointer { output in
      guard let base = output.baseAddress else { return }
      let count = converter.pull(base, count: output.count / channels)
      // There is room: it was looked for before the file was read.
      _ = ring.write(UnsafeBufferPointer(rebasing: output[..<(count * channels)]).span)
    }
  }
}

/// A sound file, as its feed reads it ahead.
final class FileSource: PeriodSource {
  private let feed: FileFeed
  private let format: AudioFormat

  init(_ feed: FileFeed, format: AudioFormat) {
    self.feed = feed
    self.format = format
  }

  func fill(_ period: UnsafeMutableBufferPointer<Int16>, capturedAt time: AudioInstant) -> Int {
    let hasEnded = feed.hasEnded
    var span = period.mutableSpan
    let count = feed.ring.read(into: &span)
    for index in count..<period.count { period[index] = 0 }
    return hasEnded ? 0 : (period.count - count) / format.channelCount
  }

  func skip(_ count: Int) { _ = feed.ring.discard(count * format.samplesPerPeriod) }
}
