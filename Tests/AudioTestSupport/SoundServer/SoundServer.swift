import Glibc

/// A private sound server that speaks the PulseAudio protocol, with devices of known names.
///
/// | device | what |
/// |---|---|
/// | `spk` | sink, stereo 48 kHz, the default; what is played on it can be recorded from `spk.monitor` |
/// | `hdmi` | sink, stereo 44.1 kHz |
/// | `micfeed` | sink, mono 48 kHz: what is played on it is heard by `mic` |
/// | `mic` | source, mono 48 kHz, the default |
///
/// One server per suite is normal; several at once do not disturb each other. A server stops when its object goes, and
/// when the test process dies in whatever way. Its functions block, for a few seconds at most; any thread.
public protocol SoundServer: AnyObject, Sendable {
  /// Which server this is.
  var kind: SoundServerKind { get }
  /// Everything of the server is in this folder: sockets, logs, its home.
  var folder: String { get }
  /// The socket that clients connect to.
  var socketPath: String { get }
  /// For child processes that are to be clients of this server.
  var environment: [String: String] { get }
  /// The daemons that run now; the one that clients talk to comes first.
  var processIDs: [Int32] { get }
  /// What the daemons logged, for messages.
  var log: String { get }

  /// Kills the server (`SIGKILL`). Clients see the connection break; the socket's file stays, as after a crash.
  func kill()
  /// Starts the server again on the same socket, after ending it if it still runs. Clients can connect at return.
  ///
  /// - Throws: ``RigError`` with the log when it does not come up.
  func restart() throws
  /// Stops the daemon that clients talk to (`SIGSTOP`): they see no event, only silence.
  func suspend()
  /// Lets it go on (`SIGCONT`).
  func resume()
  /// Ends the server and removes its folder. Idempotent.
  func stop()
}

/// The servers that there are, for parametrised tests.
public enum SoundServerKind: String, Sendable, CaseIterable {
  /// PulseAudio. Up in 40 ms.
  case pulseAudio
  /// PipeWire with WirePlumber and its PulseAudio server. Up in half a second.
  case pipeWire

  /// The kinds to test with: a quick run (`Tests/run quick`) does with PulseAudio.
  public static let allCases: [SoundServerKind] =
    getenv("AUDIODEVICEKIT_QUICK") == nil ? [.pulseAudio, .pipeWire] : [.pulseAudio]

  /// Starts a server of this kind with the usual devices.
  ///
  /// - Returns: The server, ready for clients.
  /// - Throws: ``RigError`` with the log when it does not come up.
  public func start() throws -> any SoundServer {
    switch self {
    case .pulseAudio: try PulseServer.start()
    case .pipeWire: try PipeWireServer.start()
    }
  }
}

extension SoundServer {
  /// The server's address as libpulse takes it (`pa_context_connect`, `PULSE_SERVER`).
  public var serverString: String { "unix:\(socketPath)" }
}
