import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing
import VirtualBackend
import WaveFile

/// What virtual microphones hear, but for loopbacks.
@Suite struct SourceTests {
  let clock: ManualPeriodClock
  let folder: TemporaryFolder

  init() throws {
    clock = try ManualPeriodClock()
    folder = try TemporaryFolder()
  }

  /// What a microphone with a source gives in a time.
  private func hear(
    _ source: VirtualBackend.CaptureSource, _ format: AudioFormat = .voice, for duration: Duration
  ) throws -> [Int16] {
    let backend = try VirtualBackend(
      configuration: .init(speakers: [], microphones: [.init(source: source)]), clock: clock)
    let probe = Probe(clock)
    let stream = try backend.openStream(.capture(format), client: probe)
    try stream.start()
    #expect(clock.advance(by: duration))
    stream.close()
    #expect(stream.statistics.lostFrames == 0)
    return probe.captured
  }

  @Test func silence() throws {
    #expect(try hear(.silence, .stereo, for: .milliseconds(100)) == [Int16](repeating: 0, count: 9_600))
  }

  @Test(arguments: [(48_000, 1, 440.0, -20.0), (44_100, 2, 1_000, -6), (8_000, 1, 3_999, 0), (16_000, 1, 1, -3)])
  func tones(rate: Int, channels: Int, frequency: Double, level: Double) throws {
    let format = try AudioFormat(rate, channels)
    let heard = try hear(.tone(frequency: frequency, level: level), format, for: .seconds(2))
    #expect(heard.count == rate * channels * 2)
    let mono = channel(0, of: heard, format)
    let fit = SineFit(frequency, mono, rate: rate)
    #expect(abs(fit.level - level) < 0.01)
    #expect(abs(fit.phase) < 0.000_1)
    #expect(fit.signalToNoise > 60)
    if channels == 2 { #expect(channel(1, of: heard, format) == mono) }
  }

  @Test func refusesATonesThatTheRateCannotCarry() throws {
    let backend = try VirtualBackend(
      configuration: .init(speakers: [], microphones: [.init(source: .tone(frequency: 4_000, level: 0))]), clock: clock)
    let format = try AudioFormat(8_000, 1)
    #expect(code { _ = try backend.openStream(.capture(format), client: Probe(clock)) } == .formatNotSupported)
    #expect(backend.openStreams.isEmpty && backend.openedCount(.capture) == 0)
  }

  @Test func asksAFunction() throws {
    let times = Locked<[AudioInstant]>([])
    let count = Count()
    let format = try AudioFormat(22_050, 2)
    let start = clock.now
    let heard = try hear(
      .function { samples, told, time in
        times.withLock { $0.append(time) }
        #expect(told.sampleRate == 22_050 && samples.count == 440 && samples[7] == 0)
        samples[7] = Int16(count.add())
      }, format, for: .milliseconds(50))
    try #require(heard.count == 5 * 440)
    for index in 0..<5 { #expect(heard[index * 440 + 7] == index + 1) }
    #expect(heard.count { $0 != 0 } == 5)
    #expect(times.withLock { $0 } == (0..<5).map { start + format.duration(ofFrames: 220 * $0) })
  }

  // MARK: Files

  @Test func playsAFileOnceAndThenSilence() throws {
    let sound = numbers(48_000 * 3 + 123)
    let path = try folder.write(sound, .voice)
    let heard = try hear(.file(path: path, repeats: false), for: .seconds(5))
    #expect(heard.count == 48_000 * 5)
    #expect(heard.firstDifference(from: sound, at: 0) == nil)
    #expect(heard.firstOther(than: 0, from: sound.count) == nil)
  }

  @Test func repeatsAFileWithoutASeam() throws {
    let sound = numbers(1_234)
    let path = try folder.write(sound, .voice)
    let heard = try hear(.file(path: path, repeats: true), for: .seconds(20))
    #expect(heard.indices.first { heard[$0] != sound[$0 % 1_234] } == nil)
  }

  @Test(arguments: [(22_050, 2, 48_000, 1), (44_100, 1, 48_000, 2), (48_000, 2, 16_000, 1)])
  func convertsAFile(rate: Int, channels: Int, toRate: Int, toChannels: Int) throws {
    let (input, output) = (try AudioFormat(rate, channels), try AudioFormat(toRate, toChannels))
    // Whole waves, so that it goes on without a seam.
    let path = try folder.write(Signal.tone(1_000, level: -6, for: .seconds(1), format: input).samples, input)
    let heard = channel(0, of: try hear(.file(path: path, repeats: true), output, for: .seconds(3)), output)
    let fit = SineFit(1_000, heard.part((toRate / 2)..<(toRate * 5 / 2)), rate: toRate)
    #expect(fit.signalToNoise > 75, "\(fit.signalToNoise) dB")
    #expect(abs(fit.level + 6) < 0.01)
  }

  @Test func playsAConvertedFileToItsEnd() throws {
    let input = try AudioFormat(16_000, 1)
    let path = try folder.write([Int16](repeating: 1_000, count: 16_000), input)
    let heard = try hear(.file(path: path, repeats: false), for: .seconds(2))
    #expect(heard.count == 96_000)
    // One second of it, with the ripple of the filter at the ends.
    #expect(heard.part(100..<47_900).allSatisfy { abs(Int($0) - 1_000) < 60 })
    #expect(heard.part(from: 48_100).allSatisfy { abs(Int($0)) < 60 })
    #expect(heard.firstOther(than: 0, from: 48_000 + 96) == nil)
  }

  @Test func playsAnEmptyFileAsSilence() throws {
    let path = try folder.write([], .voice)
    #expect(try hear(.file(path: path, repeats: true), for: .milliseconds(50)).allSatisfy { $0 == 0 })
  }

  @Test func playsEveryStreamFromTheBeginning() throws {
    let path = try folder.write(numbers(48_000), .voice)
    let backend = try VirtualBackend(
      configuration: .init(speakers: [], microphones: [.init(source: .file(path: path, repeats: false))]), clock: clock)
    let (first, second) = (Probe(clock), Probe(clock))
    let one = try backend.openStream(.capture(), client: first)
    try one.start()
    #expect(clock.advance(by: .milliseconds(100)))
    let two = try backend.openStream(.capture(), client: second)
    try two.start()
    #expect(clock.advance(by: .milliseconds(100)))
    #expect(second.captured.count == 4_800)
    #expect(first.captured.firstDifference(from: second.captured, at: 0) == nil)
    one.close()
    two.close()
  }

  @Test func refusesAFileThatIsNone() throws {
    let noise = folder.path("noise")
    try Data("not a sound".utf8).write(to: URL(fileURLWithPath: noise))
    let refused: [(String, AudioDeviceError.Code)] = [
      (folder.path("no.wav"), .fileNotFound), (noise, .fileFormatNotSupported),
    ]
    for (path, expected) in refused {
      let backend = try VirtualBackend(
        configuration: .init(speakers: [], microphones: [.init(source: .file(path: path, repeats: false))]),
        clock: clock)
      #expect(code { _ = try backend.openStream(.capture(), client: Probe(clock)) } == expected)
      #expect(backend.openStreams.isEmpty)
    }
    // Nothing that the clock would wait for is left.
    #expect(clock.advance(by: .seconds(1), limit: .seconds(5)))
  }

  @Test func losesWhatAStallCosts() throws {
    let path = try folder.write(numbers(48_000), .voice)
    let backend = try VirtualBackend(
      configuration: .init(
        speakers: [],
        microphones: [
          .init(id: "file", source: .file(path: path, repeats: false)),
          .init(id: "tone", source: .tone(frequency: 440, level: -6)),
        ]), clock: clock)
    for id in ["file", "tone"] {
      let probe = Probe(clock)
      let stream = try backend.openStream(.capture(.voice, id), client: probe)
      try stream.start()
      #expect(clock.advance(by: .milliseconds(50)))
      #expect(backend.stallStreams(periods: 4) == 1)
      #expect(clock.advance(by: .milliseconds(100)))
      stream.close()
      let whole = id == "file" ? numbers(48_000) : Signal.tone(440, level: -6, for: .seconds(1)).samples
      #expect(probe.captured.count == 11 * 480)
      let expected = whole.part(0..<2_400) + whole.part((2_400 + 4 * 480)..<(15 * 480))
      // The phase of a tone may differ by a rounding.
      #expect(zip(probe.captured, expected).allSatisfy { abs(Int($0) - Int($1)) <= (id == "file" ? 0 : 1) })
      #expect(probe.notices == [.xrun])
      #expect(stream.statistics.xruns == 1 && stream.statistics.lostFrames == 4 * 480)
      // The time goes on over the gap.
      let times = probe.now.captureTimes.map(\.captured)
      try #require(times.count > 5)
      #expect(times[5] - times[4] == .milliseconds(50))
    }
  }
}
