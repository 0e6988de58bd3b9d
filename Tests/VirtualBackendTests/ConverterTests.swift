import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

@testable import VirtualBackend

@Suite struct ConverterTests {
  /// Sends samples through a converter, a period at a time.
  private func convert(_ samples: [Int16], _ input: AudioFormat, _ output: AudioFormat) -> [Int16] {
    let frames = input.framesPerPeriod
    var converter = FormatConverter(from: input, to: output, maximumInput: frames)
    var result: [Int16] = []
    var piece = [Int16](repeating: 0, count: (frames * output.sampleRate / input.sampleRate + 2) * output.channelCount)
    for start in stride(from: 0, to: samples.count, by: frames * input.channelCount) {
      let period = samples.part(start..<min(start + frames * input.channelCount, samples.count))
      converter.push(period, count: period.count / input.channelCount)
      let count = converter.pull(&piece, count: piece.count / output.channelCount)
      result += piece[..<(count * output.channelCount)]
    }
    return result
  }

  static let rates = [
    (44_100, 48_000), (22_050, 48_000), (48_000, 44_100), (16_000, 48_000), (48_000, 16_000), (8_000, 48_000),
    (48_000, 8_000), (11_025, 48_000), (44_100, 22_050), (192_000, 8_000), (47_999, 48_000), (8_000, 192_000),
  ]

  @Test(arguments: rates) func carriesASineUnharmed(from: Int, to: Int) throws {
    let (input, output) = (try AudioFormat(from, 1), try AudioFormat(to, 1))
    let result = convert(Signal.tone(1_000, level: -1, for: .seconds(1), format: input).samples, input, output)
    // Without the ends, where the sine begins and breaks off.
    let middle = result.part((to / 10)..<(to / 10 + to / 2))
    let fit = SineFit(1_000, middle, rate: to)
    #expect(fit.signalToNoise > 75, "\(from) to \(to): \(fit.signalToNoise) dB")
    #expect(abs(fit.level + 1) < 0.01)
    // No delay: output frame k is input frame k · from / to.
    let expected = (1_000 * Double(to / 10) / Double(to)).truncatingRemainder(dividingBy: 1)
    let turns = abs(fit.phase - expected).truncatingRemainder(dividingBy: 1)
    #expect(min(turns, 1 - turns) < 0.000_5)
  }

  @Test(arguments: [(48_000, 8_000, 5_000.0), (48_000, 16_000, 9_000), (44_100, 22_050, 12_500)])
  func letsNothingFoldDown(from: Int, to: Int, frequency: Double) throws {
    let (input, output) = (try AudioFormat(from, 1), try AudioFormat(to, 1))
    let result = convert(Signal.tone(frequency, level: -1, for: .seconds(1), format: input).samples, input, output)
    let middle = Signal(result, format: output).frames((to / 10)..<(to * 9 / 10))
    #expect(middle.rmsLevel < -75, "\(middle.rmsLevel) dB")
  }

  @Test func addsNoImagesAbove() throws {
    let (input, output) = (try AudioFormat(8_000, 1), try AudioFormat(48_000, 1))
    let result = convert(Signal.tone(1_000, level: -1, for: .seconds(1), format: input).samples, input, output)
    let image = SineFit(7_000, result.part(4_800..<28_800), rate: 48_000)
    #expect(image.level < -76)
  }

  @Test(arguments: [(8_000, 48_000), (48_000, 8_000), (44_100, 48_000), (22_050, 44_100)])
  func isFlatWhereSpeechLies(from: Int, to: Int) throws {
    let (input, output) = (try AudioFormat(from, 1), try AudioFormat(to, 1))
    for frequency in [100, 300, 1_000, 2_000, 3_000, 3_400].map(Double.init) {
      let result = convert(Signal.tone(frequency, level: -6, for: .seconds(1), format: input).samples, input, output)
      let fit = SineFit(frequency, result.part((to / 10)..<(to / 10 + to / 2)), rate: to)
      #expect(abs(fit.level + 6) < 0.1, "\(frequency) Hz: \(fit.level) dB")
    }
  }

  @Test func isTheIdentityBetweenEqualRates() throws {
    let input = numbers(48_000)
    #expect(convert(input, .voice, .voice) == input)
    let extremes: [Int16] = [.min, .max, 0, -1, 1, .min, .max, .max]
    #expect(convert(extremes, .stereo, .stereo) == extremes)
  }

  @Test(arguments: rates) func losesAndAddsNoFrame(from: Int, to: Int) throws {
    let (input, output) = (try AudioFormat(from, 1), try AudioFormat(to, 1))
    let seconds = 3
    let count = convert([Int16](repeating: 100, count: from * seconds), input, output).count
    // What is missing at the end needs input that has not come: the look-ahead.
    let resampler = SincResampler(inputRate: from, outputRate: to, channelCount: 1, maximumInput: 1)
    let missing = (resampler.lookahead * to + from - 1) / from
    #expect(abs(to * seconds - missing - count) <= 1)
  }

  @Test(arguments: rates) func saysWhatItNeeds(from: Int, to: Int) throws {
    var converter = FormatConverter(from: try AudioFormat(from, 1), to: try AudioFormat(to, 1), maximumInput: 20_000)
    let silence = [Int16](repeating: 0, count: 20_000)
    var output = [Int16](repeating: 0, count: 2_000)
    for wanted in [1, 80, 480, 7, 1] {
      let needed = converter.inputNeeded(forOutput: wanted)
      if needed > 0 {
        converter.push(silence, count: needed - 1)
        let early = converter.pull(&output, count: wanted)
        #expect(early < wanted)
        converter.push(silence, count: 1)
        let rest = converter.pull(&output, count: wanted - early)
        #expect(early + rest == wanted)
      } else {
        let count = converter.pull(&output, count: wanted)
        #expect(count == wanted)
      }
    }
  }

  @Test func mapsChannels() throws {
    let quad = try AudioFormat(48_000, 4)
    #expect(convert([1, -7], .voice, .stereo) == [1, 1, -7, -7])
    #expect(convert([5, -5], .voice, quad) == [5, 5, 5, 5, -5, -5, -5, -5])
    #expect(convert([10, 20, .max, .max, .min, .min], .stereo, .voice) == [15, .max, .min])
    #expect(convert([1, 2], .stereo, quad) == [1, 2, 0, 0])
    #expect(convert([1, 2, 3, 4], quad, .stereo) == [1, 2])
    #expect(convert([4, 8, 12, 16], quad, .voice) == [10])
  }

  @Test func saturatesWhatTheFilterOvershoots() throws {
    let (input, output) = (try AudioFormat(44_100, 1), AudioFormat.voice)
    // A square wave at full scale overshoots in every band-limited form.
    let square = (0..<44_100).map { $0 / 50 % 2 == 0 ? Int16.max : Int16.min }
    let result = convert(square, input, output)
    #expect(result.max() == .max && result.min() == .min)
    // Wrapped samples would show as jumps of the wrong sign in the flat parts.
    try #require(result.count > 40_000)
    for index in 4_800..<40_000 {
      let position = index * 147 / 160
      guard (20..<30).contains(position % 50) else { continue }
      #expect((result[index] > 0) == (position / 50 % 2 == 0))
    }
  }
}
