import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing
import WaveFile

@Suite struct WaveReaderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: Samples

  static let encodings: [(tag: Int, bits: Int, bytes: [UInt8], expected: [Int16])] = [
    (1, 8, [0, 1, 128, 255], [-32_768, -32_512, 0, 32_512]),
    (1, 16, [0, 0x80, 0xFF, 0xFF, 0, 0, 0xFF, 0x7F], [-32_768, -1, 0, 32_767]),
    // The three bytes of 0x7FFFFF would round to 32768; -0x80 rounds up to 0, -0x81 down to -1.
    (
      1, 24, [0xFF, 0xFF, 0x7F, 0, 0, 0x80, 0x80, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0x7F, 0, 0, 0x80, 0, 0],
      [32_767, -32_768, 0, -1, 0, 1]
    ),
    (1, 32, [0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0xFF, 0x7F, 0, 0], [32_767, -32_768, 1, 0]),
    (
      3, 32,
      [1, -1, 0.5, 2, -2, .nan, 1 / 65_536, -.infinity].flatMap { little(Int(Float($0).bitPattern), 4) },
      [32_767, -32_768, 16_384, 32_767, -32_768, 0, 1, -32_768]
    ),
    (
      3, 64,
      [1, -1, -0.25, 1e300, .nan, 0.999_984_7].flatMap { little(Int(bitPattern: UInt(Double($0).bitPattern)), 8) },
      [32_767, -32_768, -8_192, 32_767, 0, 32_767]
    ),
    // Both ends and the middle of the tables in ITU-T G.711.
    (6, 8, [0xD5, 0x55, 0xAA, 0x2A, 0x80, 0x00], [8, -8, 32_256, -32_256, 5_504, -5_504]),
    (7, 8, [0xFF, 0x7F, 0x80, 0x00, 0xA0, 0x20], [0, 0, 32_124, -32_124, 7_932, -7_932]),
  ]

  @Test(arguments: encodings)
  func decodes(tag: Int, bits: Int, bytes: [UInt8], expected: [Int16]) throws {
    let path = try folder.write(WaveBytes(tag: tag, bits: bits, samples: bytes).bytes)
    #expect(try samples(ofFile: path) == expected)
  }

  @Test func decodesTheExtensibleForm() throws {
    let guid: [UInt8] = [3, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    var file = WaveBytes(tag: 0xFFFE, channels: 2, rate: 96_000, bits: 32, formatSize: 40)
    file.extra = little(22, 2) + little(32, 2) + little(3, 4) + guid
    file.samples = [0.5, -0.5].flatMap { little(Int(Float($0).bitPattern), 4) }
    let path = try folder.write(file.bytes)
    let reader = try WaveReader(path: path)
    #expect(reader.format.sampleRate == 96_000)
    #expect(reader.format.channelCount == 2)
    #expect(reader.frameCount == 1)
    #expect(try samples(ofFile: path) == [16_384, -16_384])
    file.extra[20] = 9
    #expect(code { _ = try WaveReader(path: try folder.write(file.bytes)) } == .fileFormatNotSupported)
  }

  @Test(arguments: [(8_000, 1), (22_050, 2), (192_000, 8)])
  func readsInPiecesAndAgain(rate: Int, channels: Int) throws {
    let count = 3_001 * channels
    let expected = (0..<count).map { Int16(truncatingIfNeeded: $0 &* 7_919) }
    let path = try folder.write(
      WaveBytes(channels: channels, rate: rate, samples: expected.flatMap { little(Int($0), 2) }).bytes)
    var reader = try WaveReader(path: path)
    #expect(reader.format == (try AudioFormat(sampleRate: rate, channelCount: channels)))
    #expect(reader.frameCount == 3_001)
    #expect(try samples(&reader, pieces: 77) == expected)
    #expect(reader.position == 3_001)
    reader.rewind()
    #expect(try samples(&reader, pieces: 4_000) == expected)
  }

  // MARK: Chunks and sizes

  @Test func passesOverUnknownChunksWithTheirPadding() throws {
    var file = WaveBytes(samples: little(1, 2) + little(2, 2))
    file.before = Array("LIST".utf8) + little(3, 4) + [1, 2, 3, 0] + Array("junk".utf8) + little(0, 4)
    file.after = Array("LIST".utf8) + little(4, 4) + [9, 9, 9, 9]
    #expect(try samples(ofFile: folder.write(file.bytes)) == [1, 2])
  }

  @Test(arguments: [(0, 0), (0xFFFF_FFFF, 0xFFFF_FFFF), (0x7FFF_F000, 0x7FFF_F024), (0, 0xFFFF_FFFF)])
  func playsWhatIsThereWhenTheSizeIsNotKnown(dataSize: Int, riffSize: Int) throws {
    var file = WaveBytes(samples: (1...5).flatMap { little($0, 2) } + [7])
    file.dataSize = dataSize
    file.riffSize = riffSize
    let path = try folder.write(file.bytes)
    #expect(try WaveReader(path: path).frameCount == 5)
    #expect(try samples(ofFile: path) == [1, 2, 3, 4, 5])
  }

  @Test func takesAFinishedEmptyFileAtItsWord() throws {
    let file = WaveBytes(after: Array("LIST".utf8) + little(4, 4) + [9, 9, 9, 9])
    #expect(try WaveReader(path: folder.write(file.bytes)).frameCount == 0)
  }

  @Test func playsATruncatedFile() throws {
    let whole = WaveBytes(channels: 2, samples: (1...8).flatMap { little($0, 2) }).bytes
    // One byte of the last frame is missing.
    #expect(try samples(ofFile: folder.write(Array(whole.dropLast()))) == [1, 2, 3, 4, 5, 6])
  }

  @Test func endsWhereTheFileIsCutWhileItIsRead() throws {
    let path = try folder.write(WaveBytes(samples: (0..<2_000).flatMap { little($0, 2) }).bytes)
    var reader = try WaveReader(path: path)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 44 + 1_001)
    #expect(try samples(&reader).count == 500)
  }

  @Test(arguments: ["RF64", "BW64"], [8, Int.max, -1, 0])
  func readsLargeFiles(riff: String, dataSize: Int) throws {
    var file = WaveBytes(riff: riff, riffSize: 0xFFFF_FFFF, dataSize: 0xFFFF_FFFF)
    file.samples = (1...4).flatMap { little($0, 2) }
    file.before = Array("ds64".utf8) + little(28, 4) + little(0, 8) + little(dataSize, 8) + little(4, 8) + little(0, 4)
    file.after = dataSize == 8 ? [1, 2, 3, 4] : []
    #expect(try samples(ofFile: folder.write(file.bytes)) == [1, 2, 3, 4])
  }

  @Test(arguments: ["RIFF", "RF64"]) func countsBeyondFourGigabytes(riff: String) throws {
    let gigabytes = 5 << 30
    var file = WaveBytes(riff: riff, riffSize: 0xFFFF_FFFF, dataSize: 0xFFFF_FFFF)
    file.before = Array("ds64".utf8) + little(28, 4) + little(0, 8) + little(gigabytes, 8) + little(0, 12)
    let path = try folder.write(file.bytes)
    // A hole: it takes no room on the disk.
    #expect(truncate(path, off_t(file.bytes.count + gigabytes)) == 0)
    #expect(try WaveReader(path: path).frameCount == gigabytes / 2)
  }

  // MARK: What is refused

  static let refused: [(String, WaveBytes)] = [
    ("no RIFF", WaveBytes(riff: "FORM")),
    ("big-endian", WaveBytes(riff: "RIFX")),
    ("no channels", WaveBytes(channels: 0)),
    ("9 channels", WaveBytes(channels: 9)),
    ("no rate", WaveBytes(rate: 0)),
    ("absurd rate", WaveBytes(rate: 0xFFFF_FFFF)),
    ("7999 Hz", WaveBytes(rate: 7_999)),
    ("no bits", WaveBytes(bits: 0)),
    ("33 bits", WaveBytes(bits: 33)),
    ("half float", WaveBytes(tag: 3, bits: 16)),
    ("MP3", WaveBytes(tag: 0x55)),
    ("block align of zero", WaveBytes(bytesPerFrame: 0)),
    ("block align of another format", WaveBytes(channels: 2, bytesPerFrame: 2)),
    ("huge block align", WaveBytes(bytesPerFrame: 0xFFFF)),
    ("huge fmt", WaveBytes(formatSize: 0x7FFF_FFFF)),
    ("short fmt", WaveBytes(formatSize: 4)),
    ("fmt over the data", WaveBytes(formatSize: 60_000)),
    ("short extensible", WaveBytes(tag: 0xFFFE)),
    ("data before fmt", WaveBytes(before: Array("data".utf8) + little(0, 4))),
    ("no ds64", WaveBytes(riff: "RF64", before: Array("ds64".utf8) + little(3, 4) + [0, 0, 0, 0])),
  ]

  @Test(arguments: refused) func refuses(what: String, file: WaveBytes) throws {
    let path = try folder.write(file.bytes)
    #expect(code { _ = try WaveReader(path: path) } == .fileFormatNotSupported)
  }

  @Test func refusesWhatIsNoFile() throws {
    let fifo = folder.path("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    #expect(code { _ = try WaveReader(path: fifo) } == .fileNotReadable)
    #expect(code { _ = try WaveReader(path: "/dev/zero") } == .fileNotReadable)
    #expect(code { _ = try WaveReader(path: folder.url.path) } == .fileNotReadable)
    #expect(code { _ = try WaveReader(path: folder.path("missing.wav")) } == .fileNotFound)
    #expect(code { _ = try WaveReader(path: try folder.write([], "empty")) } == .fileFormatNotSupported)
    #expect(code { _ = try WaveReader(path: try folder.write(Array("RIFF".utf8))) } == .fileFormatNotSupported)
    #expect(code { _ = try WaveReader(path: "") } == .invalidArgument)
    #expect(code { _ = try WaveReader(path: "a\u{0}b") } == .invalidArgument)
  }

  @Test func saysWhatIsWrongAndWhatToDo() throws {
    let path = try folder.write(WaveBytes(tag: 0x55).bytes)
    let error = #expect(throws: AudioDeviceError.self) { _ = try WaveReader(path: path) }
    let text = try #require(error).description
    #expect(text.contains(path) && text.contains("of format 85") && text.contains("can be read"))
    let missing = #expect(throws: AudioDeviceError.self) { _ = try WaveReader(path: path + "x") }
    #expect(try #require(missing).call == "open")
    #expect(try #require(missing).number == Int(ENOENT))
  }

  @Test func closesItsFileAlsoWhenItRefuses() throws {
    let path = try folder.write(WaveBytes(tag: 0x55).bytes)
    let good = try folder.write(WaveBytes().bytes, "good.wav")
    for _ in 0..<2_000 {
      #expect(code { _ = try WaveReader(path: path) } == .fileFormatNotSupported)
      #expect(code { _ = try WaveReader(path: good) } == nil)
    }
  }

  // MARK: Hostile files

  /// Always the same pseudo-random numbers.
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 32 | state << 32
    }
  }

  @Test func survivesHostileFiles() throws {
    var generator = Generator(state: 1)
    let seeds: [[UInt8]] = [
      WaveBytes(channels: 2, samples: [UInt8](repeating: 5, count: 400)).bytes,
      WaveBytes(
        tag: 0xFFFE, channels: 3, bits: 24, formatSize: 40,
        extra: little(22, 2) + little(24, 2) + little(0, 4)
          + [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71],
        samples: [UInt8](repeating: 77, count: 90)
      ).bytes,
      WaveBytes(
        riff: "RF64", before: Array("ds64".utf8) + little(28, 4) + [UInt8](repeating: 1, count: 28),
        dataSize: 0xFFFF_FFFF, samples: [1, 2, 3, 4]
      ).bytes,
    ]
    let edges: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]
    var readable = 0
    var isConsistent = true
    for _ in 0..<4_000 {
      var bytes = seeds[Int.random(in: 0..<seeds.count, using: &generator)]
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let index = Int.random(in: 0..<min(bytes.count, 90), using: &generator)
        bytes[index] =
          Bool.random(using: &generator)
          ? edges[Int.random(in: 0..<edges.count, using: &generator)]
          : UInt8.random(in: 0...255, using: &generator)
      }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
      }
      let path = try folder.write(bytes)
      let result = code {
        var reader = try WaveReader(path: path)
        let count = reader.frameCount * reader.format.channelCount
        isConsistent = try count <= bytes.count && samples(&reader).count == count && isConsistent
        readable += 1
      }
      isConsistent = isConsistent && (result == nil || result == .fileFormatNotSupported)
    }
    #expect(isConsistent)
    // The mutations do not all end at the first check.
    #expect(readable > 400 && readable < 3_600)
  }

  @Test func givesUpOnEndlessChunks() throws {
    let chunk = Array("junk".utf8) + little(0, 4)
    let file = WaveBytes(before: (0..<5_000).flatMap { _ in chunk })
    #expect(code { _ = try WaveReader(path: try folder.write(file.bytes)) } == .fileFormatNotSupported)
  }
}
