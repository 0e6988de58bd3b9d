#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import SoundDecoding
  import Testing

  /// What stands around the sound does not change it.
  @Suite struct TagsTests {
    let folder: SoundFolder
    let plain: [UInt8]
    let decoded: Signal

    init() throws {
      folder = try SoundFolder()
      let path = try folder.mp3(sweep(.voice, frames: 30_000))
      plain = try bytes(path)
      decoded = try decode(path)
    }

    @Test func lamesOwnTagsAndA300KilobytePicture() throws {
      let picture = try folder.file([0x89] + Array("PNG\r\n\u{1A}\n".utf8) + pseudoRandom(300_000), "cover.png")
      let tags = ["--tt", "Ring", "--ta", "Nobody", "--ti", picture]
      for options in [["--add-id3v2"] + tags, ["--id3v1-only"] + tags, tags] {
        let path = try folder.mp3(sweep(.voice, frames: 30_000), ["--cbr", "-b", "64"] + options)
        #expect(try decode(path) == decoded, "\(options)")
        var sound = try LoopingSound(path: path)
        #expect(try play(&sound, frames: 60_000) == decoded + decoded)
      }
    }

    @Test func twoTagsInARowOneWithAFooter() throws {
      #expect(try decode(folder.file(id3(pseudoRandom(5_000)) + id3([], hasFooter: true) + plain)) == decoded)
    }

    @Test func tagsAtTheEnd() throws {
      let id3v1 = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
      // With a picture of more than the gap that is allowed between frames.
      let ape = ape(items: pseudoRandom(1_500_000))
      for tail in [id3v1, ape, ape + id3v1] {
        var decoder = try MP3Decoder(path: folder.file(plain + tail))
        #expect(try decodeRest(of: &decoder) == decoded)
      }
    }

    @Test func tagsThatLieAboutTheirSize() throws {
      var short = id3(pseudoRandom(40_000))
      short[8] = 0
      #expect(try decode(folder.file(short + plain)) == decoded)
      var ape = ape(items: [])
      ape[ape.count - 32 + 15] = 0xFF
      #expect(try decode(folder.file(plain + ape)) == decoded)
      var long = id3(pseudoRandom(100))
      long[6] = 0x7F
      #expect { _ = try decode(folder.file(long + plain)) } throws: { error in
        (error as? AudioDeviceError)?.code == .fileFormatNotSupported
      }
    }

    @Test func aTagBetweenTwoSounds() throws {
      let joined = try decode(folder.file(plain + id3(pseudoRandom(300_000)) + plain))
      #expect(joined.frames(0..<30_000) == decoded)
      // The second part is not trimmed: it comes after the frame that holds its information tag, which is silent, and
      // after the delays of the encoder and the decoder.
      let start = 30_000 + 1152 + 576 + 529
      #expect(fidelity(decoded, joined.frames(start..<(start + 30_000))) > 40)
    }

    @Test func aWaveFileWithMP3Inside() throws {
      let header = Array(folder.wave(decoded).prefix(44))
      #expect(try decode(folder.file(header + plain)) == decoded)
    }

    private func id3(_ body: [UInt8], hasFooter: Bool = false) -> [UInt8] {
      let size = [21, 14, 7, 0].map { UInt8(body.count >> $0 & 0x7F) }
      let mark: [UInt8] = [4, 0, hasFooter ? 0x10 : 0] + size
      return Array("ID3".utf8) + mark + body + (hasFooter ? Array("3DI".utf8) + mark : [])
    }

    private func ape(items: [UInt8]) -> [UInt8] {
      func mark(isHeader: Bool) -> [UInt8] {
        let size = [0, 8, 16, 24].map { UInt8((items.count + 32) >> $0 & 0xFF) }
        return Array("APETAGEX".utf8) + [0xD0, 7, 0, 0] + size + [1, 0, 0, 0, 0, 0, 0, isHeader ? 0xA0 : 0x80]
          + [UInt8](repeating: 0, count: 8)
      }
      return mark(isHeader: true) + items + mark(isHeader: false)
    }
  }
#endif
