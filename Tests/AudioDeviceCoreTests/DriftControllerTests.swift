import Testing

@testable import AudioDeviceCore

@Suite struct DriftControllerTests {
  /// A delay that grows by a drift and shrinks by the speed; steps of 10 ms, in seconds.
  struct Delay {
    var controller = DriftController()
    var drift: Double
    var error: Double
    var speeds: [Double] = []
    var errors: [Double] = []

    mutating func run(seconds: Int, noise: (Int) -> Double = { _ in 0 }) {
      for step in 0..<seconds * 100 {
        controller.update(error: error + noise(step), elapsed: 0.01)
        error += (drift - (controller.speed - 1)) * 0.01
        speeds.append(controller.speed)
        errors.append(error)
      }
    }
  }

  @Test(arguments: [500e-6, -500e-6, 20e-6, 0]) func learnsTheDrift(drift: Double) {
    var delay = Delay(drift: drift, error: 0)
    delay.run(seconds: 120)
    #expect(delay.errors.allSatisfy { abs($0) < 0.003 })
    #expect(abs(delay.error) < 0.000_05)
    #expect(abs(delay.controller.speed - 1 - drift) < 2e-6)
    // The other way it goes once and little.
    #expect(delay.errors.allSatisfy { $0 * drift >= -0.1 * 0.003 * abs(drift) })
  }

  @Test(arguments: [0.02, -0.02]) func takesBackAnErrorWithinTheLimit(error: Double) {
    var delay = Delay(drift: 0, error: error)
    delay.run(seconds: 60)
    #expect(delay.speeds.allSatisfy { abs($0 - 1) <= DriftController.limit })
    #expect(abs(delay.errors[2000]) < 0.005)
    #expect(abs(delay.error) < 0.0005)
    // What was caught up is no drift.
    #expect(delay.errors.allSatisfy { $0 / error > -0.15 })
  }

  @Test func theSpeedNeverSteps() {
    var delay = Delay(drift: 0, error: 0)
    // Half a chunk, here and there.
    delay.run(seconds: 60) { ($0 / 70).isMultiple(of: 3) ? 0.005 : -0.002 }
    for (before, after) in zip(delay.speeds, delay.speeds.dropFirst()) {
      // A fifth of a cent in 100 ms at the most.
      #expect(abs(after - before) < 0.000_012)
    }
  }
}
