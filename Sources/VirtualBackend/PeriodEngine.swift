internal import AudioDeviceCore

/// What a stream does in each period. One object for one stream, used by its thread alone.
///
/// All functions but the initialiser are called on the stream's audio thread, and neither block nor allocate.
protocol PeriodEngine: AnyObject {
  /// The time from microphone to client, or from client to speaker.
  var latency: Duration { get }
  /// How late a period may come before frames are lost.
  var tolerance: Duration { get }

  /// Exchanges the pace's next period with the client.
  ///
  /// - Returns: Frames of it that should have been there and were not.
  func exchange(_ client: any AudioStreamClient, _ pace: PeriodPace) -> Int

  /// Passes over periods that are not exchanged.
  ///
  /// - Parameter count: How many, beginning with the next.
  func skip(_ count: Int)

  /// Ends the stream.
  ///
  /// - Parameter now: When.
  func end(at now: AudioInstant)
}
