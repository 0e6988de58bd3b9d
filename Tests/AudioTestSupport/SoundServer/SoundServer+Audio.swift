public import AudioDeviceCore

extension SoundServer {
  /// Begins to record. Blocks until the first frames are there.
  ///
  /// - Parameters:
  ///   - source: Such as `spk.monitor`.
  ///   - format: What to record.
  ///   - latency: The size of the pieces that the server sends.
  /// - Returns: The recording, which goes on while the object lives.
  /// - Throws: ``RigError`` when nothing comes.
  public func startRecording(
    from source: String, format: AudioFormat = .voice, latency: Duration = .milliseconds(20)
  ) throws -> Recording {
    let recording = try Recording(from: source, of: self, format: format, latency: latency)
    try recording.waitForFrames(1)
    return recording
  }

  /// Records for a while. Blocks.
  ///
  /// - Parameters:
  ///   - source: Such as `spk.monitor`.
  ///   - duration: How much.
  ///   - format: What to record.
  ///   - latency: The size of the pieces that the server sends.
  /// - Returns: Exactly as many frames as asked for.
  /// - Throws: ``RigError`` when they do not come.
  public func record(
    from source: String, for duration: Duration, format: AudioFormat = .voice, latency: Duration = .milliseconds(20)
  ) throws -> Signal {
    let frames = format.frames(in: duration)
    let recording = try startRecording(from: source, format: format, latency: latency)
    try recording.waitForFrames(frames)
    return recording.stop().frames(0..<frames)
  }

  /// Begins to play.
  ///
  /// - Parameters:
  ///   - signal: What to play, in its own format.
  ///   - sink: Such as `micfeed`, which `mic` hears.
  ///   - latency: The size of the server's buffer. Below 40 ms a busy machine has underruns.
  ///   - properties: Of the stream, such as `media.role`.
  /// - Returns: The playback, which goes on while the object lives.
  /// - Throws: ``RigError`` when the program can't be started.
  public func startPlaying(
    _ signal: Signal, on sink: String, latency: Duration = .milliseconds(80), properties: [String: String] = [:]
  ) throws -> Playback {
    try Playback(signal, on: sink, of: self, latency: latency, properties: properties)
  }

  /// Plays a signal to its end. Blocks.
  ///
  /// - Parameters:
  ///   - signal: What to play, in its own format.
  ///   - sink: Such as `micfeed`, which `mic` hears.
  ///   - latency: The size of the server's buffer.
  ///   - properties: Of the stream, such as `media.role`.
  /// - Throws: ``RigError`` when it does not come to its end.
  public func play(
    _ signal: Signal, on sink: String, latency: Duration = .milliseconds(80), properties: [String: String] = [:]
  ) throws {
    try startPlaying(signal, on: sink, latency: latency, properties: properties).wait()
  }
}
