import AudioDeviceCore
import AudioTestSupport
import XCTest

@testable import CustomDeviceExample
@testable import audio_device

/// What the command and the examples do on audio threads never asks anything of the heap.
final class AudioPathHeapTests: XCTestCase {
  private func expectNoHeapCalls(_ body: () -> Void, file: StaticString = #filePath, line: UInt = #line) {
    // Once before, because what is made on first use does not count.
    body()
    XCTAssertEqual(heapCalls(during: { for _ in 0..<50 { body() } }).total, 0, file: file, line: line)
  }

  func testRecording() {
    let bus = CaptureBus(format: .stereo, backlog: .milliseconds(100))
    bus.open()
    let samples = [Int16](repeating: 1000, count: 960)
    // More than fits, so that dropping is tried as well.
    expectNoHeapCalls { bus.writeCaptureData(samples.span, capturedAt: .now) }
    XCTAssertGreaterThan(bus.droppedFrames, 0)
  }

  func testPlaying() throws {
    let path = try Files().write(.tone(440, for: .milliseconds(100)), "sound.wav")
    let bus = try PlaybackBus(try SoundReader(path: path)) {}
    bus.setPlaying(true)
    var samples = [Int16](repeating: 0, count: 480)
    // Longer than the file, so that its end is tried as well.
    expectNoHeapCalls {
      var span = samples.mutableSpan
      _ = bus.readRenderData(into: &span)
    }
    XCTAssertTrue(bus.isFinished)
    XCTAssertNil(bus.finish())
  }

  func testRobotVoice() {
    let device = RobotVoiceDevice()
    var samples = [Int16](repeating: .min, count: 480)
    expectNoHeapCalls {
      var span = samples.mutableSpan
      device.processCapturedPeriod(&span, capturedAt: .now)
      device.processRenderedPeriod(&span)
    }
  }

  func testDriverFromNothing() throws {
    let path = try Files().write(.tone(440, for: .milliseconds(35)), "sound.wav")
    let microphone = try FileMicrophone(path: path)
    let speaker = MeterSpeaker(format: microphone.format)
    let bus = BufferedAudioBus()
    expectNoHeapCalls {
      microphone.writePeriod(to: bus, capturedAt: .now)
      speaker.renderPeriod(from: bus)
    }
    XCTAssertEqual(microphone.frameCount, 51 * 480)
    XCTAssertEqual(speaker.frameCount + speaker.missingFrameCount, 51 * 480)
  }
}
