#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Synchronization
  import XCTest

  @testable import ALSABackend

  /// That a stream's thread asks nothing of the heap while audio flows. In XCTest, because Swift Testing allocates at
  /// each `throw`.
  final class ALSAHeapTests: XCTestCase {
    /// Reads the heap counter of the thread that calls it: between two readings lies a whole turn of the stream's loop,
    /// alsa-lib and its plug-in included.
    private final class CountingClient: AudioStreamClient {
      let turns = Atomic<Int>(0)
      let calls = Atomic<Int>(0)
      private let last = Atomic<Int>(-1)

      private func turn() {
        let now = HeapCalls.ofThisThread.total
        let before = last.exchange(now, ordering: .relaxed)
        let number = turns.wrappingAdd(1, ordering: .relaxed).newValue
        // The first turns set things up.
        if number > 20, before >= 0 { calls.wrappingAdd(now - before, ordering: .relaxed) }
      }

      func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) { turn() }
      func streamWillRender(_ samples: inout MutableSpan<Int16>) { turn() }
    }

    private func run(
      _ name: String, _ direction: AudioDirection, turns: Int, clock: any PeriodClock = SystemPeriodClock.shared,
      proceed: () -> Void = { usleep(10_000) }
    ) throws {
      guard HeapCalls.areCounted else { return }  // Under sanitizers, which bring a heap of their own.
      let client = CountingClient()
      let stream = try ALSABackend(clock: clock).openStream(
        AudioStreamConfiguration(
          direction: direction, format: .voice, deviceID: name, latency: .milliseconds(300)), client: client)
      try stream.start()
      defer { stream.close() }
      let deadline = AudioInstant.now + .seconds(30)
      while client.turns.load(ordering: .relaxed) < turns {
        guard AudioInstant.now < deadline else { return XCTFail("the periods did not come") }
        proceed()
      }
      stream.close()
      XCTAssertEqual(client.calls.load(ordering: .relaxed), 0, "\(direction) on \(name)")
    }

    func testAPCMThatPacesCallsTheHeapNever() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      for direction in AudioDirection.allCases {
        let device = direction == .capture ? rig.microphone : rig.speakers
        try run(device.name, direction, turns: 120)
        try run("plug:SLAVE='\(device.name)'", direction, turns: 60)
      }
    }

    func testAPCMWithoutAClockCallsTheHeapNever() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      for direction in AudioDirection.allCases {
        try run(rig.nullName, direction, turns: 120)
      }
    }
  }
#endif
