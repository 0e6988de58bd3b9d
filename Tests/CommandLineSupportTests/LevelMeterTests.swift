import AudioTestSupport
import Testing

@testable import CommandLineSupport

@Suite struct LevelMeterTests {
  @Test func measuresEachChannel() throws {
    let meter = LevelMeter(channelCount: 2)
    let left = Signal.tone(1000, level: -6, for: .seconds(1))
    // The right channel is silent.
    let samples = left.samples.flatMap { sample -> [Int16] in [sample, 0] }
    meter.add(samples.span)
    let reading = meter.take()
    #expect(reading.frames == 48_000)
    #expect(abs(reading.peaks[0] + 6) < 0.01)
    #expect(abs(reading.means[0] + 9.01) < 0.01)
    #expect(reading.peaks[1] == -.infinity && reading.means[1] == -.infinity)
    #expect(reading.peak == reading.peaks[0] && reading.mean == reading.means[0])
  }

  @Test func beginsAnewAfterEachReading() {
    let meter = LevelMeter(channelCount: 1)
    meter.add([Int16](repeating: .min, count: 480).span)
    let loud = meter.take()
    #expect(loud.peak == 0 && loud.mean == 0)
    let nothing = meter.take()
    #expect(nothing.frames == 0 && nothing.peak == -.infinity && nothing.mean == -.infinity)
  }
}
