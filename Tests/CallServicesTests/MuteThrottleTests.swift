import RealtimeSupport
import Testing

@testable import CallServices

@Suite struct MuteThrottleTests {
  let start = AudioInstant(nanoseconds: 1_000_000_000_000)

  @Test func theFirstIsLetThroughAtOnce() {
    var throttle = MuteThrottle()
    #expect(throttle.wish(true, at: start) == .now)
    #expect(throttle.take(at: start) == nil)
  }

  @Test func thenOneASecondAndTheLastAlways() {
    var throttle = MuteThrottle()
    #expect(throttle.wish(true, at: start) == .now)
    #expect(throttle.wish(false, at: start + .milliseconds(100)) == .later(start + .seconds(1)))
    #expect(throttle.wish(true, at: start + .milliseconds(200)) == .replaced)
    #expect(throttle.wish(false, at: start + .milliseconds(900)) == .replaced)
    #expect(throttle.take(at: start + .seconds(1)) == false)
    // A second after the one that waited.
    #expect(throttle.wish(true, at: start + .milliseconds(1500)) == .later(start + .seconds(2)))
    #expect(throttle.take(at: start + .seconds(2)) == true)
    #expect(throttle.wish(false, at: start + .seconds(3)) == .now)
  }
}
