internal import AudioDeviceKit
internal import CommandLineSupport
internal import Synchronization

/// Gives a sound file to be rendered: a worker decodes ahead into a ring, and the audio thread takes from it.
final class PlaybackBus: AudioBus {
  /// More than any stall of a disk or a processor that playing should survive.
  private static let readAhead = Duration.seconds(1)
  private static let interval = Duration.milliseconds(100)

  let format: AudioFormat
  let meter: LevelMeter

  private let reader: Locked<SoundReader>
  private let ring: SampleRing<Int16>
  private let given = Atomic<Int>(0)
  private let allWasGiven = Atomic<Bool>(false)
  private let readerHasEnded = Atomic<Bool>(false)
  private let isPlaying = Atomic<Bool>(false)
  private let failure = Locked<AudioDeviceError?>(nil)
  private let waiter: any ClockWaiter
  private let thread = Locked<RealtimeThread?>(nil)
  private let onEnd: @Sendable () -> Void

  /// Decodes the beginning and starts the worker. Nothing is given before ``setPlaying(_:)``.
  ///
  /// - Parameters:
  ///   - reader: The file.
  ///   - onEnd: Called on the audio thread when all was given; it may not block.
  /// - Throws: ``AudioDeviceError`` when the file's beginning cannot be decoded.
  init(_ reader: consuming SoundReader, onEnd: @escaping @Sendable () -> Void) throws(AudioDeviceError) {
    format = reader.format
    meter = LevelMeter(channelCount: format.channelCount)
    ring = SampleRing(minimumCapacity: format.frames(in: Self.readAhead) * format.channelCount)
    self.onEnd = onEnd
    self.reader = Locked(reader)
    do throws(SystemCallError) {
      waiter = try SystemPeriodClock.shared.makeWaiter()
    } catch {
      throw AudioDeviceError(error, "Playing cannot be set up.")
    }
    fill()
    if let failure = failure.withLock({ $0 }) { throw failure }
    do throws(SystemCallError) {
      let thread = try RealtimeThread(name: "decoder", scheduling: .normal) { [self] in
        while !readerHasEnded.load(ordering: .relaxed), waiter.wait(until: .now + Self.interval) == .deadline { fill() }
      }
      self.thread.withLock { $0 = thread }
    } catch {
      throw AudioDeviceError(error, "Playing cannot be set up.")
    }
  }

  /// Frames that were given.
  var playedFrames: Int { given.load(ordering: .relaxed) }

  /// Whether all that is in the file was given.
  var isFinished: Bool { allWasGiven.load(ordering: .relaxed) }

  /// Gives the file from where it stands, or pauses.
  ///
  /// While a device opens or is lost its manager drops what the bus gives; a pause keeps the file from being dropped.
  func setPlaying(_ isPlaying: Bool) { self.isPlaying.store(isPlaying, ordering: .relaxed) }

  /// Ends the worker.
  ///
  /// - Returns: Why decoding ended before the file did, if it did.
  func finish() -> AudioDeviceError? {
    waiter.wake()
    thread.withLock { $0 }?.join()
    return failure.withLock { $0 }
  }

  // MARK: AudioBus

  func prepare(captureFormat: AudioFormat, renderFormat: AudioFormat) throws(AudioDeviceError) {
    guard renderFormat == format else {
      throw AudioDeviceError(.formatNotSupported, "The device renders in \(renderFormat), not in \(format).")
    }
  }

  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {}

  /// Audio thread: neither blocks nor allocates.
  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int {
    let wanted = samples.count
    guard isPlaying.load(ordering: .relaxed) else { return silence(&samples, from: 0) }
    // Before the reading: what the worker wrote before it ended is in the ring by now.
    let hasEnded = readerHasEnded.load(ordering: .acquiring)
    let read = ring.read(into: &samples)
    given.wrappingAdd(read / format.channelCount, ordering: .relaxed)
    guard hasEnded, read < wanted else { return read / format.channelCount }
    if !allWasGiven.exchange(true, ordering: .relaxed) { onEnd() }
    return silence(&samples, from: read)
  }

  /// Silence that is meant counts as given.
  private func silence(_ samples: inout MutableSpan<Int16>, from start: Int) -> Int {
    for index in start..<samples.count { samples[index] = 0 }
    return samples.count / format.channelCount
  }

  // MARK: Worker

  private func fill() {
    let channels = format.channelCount
    let chunk = UnsafeMutableBufferPointer<Int16>.allocate(capacity: format.samplesPerPeriod)
    chunk.initialize(repeating: 0)
    defer { chunk.deallocate() }
    let error = reader.withLock { reader -> AudioDeviceError? in
      do throws(AudioDeviceError) {
        while ring.availableToWrite >= chunk.count {
          var samples = chunk.mutableSpan
          let frames = try reader.read(into: &samples)
          guard frames > 0 else {
            readerHasEnded.store(true, ordering: .releasing)
            return nil
          }
          let decoded = chunk.span.extracting(first: frames * channels)
          meter.add(decoded)
          _ = ring.write(decoded)
        }
        return nil
      } catch {
        return error
      }
    }
    guard let error else { return }
    failure.withLock { $0 = error }
    // What was decoded before is played all the same.
    readerHasEnded.store(true, ordering: .releasing)
  }
}
