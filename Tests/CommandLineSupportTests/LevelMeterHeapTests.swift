import AudioTestSupport
import XCTest

@testable import CommandLineSupport

final class LevelMeterHeapTests: XCTestCase {
  func testMeasuringDoesNotTouchTheHeap() {
    let meter = LevelMeter(channelCount: 2)
    let samples = [Int16](repeating: 1000, count: 960)
    func measure() { for _ in 0..<100 { meter.add(samples.span) } }
    measure()
    XCTAssertEqual(heapCalls(during: measure).total, 0)
    XCTAssertEqual(meter.take().frames, 200 * 480)
  }
}
