#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import SoundDecoding
  import Testing

  @Suite struct DamageTests {
    let folder: SoundFolder
    let tone = Signal.tone(1_000, level: -20, for: .seconds(2))
    let plain: [UInt8]

    init() throws {
      folder = try SoundFolder()
      plain = try bytes(folder.mp3(tone, ["--cbr", "-b", "96"]))
    }

    enum Garbage: CaseIterable {
      case noise, ones, zeros

      func bytes(_ count: Int, seed: Int) -> [UInt8] {
        switch self {
        case .noise: pseudoRandom(count, seed: UInt64(seed))
        case .ones: [UInt8](repeating: 0xFF, count: count)
        case .zeros: [UInt8](repeating: 0, count: count)
        }
      }
    }

    @Test(arguments: Garbage.allCases, [true, false])
    func playsOnBehindGarbage(garbage: Garbage, isInserted: Bool) throws {
      var generator = PseudoRandom(seed: 7)
      for round in 0..<6 {
        let position = Int.random(in: 3_000..<(plain.count - 9_000), using: &generator)
        let damage = garbage.bytes(4_096, seed: round)
        let rest = plain[(isInserted ? position : position + damage.count)...]
        let path = try folder.file(plain[..<position] + damage + rest)
        let decoded = try decode(path)
        // What was overwritten is lost, and a frame or two at the edges.
        let lost = isInserted ? 0 : tone.frameCount * damage.count / plain.count
        #expect(abs(tone.frameCount - lost - decoded.frameCount) <= 3 * 1152, "at \(position)")
        // What cannot be decoded any more is silence, not noise of any loudness.
        #expect(decoded.peakLevel < -17, "at \(position)")
        let end = decoded.frameCount
        for part in [decoded.frames(2_000..<8_000), decoded.frames((end - 10_000)..<(end - 2_000))] {
          #expect(abs(part.toneLevel(at: 1_000) - -20) < 0.5, "at \(position)")
        }
        var sound = try LoopingSound(path: path)
        #expect(try play(&sound, frames: 2 * decoded.frameCount) == decoded + decoded)
      }
    }

    /// What a decoder makes of a frame that lacks a part can be noise at full scale. Here it would be 20 dB above the
    /// sound.
    @Test(arguments: [["--cbr", "-b", "96"], ["-V", "2"]]) func framesThatLackAPartAreSilent(options: [String]) throws {
      let format = try AudioFormat(sampleRate: 44_100, channelCount: 1)
      let source = sweep(format, frames: 88_200, level: -30)
      let plain = try bytes(folder.mp3(source, options))
      var generator = PseudoRandom(seed: 5)
      for round in 0..<30 {
        let position = Int.random(in: 2_000..<(plain.count - 5_000), using: &generator)
        for rest in [plain[position...], plain[(position + 4_096)...]] {
          let damaged = Array(plain[..<position]) + pseudoRandom(4_096, seed: UInt64(round)) + rest
          #expect(try decode(folder.file(damaged)).peakLevel < -25, "at \(position)")
        }
      }
    }

    @Test func aFailureStaysUntilTheRewind() throws {
      let start = plain.count / 3 / 288 * 288
      let garbage = [UInt8](repeating: 0, count: 1_100_000)
      let path = try folder.file(Array(plain[..<start]) + garbage)
      var decoder = try MP3Decoder(path: path)
      var samples = [Int16](repeating: 0, count: 150_000)
      var span = samples.mutableSpan
      #expect(try decoder.read(into: &span) == (start / 288 - 1) * 1152 - 1105)
      // The file is whole again, but nobody was told that the sound went on.
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.write(contentsOf: plain)
      try file.close()
      #expect(throws: AudioDeviceError.self) { try decodeRest(of: &decoder) }
      try decoder.rewind()
      var again = samples.mutableSpan
      #expect(try decoder.read(into: &again) == tone.frameCount)
    }

    @Test func aCutOffFilePlaysToItsLastWholeFrame() throws {
      for count in [2_000, 9_999, plain.count - 300, plain.count - 1] {
        let path = try folder.file(Array(plain[..<count]))
        var decoder = try MP3Decoder(path: path)
        #expect(decoder.lengthInFrames == tone.frameCount)
        let decoded = try decodeRest(of: &decoder)
        // A frame is 288 bytes and 1152 samples; the first holds the tag, and the delays are trimmed.
        #expect(decoded.frameCount == min((count / 288 - 1) * 1152 - 1105, tone.frameCount))
        var sound = try LoopingSound(path: path)
        #expect(try play(&sound, frames: 2 * decoded.frameCount) == decoded + decoded)
      }
    }

    @Test(arguments: Garbage.allCases) func tooMuchGarbageIsAnErrorAfterWhatCameBefore(garbage: Garbage) throws {
      let start = plain.count / 3 / 288 * 288
      let path = try folder.file(plain[..<start] + garbage.bytes(1_100_000, seed: 3) + plain[start...])
      var decoder = try MP3Decoder(path: path)
      var samples = [Int16](repeating: 0, count: 150_000)
      for _ in 0..<2 {
        var span = samples.mutableSpan
        #expect(try decoder.read(into: &span) == (start / 288 - 1) * 1152 - 1105)
        for _ in 0..<2 {
          #expect { try decodeRest(of: &decoder) } throws: { error in
            guard let error = error as? AudioDeviceError else { return false }
            return error.code == .fileFormatNotSupported && error.message.contains(path)
          }
        }
        try decoder.rewind()
      }
      var sound = try LoopingSound(path: path)
      #expect(throws: AudioDeviceError.self) { try play(&sound, frames: 150_000) }
    }

    @Test func aMegabyteOfGarbageIsSkipped() throws {
      let start = plain.count / 3
      let path = try folder.file(plain[..<start] + pseudoRandom(1_000_000, seed: 4) + plain[start...])
      #expect(try abs(decode(path).frameCount - tone.frameCount) <= 3 * 1152)
    }

    @Test(arguments: [(44_100, 2, 22_050, 1), (22_050, 1, 44_100, 2), (48_000, 1, 8_000, 1), (32_000, 2, 44_100, 2)])
    func aSoundOfAnotherFormatBehindTheFirstKeepsItsPitch(
      rate: Int, channels: Int, otherRate: Int, otherChannels: Int
    ) throws {
      let format = try AudioFormat(sampleRate: rate, channelCount: channels)
      let other = try AudioFormat(sampleRate: otherRate, channelCount: otherChannels)
      let first = Signal.tone(440, for: .seconds(1), format: format)
      let second = Signal.tone(660, for: .seconds(2), format: other)
      let path = try folder.file(bytes(folder.mp3(first)) + bytes(folder.mp3(second)))
      var decoder = try MP3Decoder(path: path)
      #expect(decoder.format == format)
      let decoded = try decodeRest(of: &decoder)
      // Its padding is not trimmed, and its information tag is a frame like any other.
      #expect(abs(decoded.frameCount - 3 * rate) < 5 * 1152 * max(1, rate / otherRate))
      let (before, after) = (decoded.frames(0..<rate), decoded.frames((rate * 3 / 2)..<(rate * 5 / 2)))
      for channel in 0..<channels {
        #expect(abs((before.dominantFrequency(channel: channel) ?? 0) - 440) < 1)
        #expect(abs((after.dominantFrequency(channel: channel) ?? 0) - 660) < 1)
        #expect(abs(after.toneLevel(at: 660, channel: channel) - -12) < 1)
      }
      var sound = try LoopingSound(path: path)
      #expect(try play(&sound, frames: 2 * decoded.frameCount) == decoded + decoded)
    }
  }
#endif
