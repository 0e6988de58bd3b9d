#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import SoundDecoding
  import Testing

  @Suite struct LoopingSoundTests {
    @Test(arguments: [1, 2]) func keepsARingFullAcrossTheSeams(channels: Int) throws {
      let folder = try SoundFolder()
      let format = try AudioFormat(sampleRate: 48_000, channelCount: channels)
      let path = try folder.mp3(sweep(format, frames: 5_000))
      let decoded = try decode(path)
      let ring = SampleRing<Int16>(minimumCapacity: 4_096)
      var sound = try LoopingSound(path: path)
      var played: [Int16] = []
      while played.count < 12 * 5_000 * channels {
        #expect(try sound.fill(ring) >= 0)
        #expect(ring.availableToWrite == 0)
        var period = [Int16](repeating: 0, count: 480 * channels)
        var span = period.mutableSpan
        #expect(ring.read(into: &span) == period.count)
        played += period
      }
      let expected = (0..<played.count).map { decoded.samples[$0 % decoded.samples.count] }
      #expect(played == expected)
      #expect(sound.completedPasses >= 11)
    }

    @Test func addsNoMoreThanAskedAndWholeFramesOnly() throws {
      let folder = try SoundFolder()
      let format = try AudioFormat(sampleRate: 44_100, channelCount: 2)
      let path = try folder.mp3(sweep(format, frames: 5_000))
      let decoded = try decode(path)
      let ring = SampleRing<Int16>(minimumCapacity: 16)
      var sound = try LoopingSound(path: path)
      #expect(try sound.fill(ring, atMost: 3) == 3)
      #expect(try sound.fill(ring, atMost: 0) == 0)
      #expect(try sound.fill(ring, atMost: -1) == 0)
      #expect(ring.availableToRead == 6)
      // A sample that somebody else left does not split a frame.
      #expect(ring.discard(1) == 1)
      #expect(try sound.fill(ring) == 5)
      #expect(ring.availableToRead == 15)
      var samples = [Int16](repeating: 0, count: 16)
      var span = samples.mutableSpan
      #expect(ring.read(into: &span) == 15)
      #expect(samples[..<15] == decoded.samples[1..<16])
    }

    /// A period of a tone fits the loop exactly, so that any sample too many or too few is a click.
    @Test(arguments: [16_000, 44_100, 48_000]) func aToneGoesOnAcrossTheSeam(rate: Int) throws {
      let folder = try SoundFolder()
      let format = try AudioFormat(sampleRate: rate, channelCount: 1)
      let tone = Signal.tone(Double(rate) / 100, for: .seconds(1), format: format)
      var sound = try LoopingSound(path: try folder.mp3(tone, ["--cbr", "-b", "160"]))
      let loop = try play(&sound, frames: 3 * rate)
      // The encoder does not know that the sound goes on, so at the edges it is a little off.
      #expect(fidelity(tone + tone + tone, loop) > 25)
      #expect(loop.clicks(inTone: Double(rate) / 100, tolerance: 600).isEmpty)
    }

    @Test func movesToAnotherThread() throws {
      let folder = try SoundFolder()
      let path = try folder.mp3(sweep(.voice, frames: 10_000))
      let decoded = try decode(path)
      let ring = SampleRing<Int16>(minimumCapacity: 1 << 15)
      let sound = Locked(try LoopingSound(path: path))
      let thread = try RealtimeThread(name: "test-decoder", scheduling: .normal) {
        _ = sound.withLock { try? $0.fill(ring, atMost: 20_000) }
      }
      thread.join()
      var samples = [Int16](repeating: 0, count: 20_000)
      var span = samples.mutableSpan
      #expect(ring.read(into: &span) == 20_000)
      #expect(samples == decoded.samples + decoded.samples)
    }

    @Test func aFileThatIsEmptiedWhileItPlaysIsAnError() throws {
      let folder = try SoundFolder()
      // More than is read ahead.
      let path = try folder.mp3(sweep(.voice, frames: 48_000 * 8), ["--cbr", "-b", "320"])
      var sound = try LoopingSound(path: path)
      #expect(try play(&sound, frames: 10_000).rmsLevel > -30)
      #expect(truncate(path, 0) == 0)
      #expect {
        while sound.completedPasses < 4 { _ = try play(&sound, frames: 48_000) }
      } throws: { error in
        guard let error = error as? AudioDeviceError else { return false }
        return error.code == .fileNotReadable && error.message.contains(path)
      }
      #expect(sound.completedPasses <= 2)
    }
  }
#endif
