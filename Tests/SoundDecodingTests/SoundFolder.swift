#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import SoundDecoding

  /// A temporary folder with sounds in it, made by lame, which is gone when its owner is.
  final class SoundFolder {
    let url: URL
    private var count = 0

    init() throws {
      url = FileManager.default.temporaryDirectory.appendingPathComponent("sounds-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A path in the folder that is not taken.
    func path(_ name: String = "sound.mp3") -> String {
      count += 1
      return url.appendingPathComponent("\(count)-\(name)").path
    }

    /// Writes a file.
    func file(_ bytes: [UInt8], _ name: String = "sound.mp3") throws -> String {
      let path = path(name)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return path
    }

    /// Encodes a signal at its own rate.
    func mp3(_ signal: Signal, _ options: [String] = ["--cbr", "-b", "64"]) throws -> String {
      let source = try file(wave(signal), "source.wav")
      let target = path()
      let rate = "\(Double(signal.format.sampleRate) / 1000)"
      try Subprocess.check(
        ["lame", "--quiet", "--noreplaygain", "--resample", rate] + options + [source, target], within: .seconds(30))
      return target
    }

    /// A signal as a WAV file.
    func wave(_ signal: Signal) -> [UInt8] {
      func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian, Array.init) }
      let channels = signal.format.channelCount
      let dataSize = signal.samples.count * 2
      let format =
        bytes(UInt16(1)) + bytes(UInt16(channels)) + bytes(UInt32(signal.format.sampleRate))
        + bytes(UInt32(signal.format.sampleRate * channels * 2)) + bytes(UInt16(channels * 2)) + bytes(UInt16(16))
      return Array("RIFF".utf8) + bytes(UInt32(36 + dataSize)) + Array("WAVEfmt ".utf8) + bytes(UInt32(16)) + format
        + Array("data".utf8) + bytes(UInt32(dataSize)) + signal.samples.flatMap(bytes)
    }
  }

  func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

  /// A melody that never repeats itself in a loop: a sweep, another one in each channel.
  func sweep(_ format: AudioFormat, frames: Int, level: Double = -12) -> Signal {
    let amplitude = 32_767 * pow(10, level / 20)
    let rate = Double(format.sampleRate)
    var samples: [Int16] = []
    for frame in 0..<frames {
      let time = Double(frame) / rate
      for channel in 0..<format.channelCount {
        let (start, slope) = channel == 0 ? (300.0, 700.0) : (900.0, -400.0)
        samples.append(Int16(amplitude * sin(2 * .pi * (start + slope / 2 * time) * time)))
      }
    }
    return Signal(samples, format: format)
  }

  /// Decodes what is left, in pieces of an odd size.
  func decodeRest(of decoder: inout MP3Decoder, piece: Int = 777) throws -> Signal {
    var samples: [Int16] = []
    var buffer = [Int16](repeating: 0, count: piece * decoder.format.channelCount)
    while true {
      var span = buffer.mutableSpan
      let frames = try decoder.read(into: &span)
      if frames == 0 { break }
      samples += buffer[..<(frames * decoder.format.channelCount)]
    }
    return Signal(samples, format: decoder.format)
  }

  func decode(_ path: String) throws -> Signal {
    var decoder = try MP3Decoder(path: path)
    return try decodeRest(of: &decoder)
  }

  /// Reads from a loop, in pieces of an odd size.
  func play(_ sound: inout LoopingSound, frames: Int, piece: Int = 777) throws -> Signal {
    var samples: [Int16] = []
    while samples.count < frames * sound.format.channelCount {
      let wanted = min(piece, frames - samples.count / sound.format.channelCount)
      var buffer = [Int16](repeating: 0, count: wanted * sound.format.channelCount)
      var span = buffer.mutableSpan
      let got = try sound.read(into: &span)
      samples += buffer[..<(got * sound.format.channelCount)]
    }
    return Signal(samples, format: sound.format)
  }

  /// How much louder the first signal is than what the second one lacks of it, in dB.
  func fidelity(_ original: Signal, _ copy: Signal) -> Double {
    let count = min(original.samples.count, copy.samples.count)
    var energy = 0.0
    var error = 1e-9
    for index in 0..<count {
      energy += pow(Double(original.samples[index]), 2)
      error += pow(Double(original.samples[index]) - Double(copy.samples[index]), 2)
    }
    return 10 * log10(energy / error)
  }
#endif
