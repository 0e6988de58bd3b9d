import CRigProcess
import Glibc
import RealtimeSupport

/// Ends whatever the test process leaves behind, however that process ends.
///
/// A shell, the leader of the process group that all children of the rig join, waits on a pipe whose other end only the
/// test process holds. When that end closes (exit, crash, `SIGKILL`) the shell kills the group and removes the folder.
/// `PR_SET_PDEATHSIG` would not do: it fires when the *thread* that forked ends.
public final class ProcessWarden: Sendable {
  /// The process group of the rig's children; its id is the shell's.
  public let processGroup: Int32
  /// Where the rig's temporary files are: short, since paths of sockets may have no more than 107 bytes.
  public let folder: String

  private let lifeline: Locked<OwnedDescriptor?>
  private let shell: Subprocess

  private static let common = Result { try ProcessWarden() }

  /// The one of this test process.
  ///
  /// - Throws: ``RigError`` when it could not start.
  public static func shared() throws -> ProcessWarden { try common.get() }

  /// A warden of its own; dismissed when the object goes. For tests of the warden itself.
  ///
  /// - Throws: ``RigError`` when the folder or the process can't be made.
  public init() throws {
    var ends: [Int32] = [-1, -1]
    guard crp_pipe(&ends) == 0 else { throw RigError("pipe2: \(String(cString: strerror(errno)))") }
    let readEnd = try OwnedDescriptor(ends[0], from: "pipe2")
    lifeline = Locked(try OwnedDescriptor(ends[1], from: "pipe2"))
    let answer = try OwnedDescriptor.memoryFile()
    // The shell makes the folder itself, so that none is left by a process that is killed at this very moment.
    let script = """
      folder=$(mktemp -d /tmp/audio-test-rig.XXXXXX) && echo "$folder" || exit 1
      exec >/dev/null
      read -r line
      setsid sh -c 'kill -s KILL -- "-$1"; rm -rf -- "$2"' sh "$$" "$folder"
      """
    shell = try Subprocess(
      ["sh", "-c", script], standardInput: readEnd.rawValue, standardOutput: answer.rawValue, processGroup: 0)
    processGroup = shell.processID
    guard eventually({ answer.contents().last == UInt8(ascii: "\n") }) else {
      throw RigError("The shell that ends what is left behind did not start")
    }
    folder = String(decoding: answer.contents().dropLast(), as: UTF8.self)
  }

  deinit { dismiss() }

  /// Does at once what is done at the end of the test process, and waits until the group is killed. Idempotent.
  public func dismiss() {
    lifeline.withLock { $0 = nil }
    _ = shell.wait(within: .seconds(5))
  }

  /// Makes an empty folder that is removed with the warden, if not before.
  ///
  /// - Parameter name: A prefix that says what it is for.
  /// - Returns: Its path.
  /// - Throws: ``RigError``.
  public func makeFolder(_ name: String) throws -> String {
    try Self.makeFolder(template: "\(folder)/\(name).XXXXXX")
  }

  private static func makeFolder(template: String) throws -> String {
    var path = template.utf8CString.map(\.self)
    let made = path.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { throw RigError("mkdtemp \(template): \(String(cString: strerror(errno)))") }
    return made
  }
}
