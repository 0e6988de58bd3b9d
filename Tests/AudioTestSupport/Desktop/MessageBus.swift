import Foundation
import RealtimeSupport

/// A private D-Bus daemon, for tests of what a desktop does. Nothing is on it but what a test starts.
public final class MessageBus: Sendable {
  /// Where everything of the bus is.
  public let folder: String
  /// For child processes: the bus stands for both, the session's and the system's.
  public let environment: [String: String]
  /// The address that clients connect to.
  public var address: String { "unix:path=\(folder)/bus" }

  private let daemon = Locked<Daemon?>(nil)

  /// Starts a daemon. Blocks until clients can connect.
  ///
  /// - Throws: ``RigError`` with the log when it does not come up.
  public init() throws {
    folder = try ProcessWarden.shared().makeFolder("dbus")
    let address = "unix:path=\(folder)/bus"
    environment = Subprocess.plainEnvironment.merging([
      "HOME": "\(folder)/home", "XDG_RUNTIME_DIR": folder, "GSETTINGS_BACKEND": "memory",
      "DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address,
    ]) { $1 }
    try makeFolders("\(folder)/home")
    // Without folders of services, so that the bus starts none by itself.
    try writeText(
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>\(address)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
      </busconfig>
      """, to: "\(folder)/bus.conf")
    try restart()
  }

  deinit { stop() }

  /// Starts the daemon again at the same address, after killing it if it still runs.
  ///
  /// - Throws: ``RigError`` with the log when it does not come up.
  public func restart() throws {
    kill()
    // It refuses an address that a killed one has left.
    unlink("\(folder)/bus")
    let started = try Daemon(
      ["dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork", "--nopidfile", "--nosyslog"],
      environment: environment, logPath: "\(folder)/log", socketPath: "\(folder)/bus")
    daemon.withLock { $0 = started }
  }

  /// Kills the daemon (`SIGKILL`): connections break.
  public func kill() { daemon.withLock { $0.take() }?.process.end() }

  /// Stops the daemon (`SIGSTOP`): nothing breaks, and nothing comes.
  public func suspend() { daemon.withLock { $0?.process.send(SIGSTOP) } }

  /// Lets it go on (`SIGCONT`).
  public func resume() { daemon.withLock { $0?.process.send(SIGCONT) } }

  /// Ends the daemon and removes its folder.
  public func stop() {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Calls a method with `gdbus`. Blocks.
  ///
  /// - Parameters:
  ///   - method: Interface and name, such as `org.freedesktop.DBus.GetId`.
  ///   - path: Of the object.
  ///   - service: Of the service.
  ///   - arguments: In GVariant's text form.
  /// - Returns: The answer, in GVariant's text form.
  /// - Throws: ``RigError`` with the error.
  @discardableResult
  public func call(
    _ method: String, at path: String, of service: String, _ arguments: String...
  ) throws -> String {
    try Subprocess.check(
      ["gdbus", "call", "--address", address, "--dest", service, "--object-path", path, "--method", method, "--"]
        + arguments, environment: environment)
  }

  /// Whether a name is owned.
  ///
  /// - Parameter name: Such as `org.freedesktop.Notifications`.
  /// - Returns: Whether somebody has it.
  /// - Throws: ``RigError``.
  public func has(_ name: String) throws -> Bool {
    try call(
      "org.freedesktop.DBus.NameHasOwner", at: "/org/freedesktop/DBus", of: "org.freedesktop.DBus", "'\(name)'"
    ).contains("true")
  }
}
