import AudioDeviceCore
import AudioTestSupport
import RealtimeSupport
import Synchronization
import VirtualBackend
import XCTest

/// That the threads of streams, and of a speaker's function, ask nothing of the heap. In XCTest, because Swift Testing
/// allocates at each `throw`.
final class HeapTests: XCTestCase {
  /// Counts what its thread asked of the heap from each period to the next.
  final class Counter: AudioStreamClient {
    let periods = Atomic<Int>(0)
    let calls = Atomic<Int>(0)
    private let last = Atomic<Int>(0)

    /// Periods in which what is made on first use may be made.
    static let warmUp = 20

    func turn() {
      let now = HeapCalls.ofThisThread.total
      let before = last.exchange(now, ordering: .relaxed)
      let number = periods.wrappingAdd(1, ordering: .relaxed).newValue
      if number > Self.warmUp { calls.wrappingAdd(now - before, ordering: .relaxed) }
    }

    func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) { turn() }
    func streamWillRender(_ samples: inout MutableSpan<Int16>) {
      samples[0] = 100
      turn()
    }
  }

  func testEveryDeviceAtItsOwnAndAtAnotherRate() throws {
    guard HeapCalls.areCounted else { return }  // Under sanitizers, which bring a heap of their own.
    let clock = try ManualPeriodClock()
    let folder = try TemporaryFolder()
    let input = try folder.write(numbers(44_100), try AudioFormat(44_100, 1))
    let heard = Counter()
    let backend = try VirtualBackend(
      configuration: .init(
        speakers: [
          .init(), .init(id: "function", target: .function { _, _ in heard.turn() }),
          .init(id: "file", target: .file(path: folder.path("out.wav"))),
        ],
        microphones: [
          .init(), .init(id: "tone", source: .tone(frequency: 440, level: -20)),
          .init(id: "file", source: .file(path: input, repeats: true)),
          .init(id: "loopback", source: .loopback(speakerID: "speaker", delay: .milliseconds(20))),
          .init(id: "function", source: .function { samples, _, _ in samples[0] = 1 }),
        ]), clock: clock)
    var streams: [(name: String, stream: any AudioStream, counter: Counter)] = []
    for device in try backend.devices() {
      for format in [AudioFormat.stereo, try AudioFormat(16_000, 1)] {
        let counter = Counter()
        let stream = try backend.openStream(
          AudioStreamConfiguration(direction: device.direction, format: format, deviceID: device.id), client: counter)
        streams.append(("\(device.direction) \(device.id) \(format)", stream, counter))
      }
    }
    for entry in streams { try entry.stream.start() }
    XCTAssertTrue(clock.advance(by: .seconds(10)))
    XCTAssertEqual(streams.count, 16)
    for entry in streams + [("function of the speaker", streams[0].stream, heard)] {
      XCTAssertEqual(entry.counter.periods.load(ordering: .relaxed), 1_000, entry.name)
      XCTAssertEqual(entry.counter.calls.load(ordering: .relaxed), 0, entry.name)
    }
    for entry in streams { entry.stream.close() }
  }
}
