public import AudioDeviceCore
import Glibc

/// A `parec` that records from a source into memory while it lives.
public final class Recording: Sendable {
  /// What is recorded.
  public let format: AudioFormat
  /// The recording process: its stream is among the server's source outputs.
  public let process: Subprocess

  private let file: OwnedDescriptor

  init(from source: String, of server: some SoundServer, format: AudioFormat, latency: Duration) throws {
    self.format = format
    file = try OwnedDescriptor.memoryFile()
    process = try Subprocess(
      ["parec", "--raw", "--device=\(source)", "--latency-msec=\(latency.milliseconds)"] + format.pacatArguments,
      environment: server.environment, standardOutput: file.rawValue)
  }

  /// Frames recorded so far.
  public var frameCount: Int {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0 else { return 0 }
    return Int(status.st_size) / (2 * format.channelCount)
  }

  /// What is recorded so far.
  public var signal: Signal { Signal(littleEndian: file.contents(), format: format) }

  /// Waits until a number of frames is there, counted from the beginning. Blocks.
  ///
  /// - Parameters:
  ///   - frames: How many.
  ///   - limit: The longest wait; by default as long as they last, and five seconds.
  /// - Throws: ``RigError`` when they do not come in time or the process ends.
  public func waitForFrames(_ frames: Int, within limit: Duration? = nil) throws {
    let limit = limit ?? format.duration(ofFrames: frames) + .seconds(5)
    let process = process
    let isDone = eventually(within: limit) { frameCount >= frames || !process.isRunning }
    guard isDone, frameCount >= frames else {
      throw RigError("\(process.command) recorded \(frameCount) of \(frames) frames (\(process.exitStatus as Any))")
    }
  }

  /// Ends the recording.
  ///
  /// - Returns: All of it.
  @discardableResult
  public func stop() -> Signal {
    process.end()
    return signal
  }
}

extension AudioFormat {
  /// The format as `pacat` and `parec` take it.
  var pacatArguments: [String] { ["--format=s16le", "--rate=\(sampleRate)", "--channels=\(channelCount)"] }
}

extension Duration {
  var milliseconds: Int { Int(self / .milliseconds(1)) }
}
