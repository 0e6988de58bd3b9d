import CRigProcess
import Glibc
public import RealtimeSupport

/// What a server tells its clients of changes, as `pactl subscribe` prints it, and when.
public final class ServerEvents: Sendable {
  private struct State {
    var events: [(time: AudioInstant, text: String)] = []
    var rest: [UInt8] = []
  }
  private let process: Subprocess
  private let thread: RealtimeThread
  private let state: Locked<State>

  /// Begins to listen. Blocks until the server tells.
  ///
  /// - Parameter server: Whose.
  /// - Throws: ``RigError`` when it tells nothing.
  public init(of server: some SoundServer) throws {
    var ends: [Int32] = [-1, -1]
    guard crp_pipe(&ends) == 0 else { throw RigError("pipe2: \(String(cString: strerror(errno)))") }
    let output = ends[0]
    let input = try OwnedDescriptor(ends[1], from: "pipe2")
    let state = Locked(State())
    self.state = state
    // It ends, and closes its end, when nobody has the other one any more.
    thread = try RealtimeThread(name: "server-events", scheduling: .normal) { Self.read(output, into: state) }
    process = try Subprocess(
      ["pactl", "subscribe"], environment: server.environment, standardOutput: input.rawValue)
    // Each `pactl` is a client that comes and goes.
    let isTold = try eventually {
      try server.pactl("info")
      return state.withLock { !$0.events.isEmpty }
    }
    guard isTold else { throw RigError("pactl subscribe tells nothing") }
  }

  deinit { stop() }

  private static func read(_ output: Int32, into state: Locked<State>) {
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(output, &buffer, buffer.count)
      guard count > 0 else { return }
      let now = AudioInstant.now
      state.withLock { state in
        for byte in buffer.prefix(count) {
          guard byte == UInt8(ascii: "\n") else {
            state.rest.append(byte)
            continue
          }
          state.events.append((now, String(decoding: state.rest, as: UTF8.self)))
          state.rest = []
        }
      }
    }
  }

  /// When an event was first told since a moment.
  ///
  /// - Parameters:
  ///   - text: What its line contains, such as `'new' on sink`.
  ///   - start: The moment.
  /// - Returns: When; nil when it was not.
  public func time(of text: String, since start: AudioInstant) -> AudioInstant? {
    state.withLock { $0.events.first { $0.time >= start && $0.text.contains(text) }?.time }
  }

  /// Ends the listening.
  public func stop() {
    process.end()
    thread.join()
  }
}
