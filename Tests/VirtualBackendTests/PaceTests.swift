import AudioDeviceCore
import AudioTestSupport
import Testing

@testable import VirtualBackend

@Suite struct PaceTests {
  private let anchor = AudioInstant(nanoseconds: 7)

  @Test(arguments: [8_000, 11_025, 22_050, 44_100, 47_999, 48_000])
  func keepsTheExactTimeForADay(rate: Int) throws {
    let format = try AudioFormat(rate, 1)
    var pace = PeriodPace(format: format, anchor: anchor, tolerance: .zero)
    #expect(pace.due == anchor + format.periodDuration)
    let periods = 86_400 * rate / format.framesPerPeriod
    pace.advance(by: periods - 1)
    let exact = Double(periods * format.framesPerPeriod) / Double(rate)
    #expect(abs(Double((pace.due - anchor).wholeNanoseconds) / 1e9 - exact) < 2e-9 * exact.ulp.rounded(.up) + 1e-8)
  }

  @Test func forgivesALatenessWithinTheBuffer() {
    var pace = PeriodPace(format: .voice, anchor: anchor, tolerance: .milliseconds(40))
    #expect(pace.lostPeriods(at: anchor) == 0)
    #expect(pace.lostPeriods(at: anchor + .milliseconds(50)) == 0)
    pace.advance(by: 9)
    #expect(pace.index == 10)
    #expect(pace.lostPeriods(at: anchor + .milliseconds(140)) == 0)
  }

  @Test func goesOnWithTheLatestPeriodAfterAStall() {
    var pace = PeriodPace(format: .voice, anchor: anchor, tolerance: .milliseconds(40))
    let now = anchor + .milliseconds(10 + 57)
    // Period 1 was due at 10 ms. At 67 ms it is period 6 that is due.
    #expect(pace.lostPeriods(at: now) == 5)
    pace.advance(by: 5)
    #expect(pace.due == anchor + .milliseconds(60))
    #expect(pace.lostPeriods(at: now) == 0)
    #expect(pace.lostPeriods(at: anchor + .seconds(3_600)) == 360_000 - 6)
  }
}
