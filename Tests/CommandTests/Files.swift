import AudioDeviceCore
import AudioTestSupport
import WaveFile

/// A folder for the files of a test, which goes with the tests.
struct Files {
  let folder: String

  init(folder: String) { self.folder = folder }

  init() throws { folder = try ProcessWarden.shared().makeFolder("files") }

  func path(_ name: String) -> String { folder.isEmpty ? name : "\(folder)/\(name)" }

  /// Writes a WAVE file.
  func write(_ signal: Signal, _ name: String) throws -> String {
    var writer = try WaveWriter(path: path(name), format: signal.format)
    try writer.write(signal.samples.span)
    try writer.close()
    return path(name)
  }

  /// Makes an MP3 of a signal, with `lame`.
  func encode(_ signal: Signal, _ name: String) throws -> String {
    let wave = try write(signal, "\(name).wav")
    try Subprocess.check(["lame", "--quiet", "-b", "192", wave, path(name)])
    return path(name)
  }

  /// Reads a WAVE file.
  func read(_ name: String) throws -> Signal {
    var reader = try WaveReader(path: path(name))
    var samples = [Int16](repeating: 0, count: reader.frameCount * reader.format.channelCount)
    var span = samples.mutableSpan
    _ = try reader.read(into: &span)
    return Signal(samples, format: reader.format)
  }
}

extension Signal {
  /// How many frames there are without the silences between sounds.
  var loudFrameCount: Int {
    frameCount - silences(longerThan: .milliseconds(2), below: -60).reduce(0) { $0 + $1.count }
  }

  /// Whether some part of it is as it should be: a busy machine makes holes in what is played, and leaves parts whole.
  func hasPart(lasting duration: Duration = .milliseconds(200), where isFit: (Signal) -> Bool) -> Bool {
    let length = format.frames(in: duration)
    return stride(from: 0, through: max(0, frameCount - length), by: max(1, length / 4)).contains { start in
      isFit(frames(start..<start + length))
    }
  }

  /// A part, by its time.
  func part(_ range: Range<Double>) -> Signal {
    frames(Int(range.lowerBound * Double(format.sampleRate))..<Int(range.upperBound * Double(format.sampleRate)))
  }
}
