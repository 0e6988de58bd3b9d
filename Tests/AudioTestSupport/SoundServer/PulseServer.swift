import Foundation
import RealtimeSupport

/// A private PulseAudio daemon. See ``SoundServer`` for its devices; it also has the source `silence`.
public final class PulseServer: SoundServer {
  /// What the daemon is started with.
  public struct Configuration: Sendable {
    /// Modules that make devices, as lines of a PulseAudio script without the `load-module`.
    public var devices = Configuration.standardDevices
    /// Further modules, loaded after the devices.
    public var modules: [String] = []
    /// The sink that streams go to by themselves; nil leaves it to the daemon.
    public var defaultSink: String? = "spk"
    /// The source that streams come from by themselves; nil leaves it to the daemon.
    public var defaultSource: String? = "mic"
    /// Arguments of the module that serves the socket, such as `auth-cookie-enabled=0`.
    public var protocolArguments = ""
    /// Whether the daemon's threads ask for real-time scheduling, which it gets when it runs as root.
    public var isRealtime = true

    /// The usual one.
    public init() {}

    /// The devices of every ``SoundServer``.
    ///
    /// `norewinds=1`: a null sink sleeps for 2 s at a time otherwise, and a new stream starts that much later.
    public static let standardDevices = [
      "module-null-sink sink_name=spk rate=48000 channels=2 format=s16le norewinds=1 "
        + "sink_properties=device.description=RigSpeakers",
      "module-null-sink sink_name=hdmi rate=44100 channels=2 format=s16le norewinds=1 "
        + "sink_properties=device.description=RigHDMI",
      "module-null-sink sink_name=micfeed rate=48000 channels=1 format=s16le norewinds=1 "
        + "sink_properties=device.description=RigMicFeed",
      "module-remap-source source_name=mic master=micfeed.monitor source_properties=device.description=RigMic",
      "module-null-source source_name=silence rate=48000 channels=1 description=RigSilence",
    ]

    /// No device at all.
    public static var empty: Configuration {
      var configuration = Configuration()
      configuration.devices = []
      configuration.defaultSink = nil
      configuration.defaultSource = nil
      return configuration
    }

    fileprivate var script: String {
      var lines = [".fail", "load-module module-native-protocol-unix \(protocolArguments)"]
      lines += (devices + modules).map { "load-module \($0)" }
      if let defaultSink { lines.append("set-default-sink \(defaultSink)") }
      if let defaultSource { lines.append("set-default-source \(defaultSource)") }
      return lines.joined(separator: "\n") + "\n"
    }
  }

  /// Always PulseAudio.
  public let kind = SoundServerKind.pulseAudio
  /// Where everything of the server is.
  public let folder: String
  /// For child processes that are to be clients.
  public let environment: [String: String]
  /// The socket that clients connect to.
  public var socketPath: String { "\(folder)/pulse/native" }

  private let configuration: Configuration
  private let daemon = Locked<Daemon?>(nil)

  /// Starts a daemon. Blocks until clients can connect, some 40 ms.
  ///
  /// - Parameter configuration: Its devices and modules.
  /// - Returns: The server.
  /// - Throws: ``RigError`` with the log when it does not come up.
  public static func start(_ configuration: Configuration = Configuration()) throws -> PulseServer {
    let server = try PulseServer(configuration)
    try server.restart()
    return server
  }

  private init(_ configuration: Configuration) throws {
    self.configuration = configuration
    folder = try ProcessWarden.shared().makeFolder("pulse")
    environment = Subprocess.plainEnvironment.merging([
      "HOME": "\(folder)/home",
      "XDG_RUNTIME_DIR": folder,
      "PULSE_RUNTIME_PATH": "\(folder)/pulse",
      "PULSE_SERVER": "unix:\(folder)/pulse/native",
    ]) { $1 }
    try makeFolders("\(folder)/home", "\(folder)/pulse")
    try writeText(configuration.script, to: "\(folder)/rig.pa")
  }

  deinit { stop() }

  /// The daemon, while it runs.
  public var processIDs: [Int32] {
    daemon.withLock { daemon in
      guard let process = daemon?.process, process.isRunning else { return [] }
      return [process.processID]
    }
  }

  /// What the daemon logged.
  public var log: String { readText("\(folder)/log") }

  /// Starts the daemon again with other devices, after killing it if it still runs.
  ///
  /// - Parameter configuration: Its devices and modules from now on.
  /// - Throws: ``RigError`` with the log when it does not come up.
  public func restart(_ configuration: Configuration) throws {
    kill()
    try writeText(configuration.script, to: "\(folder)/rig.pa")
    try restart()
  }

  /// Starts the daemon again, after killing it if it still runs.
  ///
  /// - Throws: ``RigError`` with the log when it does not come up.
  public func restart() throws {
    kill()
    var own = environment
    own["PULSE_SERVER"] = nil
    // No pid file: one that is left by a killed daemon can keep the next from starting.
    let started = try Daemon(
      [
        "pulseaudio", "-n", "-F", "\(folder)/rig.pa", "--daemonize=no", "--exit-idle-time=-1",
        "--use-pid-file=no", "--realtime=\(configuration.isRealtime)", "--high-priority=\(configuration.isRealtime)",
        "--log-target=stderr", "--log-level=info", "--log-time=yes",
      ], environment: own, logPath: "\(folder)/log", socketPath: socketPath)
    daemon.withLock { $0 = started }
    // The daemon listens before its script is done, and answers after that.
    do {
      try pactl("info")
      // `.fail` does not stop at a module that is not installed.
      guard !log.contains("module.c: Failed") else { throw RigError("a module is missing") }
    } catch {
      kill()
      throw RigError("pulseaudio did not come up: \(error)\n\(log)")
    }
  }

  /// Kills the daemon (`SIGKILL`).
  public func kill() {
    let running = daemon.withLock { daemon in
      defer { daemon = nil }
      return daemon
    }
    running?.process.end()
  }

  /// Stops the daemon (`SIGSTOP`).
  public func suspend() { daemon.withLock { $0?.process.send(SIGSTOP) } }

  /// Lets it go on (`SIGCONT`).
  public func resume() { daemon.withLock { $0?.process.send(SIGCONT) } }

  /// Ends the daemon and removes its folder.
  public func stop() {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
