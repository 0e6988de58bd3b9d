import CRigProcess
import Foundation
import Glibc
import RealtimeSupport

/// A child process that cannot outlive the test process, nor this object.
public final class Subprocess: Sendable {
  /// Its process id.
  public let processID: Int32
  /// What was started, for messages.
  public let command: [String]

  private let descriptor: OwnedDescriptor
  private let status = Locked<ExitStatus?>(nil)

  /// How a process ended.
  public enum ExitStatus: Sendable, Hashable {
    /// By itself, with a code.
    case exited(Int32)
    /// By a signal.
    case signalled(Int32)
  }

  /// An environment with nothing in it that leads to a sound server or a desktop.
  public static let plainEnvironment = [
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    "TMPDIR": FileManager.default.temporaryDirectory.path,
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",
  ]

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The program (looked up in `PATH`) and its arguments.
  ///   - environment: All of its environment.
  ///   - standardInput: A descriptor, borrowed during the call; nil stands for `/dev/null`, here and below.
  ///   - standardOutput: A descriptor.
  ///   - standardError: A descriptor.
  ///   - processGroup: The group to join; nil for the shared warden's.
  /// - Throws: ``RigError`` when it cannot be started.
  public init(
    _ command: [String], environment: [String: String] = plainEnvironment, standardInput: Int32? = nil,
    standardOutput: Int32? = nil, standardError: Int32? = nil, processGroup: Int32? = nil
  ) throws {
    let group = try processGroup ?? ProcessWarden.shared().processGroup
    let arguments = CStringArray(command)
    let variables = CStringArray(environment.map { "\($0.key)=\($0.value)" })
    var process: Int32 = 0
    let error = crp_spawn(
      &process, arguments.pointers, variables.pointers,
      [standardInput ?? -1, standardOutput ?? -1, standardError ?? -1], group)
    guard error == 0 else {
      throw RigError("Cannot start \(command.joined(separator: " ")): \(String(cString: strerror(error)))")
    }
    processID = process
    self.command = command
    descriptor = try OwnedDescriptor(crp_open_process(process), from: "pidfd_open")
  }

  deinit { end() }

  /// Whether it still runs (or is stopped).
  public var isRunning: Bool { exitStatus == nil }

  /// How it ended; nil while it runs.
  public var exitStatus: ExitStatus? {
    status.withLock { status in
      if let status { return status }
      var raw: Int32 = 0
      guard waitpid(processID, &raw, WNOHANG) == processID else { return nil }
      let signal = raw & 0x7f
      let ended: ExitStatus = signal == 0 ? .exited((raw >> 8) & 0xff) : .signalled(signal)
      status = ended
      return ended
    }
  }

  /// Waits for its end. Blocks.
  ///
  /// - Parameter limit: The longest wait.
  /// - Returns: How it ended; nil when it still runs.
  public func wait(within limit: Duration) -> ExitStatus? {
    let deadline = ContinuousClock.now + limit
    while true {
      if let exitStatus { return exitStatus }
      let remaining = deadline - .now
      guard remaining > .zero else { return nil }
      var poll = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      _ = Glibc.poll(&poll, 1, Int32(min(max(remaining / .milliseconds(1), 1), 10_000)))
    }
  }

  /// Sends a signal, unless it has ended.
  ///
  /// - Parameter number: Such as `SIGSTOP`.
  public func send(_ number: Int32) {
    guard isRunning else { return }
    // Not reaped by anybody but us, so the id is still its own, be it a zombie's.
    _ = Glibc.kill(processID, number)
  }

  /// Kills it (`SIGKILL`) and waits until it is gone, a few seconds at most.
  public func end() {
    send(SIGKILL)
    _ = wait(within: .seconds(5))
  }

  /// Asks it to end (`SIGTERM`), and kills it when it has not after a while.
  ///
  /// - Parameter limit: How long it may take.
  /// - Returns: How it ended.
  @discardableResult
  public func terminate(within limit: Duration = .seconds(2)) -> ExitStatus? {
    send(SIGTERM)
    if let status = wait(within: limit) { return status }
    end()
    return exitStatus
  }
}

/// C strings as `posix_spawn` takes them.
private final class CStringArray {
  let pointers: [UnsafeMutablePointer<CChar>?]
  init(_ strings: [String]) { pointers = strings.map { strdup($0) } + [nil] }
  deinit { for pointer in pointers { free(pointer) } }
}
