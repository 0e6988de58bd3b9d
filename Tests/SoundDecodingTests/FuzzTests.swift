#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import SoundDecoding
  import Testing

  /// Files that were broken on purpose, the same ones each time: whatever is in a file, opening and reading it ends.
  @Suite(.serialized, .timeLimit(.minutes(3))) struct FuzzTests {
    let folder: SoundFolder
    let originals: [[UInt8]]

    init() throws {
      folder = try SoundFolder()
      let codings: [(rate: Int, channels: Int, options: [String])] = [
        (48_000, 1, ["--cbr", "-b", "64"]), (44_100, 2, ["-V", "4"]), (16_000, 1, ["-t", "--abr", "32"]),
        (8_000, 2, ["-p", "--cbr", "-b", "32", "--add-id3v2", "--tt", "Ring"]),
      ]
      originals = try codings.map { [folder] coding in
        let format = try AudioFormat(sampleRate: coding.rate, channelCount: coding.channels)
        return try bytes(folder.mp3(sweep(format, frames: coding.rate / 2), coding.options))
      }
    }

    @Test(arguments: Mutation.allCases) func everyBrokenFileComesToAnEnd(mutation: Mutation) throws {
      var generator = PseudoRandom(seed: 42)
      var decoded = 0
      for round in 0..<64 {
        var bytes = originals[round % originals.count]
        let other = originals[Int.random(in: 0..<originals.count, using: &generator)]
        mutation.apply(to: &bytes, other: other, using: &generator)
        if try readAll(bytes, name: "\(mutation)-\(round).mp3") { decoded += 1 }
      }
      // Were all of them refused, the decoder would not have been tried.
      #expect(decoded > 20)
    }

    /// Opens, reads to the end, reads again, and loops.
    ///
    /// - Returns: Whether there was sound in it.
    private func readAll(_ bytes: [UInt8], name: String) throws -> Bool {
      let path = try folder.file(bytes, name)
      // The smallest frame is 24 bytes, the largest conversion of the rate is sixfold.
      let limit = (bytes.count / 24 + 2) * 1152 * 6
      do {
        var decoder = try MP3Decoder(path: path)
        let first = try decodeRest(of: &decoder, piece: 4096)
        #expect(first.frameCount > 0 && first.frameCount <= limit, "\(name)")
        // The samples may be others the next time: out of a frame whose side information is broken libmpg123 makes, now
        // and then, what was in its memory.
        try decoder.rewind()
        #expect(try decodeRest(of: &decoder, piece: 4096).frameCount == first.frameCount, "\(name)")
        var sound = try LoopingSound(path: path)
        _ = try play(&sound, frames: first.frameCount * 2 + 1, piece: 4096)
        #expect(sound.completedPasses == 2, "\(name)")
        return true
      } catch let error as AudioDeviceError {
        #expect(error.code == .fileFormatNotSupported, "\(name): \(error)")
        #expect(error.message.contains(name))
        return false
      }
    }

    /// A file of a terabyte, of which all but the beginning is a hole.
    @Test func aHugeHole() throws {
      let path = try folder.file(originals[0])
      #expect(truncate(path, 1 << 40) == 0)
      #expect(throws: AudioDeviceError.self) { _ = try decode(path) }
    }

    /// Headers that lead on seven times of the eight that it takes, everywhere.
    @Test func headersThatAlmostHoldTogether() throws {
      let header: [UInt8] = [0xFF, 0xFB, 0x54, 0xC0]
      var bytes: [UInt8] = []
      while bytes.count < 2_000_000 {
        for _ in 0..<(7 * 192 / 4) { bytes += header }
        bytes += [0]
      }
      #expect(throws: AudioDeviceError.self) { _ = try decode(folder.file([0] + bytes)) }
      // Behind a stream of another rate.
      #expect(throws: AudioDeviceError.self) { _ = try decode(folder.file(originals[1] + [0] + bytes)) }
    }

    /// libmpg123 writes to the standard error, unless told not to, and where it does not heed that must not be led.
    @Test func nothingIsPrinted() throws {
      let log = folder.path("log")
      let descriptor = open(log, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      let standardError = dup(2)
      #expect(descriptor >= 0 && standardError >= 0)
      dup2(descriptor, 2)
      var generator = PseudoRandom(seed: 1)
      for mutation in Mutation.allCases {
        for original in originals {
          var bytes = original
          mutation.apply(to: &bytes, other: originals[0], using: &generator)
          _ = try? decode(folder.file(bytes))
        }
      }
      _ = try? decode(folder.file(originals[0][..<2_000] + pseudoRandom(1_000_000) + originals[0][2_000...]))
      dup2(standardError, 2)
      close(descriptor)
      close(standardError)
      let printed = String(decoding: try bytes(log), as: UTF8.self)
      // Other tests may have printed meanwhile.
      for word in ["mpg123", "Note: ", "Warning: ", "stereo boundary"] {
        #expect(!printed.contains(word), "\(printed)")
      }
    }

    enum Mutation: CaseIterable {
      case bits, noise, end, hole, repetition, headers, beginning, splice

      func apply(to bytes: inout [UInt8], other: [UInt8], using generator: inout PseudoRandom) {
        func position(_ count: Int) -> Int { Int.random(in: 0..<max(count, 1), using: &generator) }
        func range(_ count: Int, longest: Int) -> Range<Int> {
          let start = position(count)
          return start..<min(count, start + position(longest))
        }
        switch self {
        case .bits:
          for _ in 0...position(60) { bytes[position(bytes.count)] ^= 1 << UInt8(position(8)) }
        case .noise:
          let target = range(bytes.count, longest: 2_000)
          bytes.replaceSubrange(target, with: pseudoRandom(target.count, seed: generator.next()))
        case .end:
          bytes.removeLast(position(bytes.count))
        case .hole:
          bytes.removeSubrange(range(bytes.count, longest: 2_000))
        case .repetition:
          let part = Array(bytes[range(bytes.count, longest: 4_000)])
          bytes.insert(contentsOf: part + part, at: position(bytes.count))
        case .headers:
          for _ in 0..<40 {
            let target = position(bytes.count - 4)
            let marks: [UInt8] = [0xFB, 0xFA, 0xF3, 0xF2, 0xE3, 0xFD, 0xFF]
            bytes[target] = 0xFF
            bytes[target + 1] = marks[position(marks.count)]
            bytes[target + 2] = UInt8(position(256))
          }
        case .beginning:
          // The tags, the encoder's frame count, delay and padding.
          for _ in 0...position(20) { bytes[position(min(bytes.count, 250))] = UInt8(position(256)) }
        case .splice:
          bytes.replaceSubrange(position(bytes.count)..., with: other[position(other.count)...])
        }
      }
    }
  }
#endif
