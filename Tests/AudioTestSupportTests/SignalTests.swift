import AudioDeviceCore
import AudioTestSupport
import Testing

@Suite struct SignalTests {
  @Test(arguments: [50, 97.3, 440, 1_000, 3_333.3, 11_025, 19_000], [AudioFormat.voice, .stereo])
  func findsTheFrequencyToOnePerMille(frequency: Double, format: AudioFormat) throws {
    let tone = Signal.tone(frequency, level: -30, for: .milliseconds(500), format: format)
    let found = try #require(tone.dominantFrequency(channel: format.channelCount - 1))
    #expect(abs(found / frequency - 1) < 0.001)
  }

  @Test func hearsTheStrongerTone() throws {
    let weak = Signal.tone(700, level: -30, for: .seconds(1))
    let strong = Signal.tone(1_900, level: -12, for: .seconds(1))
    let mixed = Signal(zip(weak.samples, strong.samples).map { $0 + $1 }, format: .voice)
    let found = try #require(mixed.dominantFrequency())
    #expect(abs(found - 1_900) < 1.9)
    #expect(abs(mixed.toneLevel(at: 700) + 30) < 0.1)
    #expect(abs(mixed.toneLevel(at: 1_900) + 12) < 0.1)
    #expect(mixed.toneLevel(at: 1_300) < -70)
  }

  @Test func hearsAToneBetweenHoles() {
    let part = Signal.tone(1_000, level: -20, for: .milliseconds(230), format: .stereo)
    let torn = part + .silence(.milliseconds(30), format: .stereo) + part
    #expect(torn.hasTone(1_000, level: -20, channel: 1))
    #expect(!torn.hasTone(1_002, level: -20))
    #expect(!torn.hasTone(1_000, level: -21))
    #expect(!torn.hasTone(2_000, level: -20))
    #expect(!torn.frames(0..<4_000).hasTone(1_000, level: -20))
    #expect(!Signal.silence(.seconds(1)).hasTone(1_000, level: -20))
  }

  @Test func measuresLevels() {
    let tone = Signal.tone(1_000, level: -6, for: .seconds(1))
    #expect(abs(tone.peakLevel + 6) < 0.01)
    #expect(abs(tone.rmsLevel + 9.01) < 0.01)
    #expect(Signal.silence(.seconds(1)).rmsLevel == -.infinity)
    #expect(Signal.silence(.seconds(1)).isSilent())
    #expect(Signal.silence(.seconds(1)).dominantFrequency() == nil)
    #expect(!tone.isSilent(below: -10))
    #expect(tone.isSilent(below: -5))
    #expect(Signal([.min], format: .voice).peakLevel == 0)
  }

  @Test func findsSilences() {
    let tone = Signal.tone(997, for: .milliseconds(100))
    let signal = tone + .silence(.milliseconds(20)) + tone + .silence(.milliseconds(3))
    let found = signal.silences(longerThan: .milliseconds(10))
    #expect(found.count == 1)
    // The tone's first sample is a zero as well.
    #expect(found.first == 4_800..<5_761)
    #expect(signal.silences(longerThan: .milliseconds(2)).count == 2)
  }

  @Test func findsImpulses() {
    let signal = Signal.impulses(every: .milliseconds(100), for: .milliseconds(350), format: .stereo)
    #expect(signal.onsets() == [0, 4_800, 9_600, 14_400])
  }

  @Test func findsClicksInATone() {
    var tone = Signal.tone(1_000, level: -6, for: .seconds(1))
    #expect(tone.clicks().isEmpty)
    tone.samples.removeSubrange(10_000..<10_007)
    tone.samples[30_000] += 500
    #expect(tone.clicks(inTone: 1_000) == [10_000, 30_000])
  }

  @Test func takesChannelsAndPartsAndFindsThem() {
    let signal = Signal([1, -1, 2, -2, 3, -3, 4], format: .stereo)
    #expect(signal.frameCount == 3)
    #expect(signal.channel(1) == [-1, -2, -3])
    #expect(signal.frames(1..<9).samples == [2, -2, 3, -3])
    #expect(signal.firstOccurrence(of: signal.frames(1..<3)) == 1)
    #expect(signal.firstOccurrence(of: Signal([-1, 2], format: .stereo)) == nil)
    #expect(Signal(littleEndian: [0x34, 0x12, 0xff, 0xff, 9], format: .voice).samples == [0x1234, -1])
  }
}
