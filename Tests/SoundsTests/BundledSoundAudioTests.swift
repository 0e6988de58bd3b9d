#if MP3
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import SoundDecoding
  import Sounds
  import Testing

  /// What the bundled files sound like, by measurement.
  @Suite struct BundledSoundAudioTests {
    @Test(arguments: [(BundledSound.marimba, 6), (.classic, 3), (.ringback, 6)])
    func hasItsDurationAndLevelAndLoops(sound: BundledSound, seconds: Int) throws {
      let signal = try decode(sound, passes: 1)
      #expect(signal.duration == .seconds(seconds))
      #expect(signal.format == .voice)
      // No clipping, and none by what a resampler adds.
      #expect((-3.5 ... -2.5).contains(signal.peakLevel))
      // Both ends are silent, so the seam is no step.
      #expect(signal.frames(0..<240).peakLevel < -60)
      #expect(signal.frames((signal.frameCount - 480)..<signal.frameCount).peakLevel < -60)
      #expect(try decode(sound, passes: 3) == signal + signal + signal)
    }

    @Test func marimbaIsAMelody() throws {
      let signal = try decode(.marimba, passes: 1)
      // G4, B5 and the G5 at the end begin when their turn comes.
      for (start, frequency) in [(0.02, 391.995), (0.92, 987.767), (4.52, 783.991)] {
        let before = signal.frames(max(0, Int((start - 0.16) * 48_000))..<Int((start - 0.01) * 48_000))
        let after = signal.frames(Int((start + 0.01) * 48_000)..<Int((start + 0.16) * 48_000))
        #expect(after.toneLevel(at: frequency) > -20)
        #expect(after.toneLevel(at: frequency) - before.toneLevel(at: frequency) > 15)
      }
      // Gaps between notes are no pauses: it is heard all the time.
      #expect(signal.frames(0..<(48_000 * 5)).silences(longerThan: .milliseconds(100), below: -50).isEmpty)
    }

    @Test func classicRingsTwiceAndRests() throws {
      let signal = try decode(.classic, passes: 1)
      for ring in [0.02, 0.62] {
        let part = signal.frames(Int((ring + 0.1) * 48_000)..<Int((ring + 0.4) * 48_000))
        for gong in [1_044.0, 1_314.0] { #expect((-22 ... -6).contains(part.toneLevel(at: gong))) }
        #expect(part.toneLevel(at: 1_180) < -35)
      }
      // The rest between the rings, and the long one: from when the bell has died away.
      let level = signal.frames(28_000..<29_500).rmsLevel - signal.frames(10_000..<19_000).rmsLevel
      #expect(level < -6)
      let rests = signal.silences(longerThan: .milliseconds(500), below: -50)
      #expect(rests.count == 1 && rests.first?.upperBound == signal.frameCount)
    }

    @Test func ringbackHasTheNorthAmericanCadence() throws {
      let signal = try decode(.ringback, passes: 1)
      let on = signal.frames(4_800..<91_200)
      #expect(abs(on.toneLevel(at: 440) - on.toneLevel(at: 480)) < 0.3)
      #expect(abs(on.toneLevel(at: 440) - -9) < 0.5)
      for other in [400.0, 460.0, 520.0, 880.0] { #expect(on.toneLevel(at: other) < -60) }
      let rests = signal.silences(longerThan: .milliseconds(500), below: -60)
      #expect(rests.count == 1)
      let rest = try #require(rests.first)
      #expect(abs(rest.lowerBound - (2 * 48_000 + 960)) < 480 && rest.upperBound == 6 * 48_000)
      #expect(signal.frames(960..<(2 * 48_000)).clicks(inTone: 460, tolerance: 800).isEmpty)
    }

    private func decode(_ sound: BundledSound, passes: Int) throws -> Signal {
      let path = try sound.url().path
      let length = try #require(try MP3Decoder(path: path).lengthInFrames)
      var loop = try LoopingSound(path: path)
      var samples = [Int16](repeating: 1, count: length * passes * loop.format.channelCount)
      var span = samples.mutableSpan
      #expect(try loop.read(into: &span) == length * passes)
      return Signal(samples, format: loop.format)
    }
  }
#endif
