import AudioDeviceCore
import Glibc

/// A `pacat` that plays a signal to a sink and then ends.
public final class Playback: Sendable {
  /// The playing process: its stream is among the server's sink inputs.
  public let process: Subprocess

  private let duration: Duration

  init(
    _ signal: Signal, on sink: String, of server: some SoundServer, latency: Duration, properties: [String: String]
  ) throws {
    let file = try OwnedDescriptor.memoryFile()
    try signal.samples.map(\.littleEndian).withUnsafeBytes { try file.write($0) }
    lseek(file.rawValue, 0, SEEK_SET)
    duration = signal.duration
    process = try Subprocess(
      ["pacat", "--raw", "--playback", "--device=\(sink)", "--latency-msec=\(latency.milliseconds)"]
        + signal.format.pacatArguments + properties.sorted(by: <).map { "--property=\($0.key)=\($0.value)" },
      environment: server.environment, standardInput: file.rawValue)
  }

  /// Waits until everything is played. Blocks.
  ///
  /// - Parameter limit: The longest wait; by default as long as the signal, and five seconds.
  /// - Throws: ``RigError`` when it takes longer or fails.
  public func wait(within limit: Duration? = nil) throws {
    guard process.wait(within: limit ?? duration + .seconds(5)) == .exited(0) else {
      throw RigError("\(process.command) did not play to the end (\(process.exitStatus as Any))")
    }
  }

  /// Ends it at once.
  public func stop() { process.end() }
}
