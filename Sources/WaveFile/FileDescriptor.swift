internal import AudioDeviceCore
internal import Glibc

/// An open file, closed when it goes.
struct FileDescriptor: ~Copyable {
  let number: Int32

  deinit { _ = Glibc.close(number) }

  /// Opens a file for reading. Never waits for a FIFO's other end, and takes regular files only.
  static func reading(path: String) throws(AudioDeviceError) -> FileDescriptor {
    let file = FileDescriptor(number: try open(path, O_RDONLY, .fileNotReadable))
    guard try file.status(path).st_mode & S_IFMT == S_IFREG else {
      throw AudioDeviceError(.fileNotReadable, "'\(path)' is no file but a folder or a device; name a WAVE file.")
    }
    return file
  }

  /// Creates or empties a file for writing. Takes only what can be written at any offset.
  static func writing(path: String) throws(AudioDeviceError) -> FileDescriptor {
    let file = FileDescriptor(number: try open(path, O_WRONLY | O_CREAT | O_TRUNC, .fileNotWritable))
    guard lseek(file.number, 0, SEEK_CUR) == 0 else {
      throw AudioDeviceError(
        .fileNotWritable, "'\(path)' is a pipe or a socket; a WAVE file needs a place where its header can be updated.")
    }
    return file
  }

  /// The size in bytes.
  func size(_ path: String) throws(AudioDeviceError) -> Int { Int(try status(path).st_size) }

  /// Reads from an offset until the count is reached or the file ends.
  ///
  /// - Returns: How many bytes of the buffer were filled.
  func read(_ buffer: inout [UInt8], count: Int, at offset: Int, _ path: String) throws(AudioDeviceError) -> Int {
    let wanted = min(count, buffer.count)
    var done = 0
    while done < wanted {
      let result = buffer.withUnsafeMutableBytes { bytes in
        pread(number, bytes.baseAddress.map { $0 + done }, wanted - done, off_t(offset + done))
      }
      if result == 0 { break }
      if result < 0 && errno == EINTR { continue }
      guard result > 0 else {
        throw .file(.fileNotReadable, "'\(path)' could not be read on.", call: "pread", number: errno)
      }
      done += result
    }
    return done
  }

  /// Writes all of a buffer at an offset.
  ///
  /// - Returns: How much was written, and the error that kept the rest from it.
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int, _ path: String) -> (Int, AudioDeviceError?) {
    var done = 0
    while done < buffer.count {
      let result = pwrite(number, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
      if result < 0 && errno == EINTR { continue }
      guard result > 0 else { return (done, .notWritten(path, call: "pwrite", number: result == 0 ? ENOSPC : errno)) }
      done += result
    }
    return (done, nil)
  }

  /// Closes the file and tells what `close(2)` found only then, as network file systems do.
  consuming func close(_ path: String) throws(AudioDeviceError) {
    let number = number
    discard self
    guard Glibc.close(number) == 0 || errno == EINTR else {
      throw .notWritten(path, call: "close", number: errno)
    }
  }

  private func status(_ path: String) throws(AudioDeviceError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else {
      throw .file(.fileNotReadable, "'\(path)' could not be examined.", call: "fstat", number: errno)
    }
    return status
  }

  private static func open(
    _ path: String, _ flags: Int32, _ code: AudioDeviceError.Code
  ) throws(AudioDeviceError) -> Int32 {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw AudioDeviceError(.invalidArgument, "A file's path may neither be empty nor hold a NUL character.")
    }
    while true {
      let number = Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o644)
      if number >= 0 { return number }
      switch errno {
      case EINTR: continue
      case ENOENT, ENOTDIR:
        let text = flags & O_CREAT == 0 ? "There is no file '\(path)'." : "There is no folder for the file '\(path)'."
        throw .file(.fileNotFound, text, call: "open", number: errno)
      case EACCES, EPERM, EROFS:
        throw .file(code, "The rights on '\(path)' or its folder do not allow that.", call: "open", number: errno)
      case EISDIR: throw .file(code, "'\(path)' is a folder; name a file.", call: "open", number: errno)
      default: throw .file(code, "'\(path)' could not be opened.", call: "open", number: errno)
      }
    }
  }
}

extension AudioDeviceError {
  static func file(_ code: Code, _ message: String, call: String, number: Int32) -> AudioDeviceError {
    AudioDeviceError(code, message, call: call, number: Int(number), detail: String(cString: strerror(number)))
  }

  static func notWritten(_ path: String, call: String, number: Int32) -> AudioDeviceError {
    switch number {
    case ENOSPC, EDQUOT:
      file(
        .fileNotWritable, "There is no room left for '\(path)'; free some and try again.", call: call, number: number)
    default: file(.fileNotWritable, "'\(path)' could not be written on.", call: call, number: number)
    }
  }
}
