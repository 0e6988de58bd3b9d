import AudioDeviceCore
import AudioTestSupport
import Testing

@testable import CommandLineSupport

@Suite(.timeLimit(.minutes(1))) struct DelayedReturnTests {
  /// Sends a code through it on a clock that stands still between the periods.
  private func returned(after delay: Duration, periods: Int) throws -> Signal {
    let clock = try ManualPeriodClock()
    let bus = BufferedAudioBus(.init(targetBacklog: .zero, maximumBacklog: .seconds(1)))
    let farEnd = try DelayedReturn(bus, delay: delay, clock: clock)
    defer { farEnd.stop() }
    let sent = IndexCode.signal(.milliseconds(10 * periods))
    var returned: [Int16] = []
    for period in 0..<periods {
      bus.writeCaptureData(sent.samples.span.extracting(period * 480..<(period + 1) * 480), capturedAt: clock.now)
      try #require(clock.advance(by: .milliseconds(10)))
      var room = [Int16](repeating: 0, count: 480)
      var span = room.mutableSpan
      #expect(bus.readRenderData(into: &span) == 480)
      returned += room
    }
    return Signal(returned, format: .voice)
  }

  @Test func returnsEveryFrameTheDelayLater() throws {
    let report = IndexCode.examine(try returned(after: .milliseconds(100), periods: 40))
    #expect(report.isContinuous, "\(report)")
    #expect(report.leadingSilence == 4800)
    #expect(report.codedFrames == 30 * 480)
  }

  @Test func returnsAtOnceWithoutDelay() throws {
    let report = IndexCode.examine(try returned(after: .zero, periods: 10))
    #expect(report.isContinuous && report.leadingSilence == 0 && report.codedFrames == 4800, "\(report)")
  }

  @Test func refusesABusOfTwoFormats() throws {
    let bus = BufferedAudioBus(.init(captureFormat: .voice, renderFormat: .stereo))
    #expect {
      try DelayedReturn(bus, delay: .zero)
    } throws: {
      ($0 as? AudioDeviceError)?.code == .formatNotSupported
    }
  }
}
