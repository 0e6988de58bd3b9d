internal import AudioDeviceCore

/// What the header of a WAVE file says, checked against the file.
struct WaveHeader {
  var format: AudioFormat
  var encoding: SampleEncoding
  /// Where the first sample lies.
  var dataOffset: Int
  /// Whole frames that are really there.
  var frameCount: Int

  var bytesPerFrame: Int { format.channelCount * encoding.byteCount }

  /// Chunks that are looked at before the samples must have come. Real files have a handful.
  private static let maximumChunkCount = 4096
  /// The largest `fmt ` chunk: its size field for extra bytes has 16 bits.
  private static let maximumFormatSize = 18 + Int(UInt16.max)
  /// The sub-format of `WAVE_FORMAT_EXTENSIBLE` that stands for PCM. The first two bytes are the plain format tag.
  static let pcmSubformat: [UInt8] = [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]

  /// Reads and checks a header.
  ///
  /// - Throws: `fileNotReadable` when reading fails, `fileFormatNotSupported` when the content is not fit.
  init(_ file: borrowing FileDescriptor, path: String) throws(AudioDeviceError) {
    let fileSize = try file.size(path)
    let top = try Fields(file, at: 0, count: 12, path)
    guard fileSize > 0 else { throw .notFit(path, "is empty") }
    let isLarge = top.tag(0) == "RF64" || top.tag(0) == "BW64"
    guard top.count == 12, isLarge || top.tag(0) == "RIFF", top.tag(8) == "WAVE" else {
      throw .notFit(path, top.tag(0) == "RIFX" ? "is a big-endian WAVE file (RIFX)" : "is no WAVE file")
    }
    var riffSize = Int(top.unsigned32(4))
    var largeDataSize: Int?
    var description: (AudioFormat, SampleEncoding)?
    var offset = 12
    for _ in 0..<Self.maximumChunkCount {
      let chunk = try Fields(file, at: offset, count: 8, path)
      guard chunk.count == 8 else { break }
      let size = Int(chunk.unsigned32(4))
      let body = offset + 8
      switch chunk.tag(0) {
      case "ds64" where isLarge:
        let sizes = try Fields(file, at: body, count: min(size, 16), path)
        guard sizes.count == 16 else { throw .notFit(path, "has a broken ds64 chunk") }
        riffSize = Int(clamping: sizes.unsigned64(0))
        largeDataSize = Int(clamping: sizes.unsigned64(8))
      case "fmt ":
        guard size <= Self.maximumFormatSize else { throw .notFit(path, "has a fmt chunk of an absurd size") }
        description = try Self.describe(try Fields(file, at: body, count: min(size, 40), path), path)
      case "data":
        guard let (format, encoding) = description else { throw .notFit(path, "has its data before its fmt chunk") }
        self.format = format
        self.encoding = encoding
        dataOffset = body
        let declared = isLarge && size == Int(UInt32.max) ? largeDataSize ?? 0 : size
        // Who streams a file cannot know its size, and leaves 0 or all ones. A file whose outer size is right was
        // finished, so that its 0 is meant.
        let isOpenEnded = declared == 0 ? riffSize != fileSize - 8 : size == Int(UInt32.max) && !isLarge
        let present = max(0, fileSize - body)
        frameCount = (isOpenEnded ? present : min(declared, present)) / (format.channelCount * encoding.byteCount)
        return
      default: break
      }
      offset = body + size + size % 2
    }
    throw .notFit(path, "has no samples: no data chunk was found")
  }

  private static func describe(
    _ fields: Fields, _ path: String
  ) throws(AudioDeviceError) -> (AudioFormat, SampleEncoding) {
    guard fields.count >= 16 else { throw .notFit(path, "has a fmt chunk that is too short") }
    var tag = fields.unsigned16(0)
    let channelCount = fields.unsigned16(2)
    let sampleRate = Int(fields.unsigned32(4))
    let bytesPerFrame = fields.unsigned16(12)
    let bits = fields.unsigned16(14)
    if tag == 0xFFFE {
      guard fields.count == 40, fields.bytes[26..<40].elementsEqual(pcmSubformat[2...]) else {
        throw .notFit(path, "has an extensible format of an unknown kind")
      }
      tag = fields.unsigned16(24)
    }
    let encoding: SampleEncoding? =
      switch (tag, bits) {
      case (1, 1...8): .unsigned8
      case (1, 9...16): .signed16
      case (1, 17...24): .signed24
      case (1, 25...32): .signed32
      case (3, 32): .float32
      case (3, 64): .float64
      case (6, 8): .aLaw
      case (7, 8): .muLaw
      default: nil
      }
    guard let encoding else {
      throw .notFit(
        path,
        "has \(bits)-bit samples of format \(tag); PCM of up to 32 bits, 32 or 64-bit float, A-law, µ-law can be read")
    }
    guard AudioFormat.channelCounts.contains(channelCount), AudioFormat.sampleRates.contains(sampleRate) else {
      throw .notFit(
        path,
        "says it has \(channelCount) channels at \(sampleRate) Hz; 1 to 8 channels at 8000 to 192000 Hz can be read")
    }
    guard bytesPerFrame == channelCount * encoding.byteCount else {
      throw .notFit(
        path, "says a frame has \(bytesPerFrame) bytes, where its format makes \(channelCount * encoding.byteCount)")
    }
    return (try AudioFormat(sampleRate: sampleRate, channelCount: channelCount), encoding)
  }
}

/// A few bytes of a file, as numbers. Asked only for what ``count`` says is there.
private struct Fields {
  let bytes: [UInt8]
  var count: Int { bytes.count }

  init(_ file: borrowing FileDescriptor, at offset: Int, count: Int, _ path: String) throws(AudioDeviceError) {
    var buffer = [UInt8](repeating: 0, count: count)
    let read = try file.read(&buffer, count: count, at: offset, path)
    bytes = Array(buffer[..<read])
  }

  func unsigned16(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
  func unsigned32(_ offset: Int) -> UInt32 { UInt32(unsigned16(offset)) | UInt32(unsigned16(offset + 2)) << 16 }
  func unsigned64(_ offset: Int) -> UInt64 { UInt64(unsigned32(offset)) | UInt64(unsigned32(offset + 4)) << 32 }
  func tag(_ offset: Int) -> String? {
    guard offset + 4 <= count else { return nil }
    return String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
  }
}

extension AudioDeviceError {
  fileprivate static func notFit(_ path: String, _ what: String) -> AudioDeviceError {
    AudioDeviceError(.fileFormatNotSupported, "'\(path)' \(what). Give a WAVE file with uncompressed sound.")
  }
}
