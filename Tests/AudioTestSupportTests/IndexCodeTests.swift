import AudioDeviceCore
import AudioTestSupport
import Testing

@Suite struct IndexCodeTests {
  private let coded = IndexCode.signal(.seconds(2), from: 12_345, format: .stereo)

  @Test func followsAnUndisturbedSignal() {
    let report = IndexCode.examine(
      .silence(.milliseconds(10), format: .stereo) + coded + .silence(.milliseconds(20), format: .stereo))
    #expect(report.isContinuous)
    #expect(report.codedFrames == 96_000)
    #expect(report.leadingSilence == 480)
    #expect(report.trailingSilence == 960)
  }

  @Test func countsLostFrames() {
    let report = IndexCode.examine(coded.frames(0..<50_000) + coded.frames(50_480..<96_000))
    #expect(report.breaks == [.init(frame: 50_000, silence: 0, skipped: 480)])
    #expect(report.lostFrames == 480)
  }

  @Test func countsRepeatedFrames() {
    let report = IndexCode.examine(coded.frames(0..<500) + coded.frames(20..<96_000))
    #expect(report.breaks == [.init(frame: 500, silence: 0, skipped: -480)])
    #expect(report.repeatedFrames == 480)
    #expect(report.lostFrames == 0)
  }

  @Test func tellsInsertedSilenceFromReplacedFrames() {
    let pause = Signal.silence(.milliseconds(10), format: .stereo)
    let inserted = IndexCode.examine(coded.frames(0..<100) + pause + coded.frames(100..<96_000))
    #expect(inserted.breaks == [.init(frame: 100, silence: 480, skipped: 0)])
    let replaced = IndexCode.examine(coded.frames(0..<100) + pause + coded.frames(580..<96_000))
    #expect(replaced.breaks == [.init(frame: 100, silence: 480, skipped: 480)])
    #expect(!replaced.isContinuous)
  }

  @Test func countsForeignFrames() {
    var signal = coded
    signal.samples[1_000] = -7
    signal.samples[2_001] += 1
    let report = IndexCode.examine(signal)
    #expect(report.foreignFrames == 2)
    #expect(report.breaks.isEmpty)
    #expect(!report.isContinuous)
  }

  @Test func knowsSilence() {
    let report = IndexCode.examine(.silence(.seconds(1)))
    #expect(report.codedFrames == 0)
    #expect(report.leadingSilence == 48_000)
  }

  @Test func tellsHowOldAFrameIs() {
    #expect(IndexCode.lag(of: IndexCode.value(ofFrame: 100), sent: 580) == 480)
    #expect(IndexCode.lag(of: IndexCode.value(ofFrame: 29_990), sent: 30_010) == 20)
    #expect(IndexCode.lag(of: IndexCode.value(ofFrame: 7), sent: 8) == 1)
    #expect(IndexCode.lag(of: 0, sent: 8) == nil)
    #expect(IndexCode.lag(of: -5, sent: 8) == nil)
  }
}
