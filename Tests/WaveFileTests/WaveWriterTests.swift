import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

@testable import WaveFile

@Suite struct WaveWriterTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func numbers(_ count: Int) -> [Int16] { (0..<count).map { Int16(truncatingIfNeeded: $0 &* 7_919) } }

  @Test(arguments: [1, 2, 6]) func whatIsWrittenIsRead(channels: Int) throws {
    let format = try AudioFormat(sampleRate: 44_100, channelCount: channels)
    let path = folder.path("out.wav")
    var writer = try WaveWriter(path: path, format: format, bufferDuration: .milliseconds(10))
    let expected = numbers(3_333 * channels)
    for start in stride(from: 0, to: expected.count, by: 11 * channels) {
      try write(expected[start..<min(start + 11 * channels, expected.count)], &writer)
    }
    #expect(writer.frameCount == 3_333)
    try writer.close()
    try writer.close()
    let reader = try WaveReader(path: path)
    #expect(reader.format == format)
    #expect(reader.frameCount == 3_333)
    #expect(try samples(ofFile: path) == expected)
    // Nothing is left for a reader to guess: the outer size is that of the file.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(Array(bytes[4..<8]) == little(bytes.count - 8, 4))
  }

  @Test func canBeReadAtEveryMoment() throws {
    let path = folder.path("out.wav")
    var writer = try WaveWriter(path: path, format: .voice, bufferDuration: .milliseconds(20))
    #expect(try WaveReader(path: path).frameCount == 0)
    let expected = numbers(48_000)
    var seen = 0
    for start in stride(from: 0, to: expected.count, by: 480) {
      try write(expected[start..<start + 480], &writer)
      let now = try samples(ofFile: path)
      #expect(now == Array(expected[..<now.count]))
      // No more than one buffer of 960 frames is missing.
      #expect(now.count > start + 480 - 960)
      seen = now.count
    }
    #expect(seen == 48_000)
    try write(expected[..<100], &writer)
    #expect(try samples(ofFile: path).count == 48_000)
    try writer.flush()
    #expect(try samples(ofFile: path).count == 48_100)
  }

  @Test func isCompleteWithoutAClose() throws {
    let path = folder.path("out.wav")
    do {
      var writer = try WaveWriter(path: path, format: .voice)
      try write(numbers(123), &writer)
    }
    #expect(try samples(ofFile: path) == numbers(123))
  }

  @Test func becomesALargeFileWhereItMust() throws {
    let path = folder.path("out.wav")
    var writer = try WaveWriter(
      path: path, format: .stereo, bufferDuration: .milliseconds(10), largestRIFF: 10_000)
    let expected = numbers(6_000)
    try write(expected[..<4_800], &writer)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).prefix(4) == Data("RIFF".utf8))
    try write(expected[4_800...], &writer)
    try writer.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(bytes.prefix(8) == Data("RF64".utf8) + Data(little(-1, 4)))
    #expect(bytes[12..<16] == Data("ds64".utf8))
    #expect(Array(bytes[20..<28]) == little(bytes.count - 8, 8))
    #expect(Array(bytes[28..<36]) == little(12_000, 8))
    #expect(Array(bytes[36..<44]) == little(3_000, 8))
    #expect(try samples(ofFile: path) == expected)
  }

  private func write(_ samples: some Collection<Int16>, _ writer: inout WaveWriter) throws {
    let samples = Array(samples)
    try writer.write(samples.span)
  }

  // MARK: Failures

  @Test func tellsAFullDiskAtOnce() throws {
    let error = #expect(throws: AudioDeviceError.self) {
      _ = try WaveWriter(path: "/dev/full", format: .voice)
    }
    #expect(error?.code == .fileNotWritable)
    #expect(error?.number == Int(ENOSPC))
    #expect(error?.message.contains("no room") == true)
  }

  @Test func tellsAFullDiskLater() throws {
    var writer = try WaveWriter(path: folder.path("out.wav"), format: .voice, bufferDuration: .milliseconds(10))
    try write(numbers(100), &writer)
    // The disk fills up under the open file.
    let full = open("/dev/full", O_WRONLY)
    #expect(dup2(full, writer.file?.number ?? -1) >= 0)
    close(full)
    func failure(_ body: () throws -> Void) -> Int? {
      do {
        try body()
        return nil
      } catch {
        return (error as? AudioDeviceError)?.number
      }
    }
    #expect(failure { try write(numbers(1_000), &writer) } == Int(ENOSPC))
    #expect(failure { try write(numbers(1), &writer) } == Int(ENOSPC))
    #expect(failure { try writer.flush() } == Int(ENOSPC))
    #expect(failure { try writer.close() } == Int(ENOSPC))
    #expect(failure { try writer.close() } == nil)
    #expect(code { try write(numbers(1), &writer) } == .invalidState)
  }

  @Test func closeTellsWhatTheBufferMet() throws {
    var writer = try WaveWriter(path: folder.path("out.wav"), format: .voice)
    try write(numbers(100), &writer)
    let full = open("/dev/full", O_WRONLY)
    #expect(dup2(full, writer.file?.number ?? -1) >= 0)
    close(full)
    #expect(code { try writer.close() } == .fileNotWritable)
  }

  @Test func refusesWhereNoFileCanBe() throws {
    let fifo = folder.path("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    let reading = open(fifo, O_RDONLY | O_NONBLOCK)
    defer { close(reading) }
    #expect(code { _ = try WaveWriter(path: fifo, format: .voice) } == .fileNotWritable)
    #expect(code { _ = try WaveWriter(path: folder.url.path, format: .voice) } == .fileNotWritable)
    #expect(code { _ = try WaveWriter(path: folder.path("no/out.wav"), format: .voice) } == .fileNotFound)
    #expect(code { _ = try WaveWriter(path: "", format: .voice) } == .invalidArgument)
  }

  @Test func refusesHalfFrames() throws {
    var writer = try WaveWriter(path: folder.path("out.wav"), format: .stereo)
    #expect(code { try write(numbers(3), &writer) } == .invalidArgument)
  }
}
