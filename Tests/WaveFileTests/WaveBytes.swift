import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing
import WaveFile

extension TemporaryFolder {
  func write(_ bytes: [UInt8], _ name: String = "sound.wav") throws -> String {
    // A new file, and not by Foundation: both would wait for the disk.
    unlink(path(name))
    let file = try #require(fopen(path(name), "w"))
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    #expect(fclose(file) == 0)
    return path(name)
  }
}

/// Builds WAVE files by hand, right or wrong.
struct WaveBytes {
  var tag = 1
  var channels = 1
  var rate = 48_000
  var bits = 16
  var bytesPerFrame: Int?
  var formatSize = 16
  var extra: [UInt8] = []
  var riff = "RIFF"
  var riffSize: Int?
  var before: [UInt8] = []
  var dataSize: Int?
  var samples: [UInt8] = []
  var after: [UInt8] = []

  var bytes: [UInt8] {
    var body = Array("WAVE".utf8) + before
    body += Array("fmt ".utf8) + little(formatSize, 4) + little(tag, 2) + little(channels, 2) + little(rate, 4)
    let frame = bytesPerFrame ?? channels * ((bits + 7) / 8)
    body += little(rate * frame, 4) + little(frame, 2) + little(bits, 2) + extra
    body += Array("data".utf8) + little(dataSize ?? samples.count, 4) + samples + after
    return Array(riff.utf8) + little(riffSize ?? body.count, 4) + body
  }
}

func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }

/// All samples of a file, read in pieces of a number of frames.
func samples(_ reader: inout WaveReader, pieces: Int = 100) throws -> [Int16] {
  var all: [Int16] = []
  var piece = [Int16](repeating: 0, count: pieces * reader.format.channelCount)
  while true {
    var span = piece.mutableSpan
    let frames = try reader.read(into: &span)
    if frames == 0 { return all }
    all += piece[..<(frames * reader.format.channelCount)]
  }
}

func samples(ofFile path: String) throws -> [Int16] {
  var reader = try WaveReader(path: path)
  return try samples(&reader)
}

/// The code that an operation throws, or nil.
func code(_ body: () throws -> Void) -> AudioDeviceError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? AudioDeviceError)?.code
  }
}
