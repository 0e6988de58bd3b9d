public import AudioDeviceCore

/// Reads a WAVE file, piece by piece, as interleaved signed 16-bit samples.
///
/// It takes RIFF, RF64 and BW64 files with PCM of 8 to 32 bits, 32 and 64-bit float, A-law and µ-law, 1 to 8 channels
/// at 8 to 192 kHz; samples are rounded to the nearest and saturated. Files that were streamed (no size in the header)
/// or cut short give what is there. Content never makes it trap, or allocate more than its fixed buffer.
///
/// For one thread at a time, and never for an audio thread: it reads from a disk.
public struct WaveReader: ~Copyable, Sendable {
  /// The rate and the channel count of the samples.
  public var format: AudioFormat { header.format }
  /// Whole frames in the file, as counted when it was opened.
  public var frameCount: Int { header.frameCount }
  /// The next frame that ``read(into:)`` gives, from 0.
  public private(set) var position = 0
  /// The path it was opened with.
  public let path: String

  private let file: FileDescriptor
  private let header: WaveHeader
  private var buffer: [UInt8]

  /// Opens a file and checks its header. Blocks on the disk.
  ///
  /// - Parameter path: A regular file's path.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `fileNotFound`, `fileNotReadable` (rights, a folder,
  ///   a device; from `open(2)` or `pread(2)`), or `fileFormatNotSupported` with what is wrong with the content.
  public init(path: String) throws(AudioDeviceError) {
    let file = try FileDescriptor.reading(path: path)
    header = try WaveHeader(file, path: path)
    self.file = file
    self.path = path
    buffer = [UInt8](repeating: 0, count: 256 * header.bytesPerFrame)
  }

  /// Reads the next frames. Blocks on the disk.
  ///
  /// - Parameter samples: Filled from its beginning with whole frames, interleaved.
  /// - Returns: How many **frames** were read; fewer than fit only at the end of the file.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `fileNotReadable` when `pread(2)` fails.
  public mutating func read(into samples: inout MutableSpan<Int16>) throws(AudioDeviceError) -> Int {
    let channelCount = format.channelCount
    let wanted = min(samples.count / channelCount, frameCount - position)
    var done = 0
    while done < wanted {
      let frames = try fillBuffer(frames: wanted - done)
      // The file has been cut since it was opened.
      guard frames > 0 else { break }
      samples.withUnsafeMutableBufferPointer { output in
        buffer.withUnsafeBytes { bytes in
          guard let output = output.baseAddress, let bytes = bytes.baseAddress else { return }
          header.encoding.decode(bytes, into: output + done * channelCount, count: frames * channelCount)
        }
      }
      done += frames
      position += frames
    }
    return done
  }

  /// Makes ``read(into:)`` begin at the first frame again. Does not block.
  public mutating func rewind() { position = 0 }

  private mutating func fillBuffer(frames: Int) throws(AudioDeviceError) -> Int {
    let bytesPerFrame = header.bytesPerFrame
    let offset = header.dataOffset + position * bytesPerFrame
    let wanted = min(frames, buffer.count / bytesPerFrame) * bytesPerFrame
    return try file.read(&buffer, count: wanted, at: offset, path) / bytesPerFrame
  }
}
