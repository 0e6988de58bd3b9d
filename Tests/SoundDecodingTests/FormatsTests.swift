#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import SoundDecoding
  import Testing

  /// Every rate, layout and way of coding: what comes out is what went in, to the sample, once and in a loop.
  @Suite struct FormatsTests {
    struct Coding: CustomTestStringConvertible, Sendable {
      let rate: Int
      let channels: Int
      let options: [String]
      var testDescription: String { "\(rate) Hz, \(channels) ch, \(options.joined(separator: " "))" }
    }

    static let codings: [Coding] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000].flatMap {
      rate in
      [
        Coding(rate: rate, channels: 1, options: ["--cbr", "-b", "64"]),
        Coding(rate: rate, channels: 1, options: ["-V", "2"]),
        Coding(rate: rate, channels: 1, options: ["--abr", "56"]),
        Coding(rate: rate, channels: 2, options: ["--cbr", "-b", "64", "-m", "j"]),
        Coding(rate: rate, channels: 2, options: ["-V", "3", "-m", "s"]),
        Coding(rate: rate, channels: 2, options: ["--abr", "60", "-m", "j", "-p"]),
      ]
    }

    @Test(arguments: codings) func decodesWhatWasEncodedAndLoopsWithoutASeam(coding: Coding) throws {
      let folder = try SoundFolder()
      let format = try AudioFormat(sampleRate: coding.rate, channelCount: coding.channels)
      // No multiple of anything in the coding.
      let source = sweep(format, frames: coding.rate * 7 / 10 + 131)
      let path = try folder.mp3(source, coding.options)

      var decoder = try MP3Decoder(path: path)
      #expect(decoder.format == format)
      #expect(decoder.lengthInFrames == source.frameCount)
      let decoded = try decodeRest(of: &decoder)
      #expect(decoded.frameCount == source.frameCount)
      // A shift by one sample costs more: a sweep has no period.
      #expect(fidelity(source, decoded) > 15)

      // The same library behind a program that has looped music without gaps for decades.
      let reference = try Subprocess.run(["mpg123", "-q", "-s", path])
      #expect(Signal(littleEndian: reference.bytes, format: format) == decoded)

      var sound = try LoopingSound(path: path)
      let loop = try play(&sound, frames: 3 * source.frameCount)
      #expect(loop == decoded + decoded + decoded)
      #expect(sound.completedPasses == 2)

      // From the end, and from the middle of what a frame decodes to.
      try decoder.rewind()
      var some = [Int16](repeating: 0, count: 100 * coding.channels)
      var span = some.mutableSpan
      #expect(try decoder.read(into: &span) == 100)
      #expect(some == Array(decoded.samples[..<some.count]))
      try decoder.rewind()
      #expect(try decodeRest(of: &decoder, piece: 4000) == decoded)
    }

    @Test(arguments: [(44_100, 2), (24_000, 1), (8_000, 1)]) func agreesWithAnotherDecoder(rate: Int, channels: Int)
      throws
    {
      let folder = try SoundFolder()
      let format = try AudioFormat(sampleRate: rate, channelCount: channels)
      let path = try folder.mp3(sweep(format, frames: rate), ["--cbr", "-b", "64"])
      let target = folder.path("decoded.raw")
      try Subprocess.check(["lame", "--quiet", "--decode", "-t", path, target])
      let other = Signal(littleEndian: try bytes(target), format: format)
      let decoded = try decode(path)
      #expect(other.frameCount == decoded.frameCount)
      let largest = zip(other.samples, decoded.samples).map { abs(Int($0) - Int($1)) }.max()
      #expect((largest ?? .max) <= 2)
    }

    /// Without the tag nobody can tell the padding from the sound: all that the frames hold is played.
    @Test(arguments: [(44_100, 1152), (16_000, 576)]) func playsAllOfAFileWithoutATag(rate: Int, framesPerBlock: Int)
      throws
    {
      let folder = try SoundFolder()
      let format = try AudioFormat(sampleRate: rate, channelCount: 1)
      let source = sweep(format, frames: rate)
      let path = try folder.mp3(source, ["--cbr", "-b", "64", "-t"])
      var decoder = try MP3Decoder(path: path)
      #expect(decoder.lengthInFrames == nil)
      let decoded = try decodeRest(of: &decoder)
      #expect(decoded.frameCount.isMultiple(of: framesPerBlock))
      #expect(decoded.frameCount > source.frameCount)
      #expect(decoded.frameCount < source.frameCount + 3 * framesPerBlock + 1105)
      // lame's delay of 576 and the decoder's of 529.
      #expect(fidelity(source, decoded.frames(1105..<decoded.frameCount)) > 15)
      var sound = try LoopingSound(path: path)
      #expect(try play(&sound, frames: 3 * decoded.frameCount) == decoded + decoded + decoded)
    }

    @Test func readsIntoRoomOfAnySize() throws {
      let folder = try SoundFolder()
      let format = try AudioFormat(sampleRate: 22_050, channelCount: 2)
      let path = try folder.mp3(sweep(format, frames: 9_000))
      let decoded = try decode(path)
      for piece in [1, 2, 576, 1152, 9_000, 20_000] {
        var decoder = try MP3Decoder(path: path)
        #expect(try decodeRest(of: &decoder, piece: piece) == decoded, "\(piece)")
      }
      // Half a frame is left alone.
      var decoder = try MP3Decoder(path: path)
      var samples: [Int16] = [7, 7, 7, 7, 7]
      var span = samples.mutableSpan
      #expect(try decoder.read(into: &span) == 2)
      #expect(samples == Array(decoded.samples[..<4]) + [7])
      var none: [Int16] = [7]
      #expect { try read(&decoder, &none) } throws: { ($0 as? AudioDeviceError)?.code == .invalidArgument }
      #expect(none == [7])
    }

    private func read(_ decoder: inout MP3Decoder, _ samples: inout [Int16]) throws {
      var span = samples.mutableSpan
      _ = try decoder.read(into: &span)
    }
  }
#endif
