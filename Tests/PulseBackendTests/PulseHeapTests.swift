#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import PulseBackend
  import Synchronization
  import XCTest

  /// Heap calls of the audio thread while a stream runs.
  final class PulseHeapTests: XCTestCase {
    /// Notes at each period how often the audio thread has used the heap by then.
    private final class HeapProbe: AudioStreamClient, @unchecked Sendable {
      // Unchecked: the audio thread writes what lies behind the count, which it then publishes.
      private static let capacity = 1_000
      private let totals = UnsafeMutablePointer<HeapCalls>.allocate(capacity: HeapProbe.capacity)
      private let count = Atomic<Int>(0)

      deinit { totals.deallocate() }

      var readings: [HeapCalls] { (0..<count.load(ordering: .acquiring)).map { totals[$0] } }

      private func note() {
        let index = count.load(ordering: .relaxed)
        guard index < Self.capacity else { return }
        (totals + index).initialize(to: .ofThisThread)
        count.store(index + 1, ordering: .releasing)
      }

      func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) { note() }
      func streamWillRender(_ samples: inout MutableSpan<Int16>) { note() }
    }

    func testCapturingLeavesTheHeapAlone() throws { try expectQuiet(.capture, device: "mic") }

    func testRenderingLeavesTheHeapAlone() throws { try expectQuiet(.render, device: "spk") }

    /// All that the audio thread does between two periods is counted, and libpulse's part apart.
    private func expectQuiet(_ direction: AudioDirection, device: String) throws {
      let server = try PulseServer.start()
      defer { server.stop() }
      let backend = PulseBackend(server: server.serverString)
      let probe = HeapProbe()
      let stream = try backend.openStream(
        AudioStreamConfiguration(direction: direction, format: .voice, deviceID: device), client: probe)
      XCTAssertTrue(HeapCalls.countApart("libpulse"))
      try stream.start()
      XCTAssertTrue(eventually(within: .seconds(15)) { probe.readings.count >= 600 })
      let statistics = stream.statistics
      stream.close()
      let readings = probe.readings.dropFirst(100)
      let calls = zip(readings, readings.dropFirst()).map { $1 - $0 }
      XCTAssertEqual(calls.map(\.total).filter { $0 > 0 }, [])
      // libpulse asks twice for each timing report, which comes every 1.5 s, and more after an xrun.
      let foreign = calls.map(\.foreign)
      XCTAssertGreaterThan(readings.last?.foreign ?? 0, 0)
      if statistics.xruns == 0 {
        XCTAssertLessThanOrEqual(foreign.reduce(0, +), 2 * (calls.count / 150 + 3), "\(foreign)")
      }
    }
  }
#endif
