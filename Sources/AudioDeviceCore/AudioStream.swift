/// One open stream of a backend, in one direction.
public protocol AudioStream: AnyObject, Sendable {
  /// The format of the client's periods: that of the configuration.
  var format: AudioFormat { get }
  /// The id of the device the stream is on now; nil when the backend does not tell.
  var deviceID: String? { get }
  /// The scheduling class of the thread that calls the client.
  var schedulingClass: SchedulingClass { get }
  /// The delay now: from the microphone to the client, or from the client to the speaker.
  ///
  /// Lock-free, from any thread. Clamped to 0 … 10 s, also where the backend's own value is negative or missing.
  var latency: Duration { get }
  /// Counters since the stream was opened. Lock-free, from any thread.
  var statistics: AudioDeviceStatistics.Direction { get }

  /// Starts the calls to the client. Idempotent. Bounded by a few seconds.
  ///
  /// - Throws: ``AudioDeviceError``; the stream is then good for ``close()`` only.
  func start() throws(AudioDeviceError)

  /// Ends the stream. Idempotent, from any thread but the stream's own; bounded by 200 ms in every state, never drains.
  /// At return the client is not called any more and nothing of the stream is left at the server or the device.
  func close()
}

/// Who a stream works for.
///
/// The first two functions are on the audio path: they may not block, lock, allocate or log. They are called with whole
/// periods (``AudioFormat/framesPerPeriod`` frames), from one thread at a time.
public protocol AudioStreamClient: AnyObject, Sendable {
  /// Takes a captured period, which may be changed in place. Audio thread.
  ///
  /// - Parameters:
  ///   - samples: Interleaved, valid during the call.
  ///   - time: When the first frame was at the microphone.
  func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant)

  /// Fills a period to render, all of it. Audio thread.
  ///
  /// - Parameter samples: Interleaved, zeros at first.
  func streamWillRender(_ samples: inout MutableSpan<Int16>)

  /// Takes a notice about the stream: rare, on a thread of the backend's, which it must not block.
  /// ``AudioStreamNotice/xrun`` may come on the audio thread and is subject to its rules.
  ///
  /// - Parameter notice: What happened.
  func streamDidNotice(_ notice: AudioStreamNotice)
}

extension AudioStreamClient {
  /// Drops the period.
  public func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {}
  /// Leaves silence.
  public func streamWillRender(_ samples: inout MutableSpan<Int16>) {}
  /// Ignores the notice.
  public func streamDidNotice(_ notice: AudioStreamNotice) {}
}

/// What a stream tells its client beside audio.
public enum AudioStreamNotice: Sendable, Hashable {
  /// The stream has died and calls the client no more; it is good for ``AudioStream/close()`` only.
  case lost(AudioDeviceError)
  /// The stream is now on another device.
  case moved(deviceID: String)
  /// An overrun or underrun was counted in ``AudioStream/statistics``.
  case xrun
  /// The device was suspended, or works again.
  case suspended(Bool)
  /// The server asks the stream to give way, or to come back.
  case corkRequested(Bool)
}
