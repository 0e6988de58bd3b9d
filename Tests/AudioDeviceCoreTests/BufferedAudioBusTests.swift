import AudioDeviceCore
import Synchronization
import Testing

/// Outside the thread's closure, where the compiler of Swift 6.3 cannot form a span.
private func write(_ samples: [Int16], to bus: BufferedAudioBus) { bus.writeRenderedFrames(samples.span) }

@Suite struct BufferedAudioBusTests {
  func period(_ first: Int, channels: Int = 1, frames: Int = 480) -> [Int16] {
    (0..<frames).flatMap { frame in (0..<channels).map { Int16((first + frame) % 30_000 + $0) } }
  }

  @Test func refusesOtherFormats() throws {
    let bus = BufferedAudioBus()
    try bus.prepare(captureFormat: .voice, renderFormat: .voice)
    #expect { try bus.prepare(captureFormat: .stereo, renderFormat: .voice) } throws: { error in
      (error as? AudioDeviceError)?.code == .formatNotSupported
    }
  }

  @Test func carriesCapturedFramesInOrderAndKnowsTheirTime() throws {
    let bus = BufferedAudioBus(.init(targetBacklog: .zero))
    #expect(bus.oldestCaptureTime == nil)
    var read = [Int16](repeating: 0, count: 480)
    for index in 0..<1000 {
      let time = AudioInstant(nanoseconds: 1_000_000_000 + Int64(index) * 10_000_000)
      bus.writeCaptureData(period(index * 480).span, capturedAt: time)
      #expect(bus.oldestCaptureTime == time)
      var span = read.mutableSpan
      #expect(bus.readCapturedFrames(into: &span) == 480)
      #expect(read == period(index * 480))
    }
    #expect(bus.captureStatistics == BufferedAudioBus.Statistics())
  }

  @Test func keepsWholeFramesWhenFull() throws {
    let format = try AudioFormat(sampleRate: 8_000, channelCount: 3)
    let bus = BufferedAudioBus(
      .init(captureFormat: format, renderFormat: format, targetBacklog: .zero, maximumBacklog: .zero))
    for _ in 0..<100 { bus.writeRenderedFrames(period(7, channels: 3, frames: 80).span) }
    #expect(bus.renderStatistics.droppedFrames > 0)
    var read = [Int16](repeating: 0, count: 240)
    var span = read.mutableSpan
    #expect(bus.readRenderData(into: &span) == 80)
    for frame in 0..<80 {
      #expect(read[frame * 3 + 1] == read[frame * 3] + 1 && read[frame * 3 + 2] == read[frame * 3] + 2)
    }
  }

  @Test func countsWhatIsMissing() {
    let bus = BufferedAudioBus()
    var read = [Int16](repeating: 9, count: 480)
    var span = read.mutableSpan
    #expect(bus.readRenderData(into: &span) == 0)
    #expect(read.allSatisfy { $0 == 9 })
    #expect(bus.renderStatistics.shortfallFrames == 480)
  }

  @Test func twoThreadsLoseNothing() throws {
    let bus = BufferedAudioBus(.init(targetBacklog: .zero, maximumBacklog: .seconds(10)))
    let total = 200_000
    let isOver = Atomic<Bool>(false)
    let producer = try RealtimeThread(name: "producer", scheduling: .normal) {
      var sent = 0
      while sent < total, !isOver.load(ordering: .relaxed) {
        // Less than a period: what stays longer is dropped, and who of the two is faster is the machine's business.
        guard bus.renderBacklog < .milliseconds(5) else { continue }
        write((0..<100).map { Int16((sent + $0) % 30_000) }, to: bus)
        sent += 100
      }
    }
    var expected = 0
    var read = [Int16](repeating: 0, count: 160)
    reading: while expected < total {
      var span = read.mutableSpan
      let count = bus.readRenderData(into: &span)
      for index in 0..<count {
        guard read[index] == Int16(expected % 30_000) else {
          Issue.record("frame \(expected) is \(read[index])")
          break reading
        }
        expected += 1
      }
    }
    isOver.store(true, ordering: .relaxed)
    producer.join()
    #expect(bus.renderStatistics.droppedFrames == 0)
  }
}
