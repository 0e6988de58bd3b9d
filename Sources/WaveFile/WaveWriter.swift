public import AudioDeviceCore

/// Writes a WAVE file of signed 16-bit samples that can be read at every moment of its making.
///
/// Samples are collected in a buffer; each time it is full they are written and then the sizes in the header are
/// brought up to date, so that a reader, or whoever finds the file after a crash, sees a valid file that lacks the last
/// buffer at the most. Beyond 4 GiB the file becomes an RF64 file; the room for that is kept in a `JUNK` chunk.
///
/// For one thread at a time, and never for an audio thread: it writes to a disk.
public struct WaveWriter: ~Copyable, Sendable {
  /// The format of what is written.
  public let format: AudioFormat
  /// The path it was opened with.
  public let path: String
  /// Whole frames that were taken, those in the buffer included.
  public var frameCount: Int { (writtenBytes / 2 + buffer.count) / format.channelCount }

  var file: FileDescriptor?
  private let headerSize: Int
  private let largestRIFF: Int
  private let bufferCapacity: Int
  private var buffer: [Int16] = []
  private var writtenBytes = 0
  private var failure: AudioDeviceError?

  /// Creates a file, or replaces the content of one, and writes a header without samples. Blocks on the disk.
  ///
  /// - Parameters:
  ///   - path: Where; its folder must exist.
  ///   - format: Of the samples.
  ///   - bufferDuration: How much sound is collected before it is written; clamped to 10 ms … 10 s.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `fileNotFound` (no such folder) or `fileNotWritable`
  ///   (rights, a full disk, a pipe), from `open(2)` or `pwrite(2)`.
  public init(
    path: String, format: AudioFormat, bufferDuration: Duration = .milliseconds(500)
  ) throws(AudioDeviceError) {
    try self.init(path: path, format: format, bufferDuration: bufferDuration, largestRIFF: Int(UInt32.max))
  }

  /// As above, with the size from which on the file is an RF64 one, which tests lower.
  init(path: String, format: AudioFormat, bufferDuration: Duration, largestRIFF: Int) throws(AudioDeviceError) {
    self.path = path
    self.format = format
    self.largestRIFF = largestRIFF
    headerSize = format.channelCount > 2 ? 104 : 80
    let frames = format.frames(in: min(max(bufferDuration, .milliseconds(10)), .seconds(10)))
    bufferCapacity = frames * format.channelCount
    buffer.reserveCapacity(bufferCapacity)
    file = try FileDescriptor.writing(path: path)
    if let error = writeHeader(dataBytes: 0) { throw error }
  }

  deinit {
    // An error cannot be told here; who wants to know calls `close()`.
    if failure == nil { _ = writeBuffer() }
  }

  /// Takes samples, and writes when the buffer is full. May block on the disk.
  ///
  /// - Parameter samples: Interleaved, whole frames.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `fileNotWritable` when the disk is full or fails, now
  ///   or before; `invalidState` after ``close()``; `invalidArgument` when the samples are no whole frames.
  public mutating func write(_ samples: borrowing Span<Int16>) throws(AudioDeviceError) {
    guard file != nil else {
      throw AudioDeviceError(.invalidState, "'\(path)' is closed; open another WaveWriter to record on.")
    }
    if let failure { throw failure }
    guard samples.count % format.channelCount == 0 else {
      throw AudioDeviceError(
        .invalidArgument, "\(samples.count) samples are no whole frames of \(format.channelCount) channels.")
    }
    var taken = 0
    while taken < samples.count {
      let end = min(samples.count, taken + bufferCapacity - buffer.count)
      while taken < end {
        buffer.append(samples[taken].littleEndian)
        taken += 1
      }
      if buffer.count == bufferCapacity { try flush() }
    }
  }

  /// Writes what is in the buffer and brings the header up to date. Blocks on the disk; does not wait for the platter.
  ///
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `fileNotWritable`.
  public mutating func flush() throws(AudioDeviceError) {
    if let failure { throw failure }
    if let error = flushed() {
      failure = error
      throw error
    }
  }

  /// Writes the rest and closes the file. Idempotent; blocks on the disk.
  ///
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `fileNotWritable` when anything could not be written,
  ///   now or before. The file is closed all the same, and holds what could be written.
  public mutating func close() throws(AudioDeviceError) {
    let error = failure ?? flushed()
    guard let file = file.take() else { return }
    guard let error else { return try file.close(path) }
    throw error
  }

  private mutating func flushed() -> AudioDeviceError? {
    let (bytes, error) = writeBuffer()
    writtenBytes += bytes
    buffer.removeAll(keepingCapacity: true)
    return error
  }

  /// Writes the buffer, then the header; the header also when the buffer could be written in part only.
  ///
  /// - Returns: The bytes of whole frames that were written.
  private func writeBuffer() -> (Int, AudioDeviceError?) {
    guard !buffer.isEmpty else { return (0, nil) }
    let (count, error) = buffer.withUnsafeBytes { bytes in
      file?.write(bytes, at: headerSize + writtenBytes, path) ?? (0, nil)
    }
    let whole = count - count % (format.channelCount * 2)
    let headerError = writeHeader(dataBytes: writtenBytes + whole)
    return (whole, error ?? headerError)
  }

  /// One write of the whole header, so that no reader meets sizes that contradict each other.
  private func writeHeader(dataBytes: Int) -> AudioDeviceError? {
    header(dataBytes: dataBytes).withUnsafeBytes { bytes in file?.write(bytes, at: 0, path).1 }
  }

  private func header(dataBytes: Int) -> [UInt8] {
    let riffSize = headerSize - 8 + dataBytes
    let isLarge = riffSize > largestRIFF
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerSize)
    func tag(_ text: StaticString) { bytes.append(contentsOf: "\(text)".utf8) }
    func number<Number: FixedWidthInteger>(_ value: Number) {
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    tag(isLarge ? "RF64" : "RIFF")
    number(isLarge ? UInt32.max : UInt32(clamping: riffSize))
    tag("WAVE")
    tag(isLarge ? "ds64" : "JUNK")
    number(UInt32(28))
    number(isLarge ? UInt64(riffSize) : 0)
    number(isLarge ? UInt64(dataBytes) : 0)
    number(isLarge ? UInt64(dataBytes / (format.channelCount * 2)) : 0)
    number(UInt32(0))
    tag("fmt ")
    // More than two channels have no order of their own in the plain form.
    let isExtensible = format.channelCount > 2
    number(UInt32(isExtensible ? 40 : 16))
    number(UInt16(isExtensible ? 0xFFFE : 1))
    number(UInt16(format.channelCount))
    number(UInt32(format.sampleRate))
    number(UInt32(format.sampleRate * format.channelCount * 2))
    number(UInt16(format.channelCount * 2))
    number(UInt16(16))
    if isExtensible {
      number(UInt16(22))
      number(UInt16(16))
      number(UInt32(0))
      bytes.append(contentsOf: WaveHeader.pcmSubformat)
    }
    tag("data")
    number(isLarge ? UInt32.max : UInt32(clamping: dataBytes))
    return bytes
  }
}
