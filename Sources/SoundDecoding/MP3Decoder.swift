#if MP3
  public import AudioDeviceCore

  /// Decodes an MP3 file to interleaved 16-bit samples, as a stream.
  ///
  /// A value has one owner and is used by one thread at a time, which the compiler sees to; it may move to another
  /// thread. Reading does file input and may block for as long as the disk does: it belongs on a thread of its own that
  /// fills a ring, never on an audio thread. What is in the file cannot make it block, trap or run on for ever.
  ///
  /// The encoder's delay and padding are trimmed where the file tells them (the information tag that LAME and others
  /// write), so that exactly the samples that were encoded come out. In a file without the tag nobody can tell padding
  /// from sound: all of it is decoded, and a loop has a pause of some 50 ms.
  ///
  /// Where a file is damaged, MP3 frames that lack a part are decoded to silence, since what a decoder makes of them
  /// can be noise of any loudness, and the sound goes on behind the damage.
  ///
  /// Stands on libmpg123 (`mpg123_decode_frame`). Reading an undamaged file does not allocate, but for one small block
  /// after each rewind.
  public struct MP3Decoder: ~Copyable, @unchecked Sendable {
    // Unchecked: the handle and the file are reachable through this one value only.

    /// The format of the first MP3 frame. MP3 frames of another format are converted to it.
    public let format: AudioFormat

    /// How many frames the file decodes to, as its information tag tells; nil in a file without one.
    ///
    /// A file that was cut off ends earlier.
    public let lengthInFrames: Int?

    private let path: String
    private let handle: MPG123Handle
    private var stream: MPEGStream
    /// Decoded and not read yet; lies in the handle's buffer.
    private var decoded: UnsafeBufferPointer<Int16>
    private var failure: AudioDeviceError?

    /// How many steps in a row may give no samples. Trimming takes ten at the beginning and eight at the end.
    private static let largestSilence = 1000

    /// Opens a file and decodes its beginning, to be sure that it can be decoded. Blocks for the disk; allocates.
    ///
    /// Layer III of MPEG 1, 2 and 2.5 is accepted at all rates, 8 … 48 kHz, in mono and stereo, with a constant or a
    /// variable bit rate. Layers I and II are not, because libmpg123 prints what it thinks of broken ones whatever it
    /// is told; nor is the free format, whose headers do not tell where the next one is.
    ///
    /// - Parameter path: A regular file: absolute, or relative to the working directory.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` that names the file: `fileNotFound`; `fileNotReadable` for what
    ///   is no regular file, or not for this user; `fileFormatNotSupported` for what is no MP3, or has less than two
    ///   whole MP3 frames.
    public init(path: String) throws(AudioDeviceError) {
      var stream = try MPEGStream(in: try SoundFile(path: path))
      let format = try AudioFormat(
        sampleRate: stream.firstHeader.sampleRate, channelCount: stream.firstHeader.channelCount)
      let handle = try MPG123Handle(format: format, path: path)
      guard let decoded = try Self.decodeFrames(of: &stream, with: handle, path: path) else {
        throw AudioDeviceError(
          .fileFormatNotSupported, "\(quoted(path)) holds no sound; it was cut off, give it a new copy.")
      }
      self.path = path
      self.format = format
      lengthInFrames = stream.tellsLength ? handle.length : nil
      self.stream = stream
      self.handle = handle
      self.decoded = decoded
    }

    /// Decodes on. Blocks for the disk.
    ///
    /// - Parameter samples: Interleaved room for at least one frame; filled from its beginning.
    /// - Returns: How many **frames** were decoded: as many as there is room for, fewer only where the sound ends or
    ///   fails, and 0 at the end.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the file cannot be read any more, or over a megabyte of it
    ///   holds no MP3 frame. It throws again until ``rewind()``.
    public mutating func read(into samples: inout MutableSpan<Int16>) throws(AudioDeviceError) -> Int {
      try samples.withUnsafeMutableBufferPointer { (samples) throws(AudioDeviceError) in try read(into: samples) }
    }

    mutating func read(into samples: UnsafeMutableBufferPointer<Int16>) throws(AudioDeviceError) -> Int {
      if let failure { throw failure }
      let room = samples.count / format.channelCount * format.channelCount
      guard room > 0 else {
        throw AudioDeviceError(.invalidArgument, "There is no room for a frame of \(format.channelCount) samples.")
      }
      var filled = 0
      while filled < room {
        do throws(AudioDeviceError) {
          if decoded.isEmpty {
            guard let samples = try Self.decodeFrames(of: &stream, with: handle, path: path) else { break }
            decoded = samples
          }
        } catch {
          failure = error
          if filled == 0 { throw error }
          break
        }
        let count = min(room - filled, decoded.count)
        _ = UnsafeMutableBufferPointer(rebasing: samples[filled...]).update(fromContentsOf: decoded[..<count])
        decoded = UnsafeBufferPointer(rebasing: decoded[count...])
        filled += count
      }
      return filled / format.channelCount
    }

    /// Decodes until there are samples.
    ///
    /// - Returns: Samples; nil at the end.
    private static func decodeFrames(
      of stream: inout MPEGStream, with handle: borrowing MPG123Handle, path: String
    ) throws(AudioDeviceError) -> UnsafeBufferPointer<Int16>? {
      for _ in 0..<largestSilence {
        if let samples = try handle.decode() {
          if !samples.isEmpty { return samples }
        } else if let frame = try stream.next() {
          try handle.feed(frame)
        } else {
          return nil
        }
      }
      throw AudioDeviceError(
        .fileFormatNotSupported, "\(quoted(path)) is damaged, its frames hold no sound; give it a new copy.")
    }

    /// Goes back to the first frame: what is read next is what was read first, sample for sample.
    ///
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the file cannot be read any more.
    public mutating func rewind() throws(AudioDeviceError) {
      decoded = UnsafeBufferPointer(start: nil, count: 0)
      stream.rewind()
      try handle.reset()
      failure = nil
    }
  }
#endif
