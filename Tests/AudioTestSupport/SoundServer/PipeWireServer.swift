import Foundation
import RealtimeSupport

/// A private PipeWire with WirePlumber, its PulseAudio server and a message bus. See ``SoundServer`` for its devices.
///
/// Differences that a client sees: moves and unplugged devices make no underflow; suspending a sink goes unnoticed; an
/// unknown device name means the default; the device's latency is 0; `mic` and the sinks work in `float32le`.
public final class PipeWireServer: SoundServer {
  /// The programs that it is made of.
  public enum Part: Int, Sendable, CaseIterable {
    /// The message bus, which WirePlumber does not start without.
    case bus
    /// PipeWire itself. When it is killed, clients see the connection break.
    case core
    /// WirePlumber, the session manager. Without it streams stand still, and new ones never become ready.
    case sessionManager
    /// `pipewire-pulse`, which clients talk to.
    case pulse
  }

  /// Always PipeWire.
  public let kind = SoundServerKind.pipeWire
  /// Where everything of the server is.
  public let folder: String
  /// For child processes that are to be clients.
  public let environment: [String: String]
  /// The socket that clients connect to.
  public var socketPath: String { "\(folder)/pulse/native" }

  private let daemons = Locked<[Part: Daemon]>([:])

  /// Starts a server. Blocks until its devices are there and WirePlumber has made them the defaults, about half a
  /// second.
  ///
  /// - Returns: The server.
  /// - Throws: ``RigError`` with the logs when it does not come up.
  public static func start() throws -> PipeWireServer {
    let server = try PipeWireServer()
    try server.restart()
    return server
  }

  private init() throws {
    folder = try ProcessWarden.shared().makeFolder("pipewire")
    environment = Subprocess.plainEnvironment.merging([
      "HOME": "\(folder)/home",
      "XDG_RUNTIME_DIR": folder,
      "XDG_CONFIG_HOME": "\(folder)/home/.config",
      "XDG_STATE_HOME": "\(folder)/home/.state",
      "PIPEWIRE_RUNTIME_DIR": folder,
      "PULSE_RUNTIME_PATH": "\(folder)/pulse",
      "PULSE_SERVER": "unix:\(folder)/pulse/native",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus",
      // There is no system bus to look for Bluetooth and for a real-time broker on.
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder)/no-bus",
    ]) { $1 }
    try makeFolders("\(folder)/home", "\(folder)/pulse", "\(folder)/home/.config/wireplumber/bluetooth.lua.d")
    // WirePlumber looks for Bluetooth devices, asks logind whether it may, and ends where systemd has never run.
    try "bluez_monitor.enabled = false\n".write(
      toFile: "\(folder)/home/.config/wireplumber/bluetooth.lua.d/51-no-bluetooth.lua", atomically: false,
      encoding: .utf8)
  }

  deinit { stop() }

  /// The daemons that run: the PulseAudio server first.
  public var processIDs: [Int32] { Part.allCases.reversed().compactMap { processID(of: $0) } }

  /// The process of a part; nil when it does not run.
  ///
  /// - Parameter part: Which.
  /// - Returns: Its number.
  public func processID(of part: Part) -> Int32? {
    guard let process = process(of: part), process.isRunning else { return nil }
    return process.processID
  }

  /// What the daemons logged.
  public var log: String { Part.allCases.map { "\($0):\n\(readText(logPath(of: $0)))" }.joined() }

  /// Starts all parts again, after killing those that still run.
  ///
  /// - Throws: ``RigError`` with the logs when they do not come up.
  public func restart() throws {
    kill()
    do {
      for part in Part.allCases { try start(part) }
      try makeDevices()
    } catch {
      kill()
      throw RigError("PipeWire did not come up: \(error)\n\(log)")
    }
  }

  /// Starts one part that was killed. The devices belong to ``Part/pulse`` and are gone when it was killed.
  ///
  /// - Parameter part: Which.
  /// - Throws: ``RigError`` with its log when it does not come up.
  public func start(_ part: Part) throws {
    let (command, socket): ([String], String?) =
      switch part {
      case .bus:
        (["dbus-daemon", "--session", "--nofork", "--nosyslog", "--address=unix:path=\(folder)/bus"], "bus")
      case .core: (["pipewire"], "pipewire-0")
      case .sessionManager: (["wireplumber"], nil)
      case .pulse: (["pipewire-pulse"], "pulse/native")
      }
    let started = try Daemon(
      command, environment: environment, logPath: logPath(of: part), socketPath: socket.map { "\(folder)/\($0)" })
    daemons.withLock { $0[part] = started }
  }

  /// Kills all parts (`SIGKILL`).
  public func kill() {
    for part in Part.allCases.reversed() { kill(part) }
  }

  /// Kills one part.
  ///
  /// - Parameter part: Which.
  public func kill(_ part: Part) {
    let running = daemons.withLock { $0.removeValue(forKey: part) }
    running?.process.end()
  }

  /// Stops the part that clients talk to (`SIGSTOP`).
  public func suspend() { suspend(.pulse) }

  /// Lets it go on (`SIGCONT`).
  public func resume() { resume(.pulse) }

  /// Stops one part (`SIGSTOP`).
  ///
  /// - Parameter part: Which.
  public func suspend(_ part: Part) { process(of: part)?.send(SIGSTOP) }

  /// Lets one part go on (`SIGCONT`).
  ///
  /// - Parameter part: Which.
  public func resume(_ part: Part) { process(of: part)?.send(SIGCONT) }

  /// Ends the server and removes its folder.
  public func stop() {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func makeDevices() throws {
    for (name, rate, channels, description) in [
      ("spk", 48_000, 2, "RigSpeakers"), ("hdmi", 44_100, 2, "RigHDMI"), ("micfeed", 48_000, 1, "RigMicFeed"),
    ] {
      try loadModule(
        "module-null-sink", "sink_name=\(name)", "rate=\(rate)", "channels=\(channels)",
        "sink_properties=device.description=\(description)")
    }
    try loadModule(
      "module-remap-source", "source_name=mic", "master=micfeed.monitor", "rate=48000", "channels=1",
      "channel_map=mono", "master_channel_map=mono", "source_properties=device.description=RigMic")
    // Refused ("Not supported") until the session manager has come up.
    let isReady = try eventually {
      guard try snapshot().sources.contains(where: { $0.name == "mic" }) else { return false }
      try? setDefaultSink("spk")
      try? setDefaultSource("mic")
      return try defaultSink() == "spk" && defaultSource() == "mic"
    }
    guard isReady else { throw RigError("its devices did not appear") }
  }

  private func process(of part: Part) -> Subprocess? { daemons.withLock { $0[part]?.process } }

  private func logPath(of part: Part) -> String { "\(folder)/\(part).log" }
}
