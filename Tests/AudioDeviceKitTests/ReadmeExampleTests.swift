import AudioDeviceKit
import AudioTestSupport
import Foundation
import Synchronization
import Testing

// The drivers that the README shows, letter for letter.

final class ToneDevice: AudioDevice {
  private let state = Mutex<(bus: (any AudioBus)?, running: (RealtimeThread, any ClockWaiter)?)>((nil, nil))

  func setAudioBus(_ bus: (any AudioBus)?) { state.withLock { $0.bus = bus } }
  var captureIsAvailable: Bool { true }
  var isCapturing: Bool { state.withLock { $0.running != nil } }

  func startCapture() throws(AudioDeviceError) {
    guard !isCapturing, let bus = state.withLock({ $0.bus }) else { return }
    do throws(SystemCallError) {
      let waiter = try SystemPeriodClock.shared.makeWaiter()
      let thread = try RealtimeThread(name: "tone") { Self.play(to: bus, pacedBy: waiter) }
      state.withLock { $0.running = (thread, waiter) }
    } catch { throw AudioDeviceError(error, "The tone cannot be played.") }
  }

  func stopCapture() {
    guard let (thread, waiter) = state.withLock({ $0.running.take() }) else { return }
    waiter.wake()
    thread.join()  // at return the bus is not touched any more
  }

  private static func play(to bus: any AudioBus, pacedBy waiter: any ClockWaiter) {
    let period = (0..<480).map { Int16(8000 * sin(2 * .pi * 500 * Double($0) / 48_000)) }
    var due = AudioInstant.now
    while waiter.wait(until: due) == .deadline {
      bus.writeCaptureData(period.span, capturedAt: due)
      due = due + AudioFormat.voice.periodDuration
    }
  }
}

final class WhisperingDevice: DefaultAudioDevice, @unchecked Sendable {
  override func processCapturedPeriod(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
    for index in samples.indices { samples[index] /= 4 }
  }
}

@Suite struct ReadmeExampleTests {
  @Test func theReadmeShowsWhatIsTestedHere() throws {
    let here = try String(contentsOfFile: #filePath, encoding: .utf8)
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let drivers = readme.split(separator: "```swift\n").dropFirst().compactMap { block -> Substring? in
      guard block.hasPrefix("final class"), let end = block.range(of: "\n```") else { return nil }
      return block[..<end.lowerBound]
    }
    #expect(drivers.count == 2)
    for driver in drivers { #expect(here.contains(driver), "not tested as it stands in the README:\n\(driver)") }
  }

  @Test func aDriverFromNothingIsHeard() throws {
    let manager = AudioDeviceManager()
    let bus = MirrorBus()
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(ToneDevice())
    try manager.startCapture()
    try manager.startCapture()
    #expect(eventually(within: .seconds(10)) { bus.pending >= 24_000 })
    manager.stopCapture()
    let heard = bus.take().signal
    #expect(abs((heard.dominantFrequency() ?? 0) - 500) < 5)
    #expect(!manager.gates.captureIsWished)
  }

  @Test func aSubclassChangesWhatIsCaptured() throws {
    let bench = try CallBench()
    try bench.manager.setAudioDevice(WhisperingDevice(bench.configuration))
    try bench.manager.startCapture()
    bench.clock.advance(by: .seconds(1))
    // The tone comes at -20 dB.
    #expect(abs(bench.bus.take().signal.peakLevel + 32) < 0.5)
  }
}
