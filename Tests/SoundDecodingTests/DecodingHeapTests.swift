#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import SoundDecoding
  import XCTest

  /// What decoding asks of the heap. In XCTest, because Swift Testing allocates at each `throw`.
  final class DecodingHeapTests: XCTestCase {
    func testReadingDoesNotAllocate() throws {
      let folder = try SoundFolder()
      for options in [["--cbr", "-b", "64"], ["-V", "3"], ["-t", "--abr", "64"]] {
        let format = try AudioFormat(sampleRate: 44_100, channelCount: 2)
        let path = try folder.mp3(sweep(format, frames: 50_000), options)
        // What the language makes on first use.
        _ = try decode(path)
        var decoder = try MP3Decoder(path: path)
        var buffer = [Int16](repeating: 0, count: 882)
        for pass in 0..<3 {
          var frames = 0
          let reading = try heapCalls {
            while true {
              var span = buffer.mutableSpan
              let count = try decoder.read(into: &span)
              if count == 0 { break }
              frames += count
            }
          }
          XCTAssertGreaterThanOrEqual(frames, 50_000)
          // After a rewind libmpg123 keeps the table of contents of the information tag anew.
          XCTAssertLessThanOrEqual(reading.total, pass == 0 ? 0 : 1, "\(options), pass \(pass)")
          let rewinding = try heapCalls { try decoder.rewind() }
          // The first time it sets up the buffers that it is fed through.
          if pass > 0 { XCTAssertLessThanOrEqual(rewinding.total, 1, "\(options), pass \(pass)") }
        }
      }
    }

    func testALoopFillsItsRingWithoutAllocating() throws {
      let folder = try SoundFolder()
      var sound = try LoopingSound(path: try folder.mp3(sweep(.voice, frames: 20_000)))
      let ring = SampleRing<Int16>(minimumCapacity: 4_096)
      while sound.completedPasses < 2 {
        _ = ring.discard(1_000)
        try sound.fill(ring)
      }
      let filling = try heapCalls {
        while sound.completedPasses < 12 {
          _ = ring.discard(1_000)
          try sound.fill(ring)
        }
      }
      // The table of contents, made and dropped once a pass.
      XCTAssertLessThanOrEqual(filling.total, 2 * 10)
    }
  }
#endif
