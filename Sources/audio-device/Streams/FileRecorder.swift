internal import AudioDeviceKit
internal import Synchronization
internal import WaveFile

/// Writes what a ``CaptureBus`` keeps into a WAVE file, on a worker thread.
final class FileRecorder: Sendable {
  private static let interval = Duration.milliseconds(50)

  private let writer: Locked<WaveWriter>
  private let failure = Locked<AudioDeviceError?>(nil)
  private let frames = Atomic<Int>(0)
  private let hasEnded = Atomic<Bool>(false)
  private let waiter: any ClockWaiter
  private let thread = Locked<RealtimeThread?>(nil)

  /// Makes the file and starts the worker.
  ///
  /// - Parameters:
  ///   - path: Where; what is there is replaced.
  ///   - bus: Where the samples come from.
  ///   - limit: How many frames to write at the most; nil for as many as come.
  ///   - onEnd: Called on the worker when all is written, or writing fails.
  /// - Throws: ``AudioDeviceError`` when the file cannot be made.
  init(
    path: String, bus: CaptureBus, limit: Int?, onEnd: @escaping @Sendable () -> Void
  ) throws(AudioDeviceError) {
    writer = Locked(try WaveWriter(path: path, format: bus.format))
    do throws(SystemCallError) {
      waiter = try SystemPeriodClock.shared.makeWaiter()
      let thread = try RealtimeThread(name: "recorder", scheduling: .normal) { [self] in
        work(bus, limit: limit)
        hasEnded.store(true, ordering: .relaxed)
        onEnd()
      }
      self.thread.withLock { $0 = thread }
    } catch {
      throw AudioDeviceError(error, "The recording cannot be set up.")
    }
  }

  /// Frames in the file.
  var frameCount: Int { frames.load(ordering: .relaxed) }

  /// Whether it has all it was to write, or failed.
  var isDone: Bool { hasEnded.load(ordering: .relaxed) }

  /// Writes what the bus still keeps and closes the file.
  ///
  /// - Returns: What went wrong, now or before. The file has what could be written.
  func finish() -> AudioDeviceError? {
    waiter.wake()
    thread.withLock { $0 }?.join()
    return failure.withLock { $0 }
  }

  private func work(_ bus: CaptureBus, limit: Int?) {
    guard let ring = bus.ring else { return }
    let channels = bus.format.channelCount
    let chunk = UnsafeMutableBufferPointer<Int16>.allocate(capacity: bus.format.framesPerPeriod * channels)
    chunk.initialize(repeating: 0)
    defer { chunk.deallocate() }
    let error = writer.withLock { writer -> AudioDeviceError? in
      do throws(AudioDeviceError) {
        var outcome = ClockWaitOutcome.deadline
        while true {
          while ring.availableToRead > 0 {
            let room = limit.map { $0 - writer.frameCount } ?? .max
            guard room > 0 else { break }
            var samples = chunk.mutableSpan
            let count = ring.read(into: &samples, limit: min(room, bus.format.framesPerPeriod) * channels)
            try writer.write(chunk.span.extracting(first: count))
          }
          frames.store(writer.frameCount, ordering: .relaxed)
          if let limit, writer.frameCount >= limit { break }
          guard outcome == .deadline else { break }
          outcome = waiter.wait(until: .now + Self.interval)
        }
        try writer.close()
        return nil
      } catch {
        _ = Result { () throws(AudioDeviceError) in try writer.close() }
        return error
      }
    }
    if let error { failure.withLock { $0 = error } }
  }
}
