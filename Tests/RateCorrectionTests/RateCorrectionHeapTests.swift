import AudioDeviceCore
import AudioTestSupport
import RateCorrection
import XCTest

/// That reading with a corrector asks nothing of the heap, whatever happens to the backlog.
final class RateCorrectionHeapTests: XCTestCase {
  func testCorrectedReadsCallTheHeapNever() throws {
    guard HeapCalls.areCounted else { return }
    for format in [AudioFormat.voice, .stereo, try AudioFormat(sampleRate: 192_000, channelCount: 8)] {
      let bus = BufferedAudioBus(
        .init(captureFormat: format, renderFormat: format, rateCorrector: SincRateCorrector.self))
      var period = [Int16](repeating: 1, count: format.samplesPerPeriod)
      func write() {
        bus.writeRenderedFrames(period.span)
        bus.writeCaptureData(period.span, capturedAt: .now)
      }
      func read() {
        var span = period.mutableSpan
        _ = bus.readRenderData(into: &span)
        _ = bus.readCapturedFrames(into: &span)
      }
      // An empty ring, a start, a steady flow, and a backlog to be dropped.
      func call() {
        for turn in 0..<100 {
          if turn > 5 { write() }
          if turn == 50 { for _ in 0..<30 { write() } }
          read()
        }
      }
      // Debug builds make the metadata of generic types when they are first used.
      call()
      let calls = heapCalls { for _ in 0..<5 { call() } }
      XCTAssertEqual(calls.total, 0, "\(calls), \(format)")
      XCTAssertGreaterThan(bus.renderStatistics.droppedFrames, 0)
      XCTAssertGreaterThan(bus.renderStatistics.shortfallFrames, 0)
    }
  }
}
