import Glibc

/// Asks whether somebody listens on a unix socket. The file alone proves nothing: it survives a killed server.
///
/// - Parameter path: The socket's path.
/// - Returns: Whether a connection was accepted.
func accepts(_ path: String) -> Bool {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8)
  guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
    }
  }
}
