import AudioDeviceCore
import Foundation
import RateCorrection
import Synchronization
import Testing

/// Outside the thread's closure, where the compiler of Swift 6.3 cannot form a span.
private func write(_ samples: [Int16], to bus: BufferedAudioBus) { bus.writeRenderedFrames(samples.span) }

@Suite struct SincRateCorrectorTests {
  /// Corrects a sine that is the same on all channels, apart from its level: each channel has half that of the one
  /// before. The speed is asked for before each period.
  func correct(
    _ format: AudioFormat, periods: Int, frequency: Double, speed: (Int) -> Double
  ) throws -> (output: [Int16], used: Int, corrector: SincRateCorrector) {
    let corrector = try #require(SincRateCorrector(format: format, maximumFrames: format.framesPerPeriod))
    var output: [Int16] = []
    var used = 0
    var period = [Int16](repeating: 0, count: format.samplesPerPeriod)
    for index in 0..<periods {
      let needed = corrector.inputFrames(forOutput: format.framesPerPeriod, speed: speed(index))
      let input = (used..<used + needed).flatMap { frame in
        let value = 16_384 * sin(2 * .pi * frequency * Double(frame) / Double(format.sampleRate))
        return (0..<format.channelCount).map { Int16((value / Double(1 << $0)).rounded()) }
      }
      used += needed
      var span = period.mutableSpan
      corrector.correct(input.span, into: &span, speed: speed(index))
      output += period
    }
    return (output, used, corrector)
  }

  static let formats = [(8_000, 1), (16_000, 2), (44_100, 1), (48_000, 8), (96_000, 2), (192_000, 3)]

  @Test(arguments: formats) func holdsWhatItSays(rate: Int, channels: Int) throws {
    let format = try AudioFormat(sampleRate: rate, channelCount: channels)
    // Up and down through all speeds.
    let speed = { (index: Int) in 1 + 0.002 * sin(Double(index) / 20) }
    let (output, used, corrector) = try correct(format, periods: 300, frequency: 400, speed: speed)
    #expect(corrector.heldFrames >= Double(corrector.lookahead))
    #expect(corrector.heldFrames < Double(corrector.lookahead) + 2)

    // Where the sine is in the last period tells which place of the input the output has come to.
    let frames = format.framesPerPeriod
    let step = 2 * Double.pi * 400 / Double(rate) * speed(299)
    var (real, imaginary) = (0.0, 0.0)
    for frame in 0..<frames {
      let value = Double(output[(299 * frames + frame) * channels])
      real += value * cos(step * Double(frame - frames))
      imaginary += value * sin(step * Double(frame - frames))
    }
    let place = atan2(real, imaginary) / (2 * .pi * 400) * Double(rate)
    let said = Double(used) - corrector.heldFrames
    #expect(abs((place - said).remainder(dividingBy: Double(rate) / 400)) < 0.2, "\(place) is not \(said)")
  }

  @Test(arguments: formats) func keepsTheChannelsApart(rate: Int, channels: Int) throws {
    let format = try AudioFormat(sampleRate: rate, channelCount: channels)
    let (output, _, _) = try correct(format, periods: 50, frequency: 400) { _ in 1.0013 }
    for frame in 0..<output.count / channels {
      for channel in 1..<channels {
        let value = Int(output[frame * channels + channel])
        #expect(abs(value * (1 << channel) - Int(output[frame * channels])) <= 2 << channel)
      }
    }
  }

  @Test func beginsWithTheSilenceItHolds() throws {
    let corrector = try #require(SincRateCorrector(format: .voice, maximumFrames: 480))
    corrector.restart(holding: 300)
    #expect(corrector.heldFrames == 300)
    let needed = corrector.inputFrames(forOutput: 480, speed: 1)
    #expect(needed == 480 + corrector.lookahead - 300)
    var output = [Int16](repeating: 9, count: 480)
    var span = output.mutableSpan
    corrector.correct([Int16](repeating: 8000, count: needed).span, into: &span, speed: 1)
    #expect(output[..<200].allSatisfy { abs($0) < 100 })
    #expect(output[400...].allSatisfy { abs($0 - 8000) < 100 })
  }

  /// The time that the bus tells is that of the frame that is read next, what the corrector holds included.
  @Test func theBusKnowsWhenAFrameWasCaptured() throws {
    let clock = try ManualPeriodClock()
    let bus = BufferedAudioBus(.init(rateCorrector: SincRateCorrector.self), clock: clock)
    var found: [Double] = []
    for index in 0..<1000 {
      clock.advance(by: .milliseconds(10))
      var period = [Int16](repeating: 0, count: 480)
      if index % 10 == 0 { period[100] = 16_384 }
      bus.writeCaptureData(period.span, capturedAt: clock.now)
      let time = try #require(bus.oldestCaptureTime)
      var span = period.mutableSpan
      guard bus.readCapturedFrames(into: &span) == 480, let peak = period.indices.max(by: { period[$0] < period[$1] }),
        period[peak] > 8000
      else { continue }
      let captured = Double((time - AudioInstant(nanoseconds: 1_000_000_000)).wholeNanoseconds) * 1e-9
      // Impulses are 100 ms apart, the first 10 ms and 100 frames after the clock's start.
      found.append((captured + Double(peak - 100) / 48_000 - 0.01).remainder(dividingBy: 0.1))
    }
    #expect(found.count >= 98)
    // The first is in the very read that places the start.
    #expect(found.dropFirst().allSatisfy { abs($0) < 1.5 / 48_000 }, "\(found)")
  }

  /// Writer and reader on threads of their own, as fast as they can: what comes is what was written, or the edge of it.
  @Test func twoThreadsShareABus() throws {
    let bus = BufferedAudioBus(.init(maximumBacklog: .seconds(1), rateCorrector: SincRateCorrector.self))
    let isOver = Atomic<Bool>(false)
    let writer = try RealtimeThread(name: "writer", scheduling: .normal) {
      let samples = [Int16](repeating: 10_000, count: 480)
      while !isOver.load(ordering: .relaxed) { write(samples, to: bus) }
    }
    let deadline = AudioInstant.now + .seconds(30)
    var given = 0
    var foreign = 0
    var read = [Int16](repeating: 0, count: 480)
    while given < 500 * 480, AudioInstant.now < deadline {
      var span = read.mutableSpan
      let frames = bus.readRenderData(into: &span)
      given += frames
      foreign += read[..<frames].count { $0 < -2000 || $0 > 12_000 }
    }
    isOver.store(true, ordering: .relaxed)
    writer.join()
    #expect(given >= 500 * 480)
    #expect(foreign == 0)
  }
}
