import CRigProcess
import Glibc

/// A file descriptor that is closed when its owner goes.
struct OwnedDescriptor: ~Copyable, Sendable {
  let rawValue: Int32

  /// Takes over what a C call returned.
  ///
  /// - Parameters:
  ///   - rawValue: The descriptor, or a negative number with `errno` set.
  ///   - call: The call's name, for the error.
  /// - Throws: ``RigError`` when the call failed.
  init(_ rawValue: Int32, from call: String) throws {
    guard rawValue >= 0 else { throw RigError("\(call): \(String(cString: strerror(errno)))") }
    self.rawValue = rawValue
  }

  deinit { close(rawValue) }

  /// A nameless file in memory.
  static func memoryFile() throws -> OwnedDescriptor {
    try OwnedDescriptor(crp_memory_file(), from: "memfd_create")
  }

  /// All bytes of a file, wherever its offset is.
  func contents() -> [UInt8] {
    var status = stat()
    guard fstat(rawValue, &status) == 0, status.st_size > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      while count < buffer.count, let base = buffer.baseAddress {
        let got = pread(rawValue, base + count, buffer.count - count, off_t(count))
        guard got > 0 else { return }
        count += got
      }
    }
  }

  /// Appends bytes to a file; a short write is an error of the rig.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let written = Glibc.write(rawValue, base + done, bytes.count - done)
      guard written > 0 else { throw RigError("write: \(String(cString: strerror(errno)))") }
      done += written
    }
  }
}
