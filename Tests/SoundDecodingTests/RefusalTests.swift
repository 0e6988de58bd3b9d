#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import SoundDecoding
  import Testing

  /// What is no MP3 file is refused with an error that names it, before anything can block.
  @Suite struct RefusalTests {
    let folder: SoundFolder

    init() throws { folder = try SoundFolder() }

    private func expectRefusal(
      _ path: String, _ code: AudioDeviceError.Code, _ words: String, location: SourceLocation = #_sourceLocation
    ) {
      let start = ContinuousClock.now
      #expect(sourceLocation: location) {
        _ = try MP3Decoder(path: path)
      } throws: { error in
        guard let error = error as? AudioDeviceError else { return false }
        #expect(error.message.contains(words), sourceLocation: location)
        #expect(error.message.contains("\"\(path.prefix(300))"), sourceLocation: location)
        return error.code == code
      }
      #expect(ContinuousClock.now - start < .seconds(5), sourceLocation: location)
    }

    @Test func pathsThatLeadNowhere() throws {
      let file = try folder.file(Array("x".utf8))
      let name = String(repeating: "n", count: 256)
      expectRefusal(folder.url.path + "/none.mp3", .fileNotFound, "does not exist")
      expectRefusal(file + "/none.mp3", .fileNotFound, "does not exist")
      expectRefusal(folder.url.path + "/" + name, .fileNotFound, "too long")
      expectRefusal(String(repeating: "/x", count: 4_000), .fileNotFound, "too long")
      expectRefusal("", .invalidArgument, "not the name of a file")
      // C would read "…/1-sound.mp3", which exists.
      expectRefusal(file + "\0.mp3", .invalidArgument, "not the name of a file")
      let loop = folder.path()
      #expect(symlink(loop, loop) == 0)
      expectRefusal(loop, .fileNotReadable, "symbolic link")
    }

    @Test func whatIsNoRegularFile() throws {
      expectRefusal(folder.url.path, .fileNotReadable, "is a folder")
      let pipe = folder.path()
      #expect(mkfifo(pipe, 0o600) == 0)
      expectRefusal(pipe, .fileNotReadable, "is a pipe")
      let link = folder.path()
      #expect(symlink(pipe, link) == 0)
      expectRefusal(link, .fileNotReadable, "is a pipe")
      for device in ["/dev/null", "/dev/zero", "/dev/tty"] { expectRefusal(device, .fileNotReadable, "is a device") }
      expectRefusal("/proc/self/status", .fileFormatNotSupported, "is empty")
    }

    @Test func aSocket() throws {
      // An address holds 107 bytes of a path.
      let path = "/tmp/\(UUID().uuidString)"
      defer { unlink(path) }
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(status == 0)
      expectRefusal(path, .fileNotReadable, "is a socket")
    }

    /// Root may read everything, so the thread becomes nobody for a moment.
    @Test func filesAndFoldersWithoutPermission() throws {
      let path = try folder.mp3(.tone(440, for: .milliseconds(200)))
      let setUser = try #require(dlsym(nil, "setfsuid"))
      let setFileSystemUser = unsafeBitCast(setUser, to: (@convention(c) (UInt32) -> Int32).self)
      for (locked, mode) in [(path, mode_t(0)), (folder.url.path, mode_t(0o600))] {
        #expect(chmod(locked, mode) == 0)
        _ = setFileSystemUser(65_534)
        expectRefusal(path, .fileNotReadable, "permissions")
        _ = setFileSystemUser(geteuid())
        #expect(chmod(locked, 0o700) == 0)
      }
      #expect(try decode(path).frameCount == 9_600)
    }

    @Test func filesOfAnotherKind() throws {
      expectRefusal(try folder.file([]), .fileFormatNotSupported, "is empty")
      expectRefusal(try folder.file(Array("Not a sound.\n".utf8)), .fileFormatNotSupported, "no MP3 file")
      expectRefusal(try folder.file([0xFF]), .fileFormatNotSupported, "no MP3 file")
      let text = (0..<2_000).map { "Line \($0) of a text that is longer than any search.\n" }.joined()
      expectRefusal(try folder.file(Array(text.utf8)), .fileFormatNotSupported, "no MP3 file")
      // UTF-16 begins with twelve set bits, as a frame does.
      expectRefusal(
        try folder.file([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
        .fileFormatNotSupported, "no MP3 file")
      expectRefusal(
        try folder.file([0x89] + Array("PNG\r\n\u{1A}\n".utf8) + pseudoRandom(200_000)), .fileFormatNotSupported,
        "no MP3 file")
      expectRefusal(
        try folder.file(folder.wave(.tone(440, for: .seconds(2)))), .fileFormatNotSupported, "is a WAV file")
      expectRefusal(
        try folder.file([0, 0, 0, 0x20] + Array("ftypM4A ".utf8) + pseudoRandom(50_000)), .fileFormatNotSupported,
        "is an MP4 file")
      for byte in [UInt8(0), 0x55, 0xFF] {
        expectRefusal(
          try folder.file([UInt8](repeating: byte, count: 2_000_000)), .fileFormatNotSupported, "no MP3 file")
      }
      expectRefusal(try folder.file(pseudoRandom(2_000_000, seed: 9)), .fileFormatNotSupported, "no MP3 file")
    }

    @Test func theTestProgramItself() throws {
      // Programs are full of set bits.
      expectRefusal(try #require(Bundle.main.executablePath), .fileFormatNotSupported, "no MP3")
    }

    @Test func mp3FilesThatEndTooSoon() throws {
      let plain = try bytes(folder.mp3(.tone(440, for: .seconds(1)), ["--cbr", "-b", "64"]))
      for count in [4, 5, 191, 192, 383] {
        expectRefusal(try folder.file(Array(plain[..<count])), .fileFormatNotSupported, "cut off")
      }
      // The tag and one frame, of which the delay takes all but 47 samples.
      #expect(try decode(folder.file(Array(plain[..<384]))).frameCount == 1152 - 1105)
      let header: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 1, 0, 0]
      expectRefusal(try folder.file(header), .fileFormatNotSupported, "cut off")
      expectRefusal(try folder.file(header + pseudoRandom(16_000)), .fileFormatNotSupported, "cut off")
    }

    @Test func mpegAudioThatIsNoOrdinaryMP3() throws {
      let free = try folder.mp3(.tone(440, for: .seconds(1)), ["--freeformat", "-b", "200"])
      expectRefusal(free, .fileFormatNotSupported, "free-format")
      // 192 kbit/s at 48 kHz is 576 bytes in layer II, and half of that (384 samples) in layer I at 384 kbit/s.
      for (layer, mark, size) in [(2, [0xFF, 0xFD, 0xA4, 0xC0], 576), (1, [0xFF, 0xFF, 0xC4, 0xC0], 384)] {
        let frame = mark.map(UInt8.init) + [UInt8](repeating: 0, count: size - 4)
        let path = try folder.file((0..<20).flatMap { _ in frame })
        expectRefusal(path, .fileFormatNotSupported, "layer \(layer)")
      }
    }
  }
#endif
