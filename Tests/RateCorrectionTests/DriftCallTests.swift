import AudioDeviceKit
import AudioTestSupport
import Foundation
import RateCorrection
import Testing
import VirtualBackend

/// A whole call on devices whose clocks drift: a manager, the default device on the virtual backend, a buffered bus, and
/// a client that gives back what it gets.
@Suite struct DriftCallTests {
  private static let isQuick = ProcessInfo.processInfo.environment["AUDIODEVICEKIT_QUICK"] != nil

  /// What the speaker sounds.
  private final class Ear: Sendable {
    let analysis: Locked<Analysis>
    init(step: Double) { analysis = Locked(Analysis(step: step)) }
    func hear(_ samples: borrowing Span<Int16>) {
      let samples = samples.withUnsafeBufferPointer { Array($0) }
      analysis.withLock { $0.add(samples, channels: 1) }
    }
  }

  /// Runs a call.
  ///
  /// - Parameters:
  ///   - capture: How fast the microphone's clock runs against the client's, in parts per million.
  ///   - render: The same of the speaker's.
  ///   - seconds: How long, in simulated time.
  ///   - corrector: Of the bus.
  /// - Returns: What the speaker sounded, and what was lost.
  /// - Throws: What opening the devices throws.
  private func run(
    _ capture: Double, _ render: Double, seconds: Int, corrector: (any AudioRateCorrector.Type)?
  ) throws -> DriftBench.Outcome {
    let format = try AudioFormat(sampleRate: 16_000, channelCount: 1)
    func step(_ drift: Double) -> Double {
      2 * .pi * DriftBench.frequency / (Double(format.sampleRate) * (1 + drift * 1e-6))
    }
    let clock = try ManualPeriodClock()
    let tone = Locked(Tone(step: step(capture)))
    let ear = Ear(step: step(render))
    let backend = try VirtualBackend(
      configuration: .init(
        speakers: [.init(format: format, target: .function { samples, _ in ear.hear(samples) }, clockDrift: render)],
        microphones: [
          .init(
            source: .function { samples, _, _ in
              var period = [Int16](repeating: 0, count: samples.count)
              tone.withLock { $0.fill(&period, channels: 1) }
              for index in samples.indices { samples[index] = period[index] }
            }, clockDrift: capture)
        ]), clock: clock)
    var configuration = DefaultAudioDevice.Configuration()
    configuration.backend = .custom(backend)
    configuration.captureFormat = format
    configuration.renderFormat = format
    let bus = BufferedAudioBus(
      .init(captureFormat: format, renderFormat: format, rateCorrector: corrector), clock: clock)
    let manager = AudioDeviceManager(clock: clock)
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(DefaultAudioDevice(configuration))
    try manager.startCapture()
    try manager.startRendering()
    var outcome = DriftBench.Outcome()
    var given = [Int16](repeating: 0, count: 2 * format.samplesPerPeriod)
    func lost() -> Int {
      let statistics = manager.statistics
      return bus.lost + statistics.capture.lostFrames + statistics.render.lostFrames + statistics.capture.silentFrames
        + statistics.render.silentFrames
    }
    for turn in 1...seconds * 50 {
      #expect(clock.advance(by: .milliseconds(20)))
      var span = given.mutableSpan
      let frames = bus.readCapturedFrames(into: &span)
      for index in frames..<given.count { given[index] = 0 }
      bus.writeRenderedFrames(given.span)
      // What is lost before the call runs is the start, when both rings fill.
      if turn == 50 { outcome.lost = -lost() }
    }
    outcome.lost += lost()
    manager.stopCapture()
    manager.stopRendering()
    outcome.windows = ear.analysis.withLock { $0.windows(seconds: 0.01 / (1 + render * 1e-6)) }
    return outcome
  }

  /// Ten minutes: the delay stays where it was at the start, nothing is lost, and nothing but the tone is heard.
  @Test(arguments: [(500.0, -500.0, isQuick ? 60 : 600), (-500, 500, 60)])
  func theDelayStays(capture: Double, render: Double, seconds: Int) throws {
    let outcome = try run(capture, render, seconds: seconds, corrector: SincRateCorrector.self)
    #expect(outcome.lost == 0)
    #expect(outcome.delays().lowerBound > -0.010 && outcome.delays().upperBound < 0.010, "\(outcome.delays())")
    #expect(outcome.loudestRest < -60)
    #expect(outcome.windows.count > (seconds - 1) * 99, "the tone was not found")
  }

  /// The devices do drift.
  @Test(arguments: [(500.0, -500.0), (-500, 500)]) func withoutCorrectionFramesAreLost(capture: Double, render: Double)
    throws
  {
    #expect(try run(capture, render, seconds: 60, corrector: nil).lost > 0)
  }
}
