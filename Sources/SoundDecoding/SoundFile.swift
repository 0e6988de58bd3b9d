#if MP3
  internal import AudioDeviceCore
  internal import Glibc

  /// A regular file, open for reading. For one thread at a time.
  ///
  /// It is read no further than the size it had when it was opened, so that a file that grows comes to an end too.
  final class SoundFile {
    /// As it was given.
    let path: String
    /// Bytes in the file when it was opened.
    let size: Int

    /// The most bytes that ``bytes(_:)`` gives.
    static let largestRead = 65_536

    private let descriptor: Int32
    private let buffer: UnsafeMutableRawBufferPointer
    private var buffered = 0..<0

    /// Opens a file. Refuses whatever is no regular file before it opens it, because opening a device or a pipe can
    /// already have an effect, and reading it can block for ever.
    ///
    /// - Parameter path: Absolute, or relative to the working directory.
    /// - Throws: ``AudioDeviceError`` that names the file.
    init(path: String) throws(AudioDeviceError) {
      guard !path.isEmpty, !path.utf8.contains(0) else {
        throw AudioDeviceError(
          .invalidArgument, "\(quoted(path)) is not the name of a file; give the path of an MP3 file.")
      }
      var status = stat()
      guard stat(path, &status) == 0 else { throw Self.openingFailure(path, call: "stat", number: errno) }
      try Self.checkKind(status.st_mode, path: path)

      // Between the two calls the path may have become a pipe: with O_NONBLOCK that does not block either.
      let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.openingFailure(path, call: "open", number: errno) }
      do throws(AudioDeviceError) {
        guard fstat(descriptor, &status) == 0 else { throw Self.openingFailure(path, call: "fstat", number: errno) }
        try Self.checkKind(status.st_mode, path: path)
        guard status.st_size > 0 else {
          throw AudioDeviceError(.fileFormatNotSupported, "\(quoted(path)) is empty; give it a new copy of the sound.")
        }
      } catch {
        close(descriptor)
        throw error
      }
      self.path = path
      self.descriptor = descriptor
      size = Int(status.st_size)
      buffer = .allocate(byteCount: Self.largestRead, alignment: 16)
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
      close(descriptor)
      buffer.deallocate()
    }

    /// Gives a part of the file.
    ///
    /// - Parameter range: Offsets in the file; at most ``largestRead`` bytes are given.
    /// - Returns: The bytes, fewer where the file ends. They are good until the next call.
    /// - Throws: ``AudioDeviceError`` when the file cannot be read.
    func bytes(_ range: Range<Int>) throws(AudioDeviceError) -> UnsafeRawBufferPointer {
      let wanted = range.clamped(to: 0..<size).prefix(buffer.count)
      if wanted.lowerBound < buffered.lowerBound || wanted.upperBound > buffered.upperBound {
        try fill(from: wanted.lowerBound)
      }
      let given = wanted.clamped(to: buffered)
      let start = given.lowerBound - buffered.lowerBound
      return UnsafeRawBufferPointer(rebasing: buffer[start..<(start + given.count)])
    }

    private func fill(from offset: Int) throws(AudioDeviceError) {
      buffered = offset..<offset
      let wanted = min(buffer.count, size - offset)
      while buffered.count < wanted {
        guard let base = buffer.baseAddress else { return }
        let got = pread(descriptor, base + buffered.count, wanted - buffered.count, off_t(offset + buffered.count))
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else {
          let number = errno
          throw AudioDeviceError(
            .fileNotReadable, "\(quoted(path)) could not be read to its end; check the disk or the network it is on.",
            call: "pread", number: Int(number), detail: String(cString: strerror(number)))
        }
        // The file was cut while it was open.
        guard got > 0 else { return }
        buffered = offset..<(buffered.upperBound + got)
      }
    }

    private static func checkKind(_ mode: mode_t, path: String) throws(AudioDeviceError) {
      let kind: String
      switch mode & S_IFMT {
      case S_IFREG: return
      case S_IFDIR:
        throw AudioDeviceError(
          .fileNotReadable, "\(quoted(path)) is a folder; give the path of an MP3 file.", number: Int(EISDIR))
      case S_IFIFO: kind = "a pipe"
      case S_IFSOCK: kind = "a socket"
      default: kind = "a device"
      }
      throw AudioDeviceError(
        .fileNotReadable,
        "\(quoted(path)) is \(kind), which could keep a ringtone waiting; give the path of a regular MP3 file.")
    }

    private static func openingFailure(_ path: String, call: String, number: Int32) -> AudioDeviceError {
      let (code, advice): (AudioDeviceError.Code, String) =
        switch number {
        case ENOENT, ENOTDIR: (.fileNotFound, "does not exist; check the path.")
        case ENAMETOOLONG: (.fileNotFound, "cannot exist, its name is too long; check the path.")
        case EACCES, EPERM:
          (.fileNotReadable, "may not be read by this user; change the permissions of the file or of its folders.")
        case ELOOP: (.fileNotReadable, "is a symbolic link that leads back to itself; give the file itself.")
        case EMFILE, ENFILE, ENOMEM:
          (.systemFailure, "cannot be opened now; this process or the system has too much open.")
        default: (.fileNotReadable, "cannot be opened.")
        }
      return AudioDeviceError(
        code, "\(quoted(path)) \(advice)", call: call, number: Int(number), detail: String(cString: strerror(number)))
    }
  }

  /// A path in a message: in quotation marks, cut where it is very long.
  func quoted(_ path: String) -> String {
    path.count <= 300 ? "\"\(path)\"" : "\"\(path.prefix(300))…\""
  }
#endif
