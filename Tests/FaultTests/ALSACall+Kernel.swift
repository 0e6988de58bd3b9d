#if ALSA
  import AudioDeviceKit
  import AudioTestSupport
  import Testing

  extension ALSACall {
    /// Waits until the device takes or gives frames, half a second's worth unless said otherwise.
    func runs(
      _ direction: AudioDirection, frames count: Int = 24_000, within limit: Duration = .seconds(20)
    ) async -> Bool {
      let before = frames(direction)
      return await becomesTrue(within: limit) { self.frames(direction) > before + count }
    }

    /// Starts both directions and waits until they run.
    func startBoth() async throws {
      try manager.startCapture()
      try manager.startRendering()
      for direction in AudioDirection.allCases { #expect(await runs(direction), "\(direction): \(log.story)") }
    }
  }

  /// Waits for a condition without holding a thread: the lane's machine has one processor, and a test that blocks its
  /// thread keeps the events from being read.
  func becomesTrue(within limit: Duration, _ condition: @Sendable () -> Bool) async -> Bool {
    await eventually(within: limit) { () async in condition() }
  }
#endif
