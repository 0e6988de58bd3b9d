#if MP3
  internal import AudioDeviceCore
  internal import CMPG123
  internal import Glibc

  /// A decoder handle of libmpg123 that is fed whole frames. Whoever owns it uses it, on one thread at a time.
  struct MPG123Handle: ~Copyable {
    private let handle: OpaquePointer
    /// The file that is decoded, for messages.
    private let path: String

    /// Opens a handle. Allocates.
    ///
    /// - Parameters:
    ///   - format: Of the samples. Frames of another format are converted to it.
    ///   - path: The file that is decoded, for messages.
    /// - Throws: ``AudioDeviceError`` when libmpg123 cannot be used here.
    init(format: AudioFormat, path: String) throws(AudioDeviceError) {
      try Self.check("mpg123_init", Self.libraryStatus)
      var status = MPG123_OK.rawValue
      guard let handle = mpg123_new(nil, &status) else { throw Self.unusable("mpg123_new", status) }
      do throws(AudioDeviceError) {
        // A library does not print. Gapless is the default of most builds, not of all.
        let flags = MPG123_QUIET.rawValue | MPG123_GAPLESS.rawValue
        try Self.check("mpg123_param", cmpg123_set_parameter(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags)))
        try Self.check("mpg123_format_none", mpg123_format_none(handle))
        status = mpg123_format(
          handle, format.sampleRate, Int32(format.channelCount), Int32(MPG123_ENC_SIGNED_16.rawValue))
        try Self.check("mpg123_format", status)
        try Self.check("mpg123_open_feed", mpg123_open_feed(handle))
      } catch {
        mpg123_delete(handle)
        throw error
      }
      self.handle = handle
      self.path = path
    }

    deinit { mpg123_delete(handle) }

    /// Since 1.27 this does nothing; before, it made tables that all handles share.
    private static let libraryStatus = mpg123_init()

    /// Gives the decoder a frame, which it copies. Of a damaged one it makes silence that lasts as long.
    ///
    /// - Parameter frame: The next one of the stream.
    /// - Throws: ``AudioDeviceError`` when memory is short.
    borrowing func feed(_ frame: MPEGStream.Frame) throws(AudioDeviceError) {
      guard frame.isDamaged else {
        return try Self.check("mpg123_feed", cmpg123_feed(handle, frame.bytes.baseAddress, frame.bytes.count))
      }
      let status = withUnsafeTemporaryAllocation(byteCount: frame.bytes.count, alignment: 1) { copy in
        copy.copyMemory(from: frame.bytes)
        // Side information of zeros says that there is no main data. Only where the main data begins is kept, because
        // the next frame's may reach back through this one.
        let side = frame.header.sideInformation.clamped(to: 0..<copy.count)
        for index in side.dropFirst() {
          let isSecond = index == side.lowerBound + 1
          copy[index] = isSecond && frame.header.version == .mpeg1 ? copy[index] & 0x80 : 0
        }
        return cmpg123_feed(handle, copy.baseAddress, copy.count)
      }
      try Self.check("mpg123_feed", status)
    }

    /// Decodes the next frame that was fed.
    ///
    /// - Returns: Interleaved samples, good until the next call: none where the encoder's padding was trimmed, or where
    ///   the frames change. Nil when all frames that were fed are decoded.
    /// - Throws: ``AudioDeviceError`` when the decoder gives up.
    borrowing func decode() throws(AudioDeviceError) -> UnsafeBufferPointer<Int16>? {
      var frame: off_t = 0
      var bytes: UnsafeMutablePointer<UInt8>?
      var count = 0
      let status = mpg123_decode_frame(handle, &frame, &bytes, &count)
      switch status {
      case MPG123_OK.rawValue:
        return UnsafeRawBufferPointer(start: bytes, count: count).assumingMemoryBound(to: Int16.self)
      case MPG123_NEW_FORMAT.rawValue: return UnsafeBufferPointer(start: nil, count: 0)
      case MPG123_NEED_MORE.rawValue: return nil
      default:
        let number = mpg123_errcode(handle)
        throw AudioDeviceError(
          .fileFormatNotSupported, "\(quoted(path)) is damaged beyond use; give it a new copy.",
          call: "mpg123_decode_frame", number: Int(number), detail: String(cString: mpg123_plain_strerror(number)))
      }
    }

    /// Forgets all that was fed and decoded; the next frame to be fed is the first.
    ///
    /// This is no seek: a seek to the beginning leaves the phase of the synthesis filter where it is, and the samples
    /// come out rounded differently.
    ///
    /// - Throws: ``AudioDeviceError`` when memory is short.
    borrowing func reset() throws(AudioDeviceError) {
      try Self.check("mpg123_open_feed", mpg123_open_feed(handle))
    }

    /// Frames of sound in the whole stream, as its information tag tells; nil without one.
    var length: Int? {
      let length = mpg123_length(handle)
      return length > 0 ? Int(length) : nil
    }

    private static func check(_ call: String, _ status: Int32) throws(AudioDeviceError) {
      guard status == MPG123_OK.rawValue else { throw unusable(call, status) }
    }

    private static func unusable(_ call: String, _ status: Int32) -> AudioDeviceError {
      AudioDeviceError(
        .systemFailure, "The MP3 decoder does not work here; check the installation of libmpg123 and the free memory.",
        call: call, number: Int(status), detail: String(cString: mpg123_plain_strerror(status)))
    }
  }
#endif
