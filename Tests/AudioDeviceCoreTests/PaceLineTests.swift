import Testing

@testable import AudioDeviceCore

@Suite struct PaceLineTests {
  /// Chunks of 10 ms on a clock that drifts, from second 5 on, each late by so many milliseconds; tells the line after
  /// each, in milliseconds.
  func line(chunks: Int, drift: Double = 0, lateness: (Int) -> Double) -> [Double] {
    var line = PaceLine(format: .voice)
    return (1...chunks).map { chunk in
      let time = 5000 + Double(chunk) * 10 * (1 - drift) + lateness(chunk)
      return Double(line.note(chunk * 480, at: AudioInstant(nanoseconds: Int64(time * 1e6)))) / 1e6
    }
  }

  @Test func isNotMovedByLateChunks() {
    let origins = line(chunks: 1000) { $0 % 7 == 0 ? 0 : Double($0 * 37 % 60) }
    #expect(origins.dropFirst(7).allSatisfy { abs($0 - 5000) < 0.001 })
  }

  @Test(arguments: [500e-6, -500e-6]) func followsDrift(drift: Double) {
    let origins = line(chunks: 6000, drift: drift) { $0 % 5 == 0 ? 0 : 20 }
    for (index, origin) in origins.enumerated().dropFirst(200) {
      #expect(abs(origin - (5000 - Double(index + 1) * 10 * drift)) < 0.6)
    }
  }

  @Test func followsALossWithinASecond() {
    let origins = line(chunks: 300) { $0 > 100 ? 50 : 0 }
    #expect(abs(origins[200] - 5050) < 0.001)
  }

  @Test func beginsAnewAfterAPause() {
    let origins = line(chunks: 200) { $0 > 100 ? 3000 : 0 }
    #expect(abs(origins[99] - 5000) < 0.001)
    #expect(abs(origins[100] - 8000) < 0.001)
  }
}
