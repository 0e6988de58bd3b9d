/// Cuts captured chunks of any size into whole periods. For authors of backends; one thread, no allocation after init.
public struct PeriodAssembler: ~Copyable {
  private let buffer: UnsafeMutableBufferPointer<Int16>
  private var filled = 0
  private let channelCount: Int

  /// An empty assembler. Allocates.
  ///
  /// - Parameter format: Of the chunks and of the periods.
  public init(format: AudioFormat) {
    buffer = .allocate(capacity: format.samplesPerPeriod)
    buffer.initialize(repeating: 0)
    channelCount = format.channelCount
  }

  deinit { buffer.deallocate() }

  /// Frames that wait for their period to be full.
  public var pendingFrames: Int { filled / channelCount }

  /// Drops what waits, after a gap in the stream.
  public mutating func reset() { filled = 0 }

  /// Takes a chunk and gives each period that became full.
  ///
  /// - Parameters:
  ///   - chunk: Interleaved, whole frames; nil stands for silence (a hole in the stream).
  ///   - count: Samples in the chunk.
  ///   - body: Called for each full period, with the number of **frames** of the chunk that follow the period's last
  ///     frame: what the caller needs to tell when the period was captured.
  public mutating func append(
    _ chunk: UnsafePointer<Int16>?, count: Int,
    _ body: (_ period: inout MutableSpan<Int16>, _ framesBehind: Int) -> Void
  ) {
    guard let base = buffer.baseAddress else { return }
    var consumed = 0
    while consumed < count {
      let part = min(count - consumed, buffer.count - filled)
      if let chunk {
        (base + filled).update(from: chunk + consumed, count: part)
      } else {
        (base + filled).update(repeating: 0, count: part)
      }
      filled += part
      consumed += part
      guard filled == buffer.count else { return }
      filled = 0
      var period = buffer.mutableSpan
      body(&period, (count - consumed) / channelCount)
    }
  }
}
