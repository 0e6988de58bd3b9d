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

    /// Waits until the device takes and gives frames, as ``runs(_:frames:within:)``.
    func runsBoth(frames count: Int = 24_000) async -> Bool {
      let before = AudioDirection.allCases.map { frames($0) }
      return await becomesTrue(within: .seconds(20)) {
        zip(AudioDirection.allCases, before).allSatisfy { self.frames($0) > $1 + count }
      }
    }

    /// Starts both directions and waits until they run.
    func startBoth() async throws {
      try manager.startCapture()
      try manager.startRendering()
      #expect(await runsBoth(), "\(log.story)")
    }
  }

  /// Waits for a condition without holding a thread: the lane's machine has one processor, and a test that blocks its
  /// thread keeps the events from being read.
  func becomesTrue(within limit: Duration, _ condition: @Sendable () -> Bool) async -> Bool {
    await eventually(within: limit) { () async in condition() }
  }
#endif
