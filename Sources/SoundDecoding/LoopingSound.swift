#if MP3
  public import AudioDeviceCore

  /// A sound that begins anew wherever it ends, without a sample added or lost: what a ringtone is made of.
  ///
  /// For the worker thread that keeps a ring filled. It reads a file, so it has no place on an audio thread. A value
  /// has one owner and is used by one thread at a time; it may move to another thread.
  public struct LoopingSound: ~Copyable, Sendable {
    /// The format of the samples: that of the file.
    public let format: AudioFormat
    /// How often the sound has come to its end.
    public var completedPasses: Int { passes.completed }

    private var passes: Passes
    private var chunk: [Int16]

    /// Opens a file as ``MP3Decoder/init(path:)`` does. Blocks for the disk; allocates.
    ///
    /// - Parameter path: A regular file: absolute, or relative to the working directory.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` that names the file.
    public init(path: String) throws(AudioDeviceError) {
      let decoder = try MP3Decoder(path: path)
      format = decoder.format
      chunk = Array(repeating: 0, count: 1024 * decoder.format.channelCount)
      passes = Passes(decoder: decoder, path: path)
    }

    /// Decodes on, across the end and back to the beginning as often as need be. Blocks for the disk.
    ///
    /// - Parameter samples: Interleaved room for at least one frame. All whole frames of it are filled.
    /// - Returns: How many **frames** that were: fewer than there is room for only where the next call will throw.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the file cannot be read or decoded any more.
    public mutating func read(into samples: inout MutableSpan<Int16>) throws(AudioDeviceError) -> Int {
      try samples.withUnsafeMutableBufferPointer { (samples) throws(AudioDeviceError) in
        try passes.read(into: samples)
      }
    }

    /// Tops up a ring. Its producer calls this; what a consumer takes meanwhile is left to the next call.
    ///
    /// - Parameters:
    ///   - ring: Of interleaved samples in the sound's ``format``.
    ///   - frames: The most **frames** to add.
    /// - Returns: How many **frames** were added: only as many whole ones as there was room for.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the file cannot be read or decoded any more. What was
    ///   decoded until then is in the ring.
    @discardableResult
    public mutating func fill(
      _ ring: SampleRing<Int16>, atMost frames: Int = .max
    ) throws(AudioDeviceError) -> Int {
      let channelCount = format.channelCount
      let room = min(ring.availableToWrite / channelCount, max(0, frames))
      var added = 0
      while added < room {
        let wanted = min((room - added) * channelCount, chunk.count)
        let count = try chunk.withUnsafeMutableBufferPointer { (chunk) throws(AudioDeviceError) in
          try passes.read(into: .init(rebasing: chunk[..<wanted]))
        }
        added += ring.write(chunk.span.extracting(0..<(count * channelCount))) / channelCount
      }
      return added
    }

    /// The decoder, and where it is.
    private struct Passes: ~Copyable {
      var decoder: MP3Decoder
      let path: String
      var completed = 0
      var framesInPass = 0

      init(decoder: consuming MP3Decoder, path: String) {
        self.decoder = decoder
        self.path = path
      }

      mutating func read(into samples: UnsafeMutableBufferPointer<Int16>) throws(AudioDeviceError) -> Int {
        let channelCount = decoder.format.channelCount
        let room = samples.count / channelCount
        var filled = 0
        repeat {
          do throws(AudioDeviceError) {
            let count = try decoder.read(into: .init(rebasing: samples[(filled * channelCount)...]))
            if count == 0 { try beginAnew() }
            filled += count
            framesInPass += count
          } catch {
            // It fails again at the next call.
            if filled > 0 { break }
            throw error
          }
        } while filled < room
        return filled
      }

      private mutating func beginAnew() throws(AudioDeviceError) {
        // It had sound when it was opened. Without this check a file that has been emptied would loop here for ever.
        guard framesInPass > 0 else {
          throw AudioDeviceError(.fileNotReadable, "\(quoted(path)) was emptied while it played; give it a new copy.")
        }
        try decoder.rewind()
        framesInPass = 0
        completed += 1
      }
    }
  }
#endif
