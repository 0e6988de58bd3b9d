import Foundation
import AudioDeviceCore
import RateCorrection
import Testing

/// Ten minutes take ten seconds; `Tests/run quick` takes one drift of each kind.
private let isQuick = ProcessInfo.processInfo.environment["AUDIODEVICEKIT_QUICK"] != nil

/// Ten minutes on drifting clocks, judged by what the speaker plays.
@Suite struct DriftTests {
  static func bench(_ capture: Double, _ render: Double) throws -> DriftBench {
    var bench = DriftBench(captureDrift: capture, renderDrift: render, rateCorrector: SincRateCorrector.self)
    bench.format = try AudioFormat(sampleRate: 16_000, channelCount: 1)
    return bench
  }

  func expectUnheard(_ outcome: DriftBench.Outcome) {
    #expect(outcome.lost == 0)
    #expect(outcome.delays().lowerBound > -0.010 && outcome.delays().upperBound < 0.010, "\(outcome.delays())")
    #expect(outcome.loudestRest < -60)
    #expect(outcome.windows.count > 5_900, "the tone was not found")
  }

  @Test(arguments: isQuick ? [(500.0, -500.0)] : [(500, 500), (-500, -500), (500, -500), (-500, 500)])
  func driftIsUnheard(capture: Double, render: Double) throws {
    expectUnheard(try Self.bench(capture, render).run())
  }

  /// Periods and turns that come late, and bursts of two periods, whichever way the clocks run.
  @Test(arguments: isQuick ? [(500.0, 500.0)] : [(500, 500), (-500, -500)])
  func driftIsUnheardWithJitter(capture: Double, render: Double) throws {
    var bench = try Self.bench(capture, render)
    bench.captureLateness = 0.06
    bench.clientLateness = 0.02
    bench.targetBacklog = .milliseconds(70)
    expectUnheard(try bench.run())
  }

  /// The same without a corrector is heard: so the bench sees what it is to see.
  @Test(arguments: isQuick ? [500.0] : [500, -500]) func driftIsHeardWithoutCorrection(drift: Double) throws {
    var bench = try Self.bench(drift, drift)
    bench.rateCorrector = nil
    let outcome = try bench.run()
    #expect(outcome.lost > 0)
    #expect(outcome.loudestRest > -60)
  }

  @Test func driftIsUnheardInStereoAt48Kilohertz() throws {
    var bench = DriftBench(captureDrift: 500, renderDrift: -500, rateCorrector: SincRateCorrector.self)
    bench.format = .stereo
    bench.duration = 60
    expectUnheard(try bench.run())
  }

  /// What a corrector cannot catch up is dropped, as without one.
  @Test(arguments: [0.05, 0.15, 0.5]) func aStallIsOverInTwoSeconds(length: Double) throws {
    var bench = try Self.bench(300, -300)
    bench.duration = 30
    bench.stall = (20, length)
    let outcome = try bench.run()
    #expect(outcome.lost > 0)
    let before = outcome.backlogs[19]
    #expect(outcome.backlogs[20...].max()! > before + 0.02, "there was no stall")
    for second in 23..<29 {
      #expect(abs(outcome.backlogs[second] - before) < 0.010, "after \(second) s: \(outcome.backlogs)")
    }
  }

  /// Jitter beyond the cushion is heard at first; then the delay has grown by as much as it takes.
  @Test func jitterBeyondTheTargetIsLearned() throws {
    var bench = try Self.bench(100, 100)
    bench.duration = 120
    bench.captureLateness = 0.06
    let outcome = try bench.run()
    bench.rateCorrector = nil
    let uncorrected = try bench.run()
    #expect(outcome.lost > 0)
    #expect(outcome.lost * 3 < uncorrected.lost)
    // The cushion, what jitter took, and chunks.
    #expect(outcome.backlogs[60...].max()! < 0.15)
  }
}
