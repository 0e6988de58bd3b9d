/// The client's side: where a device puts what it captured and gets what it renders.
///
/// Implemented by whoever carries the audio on (a conference client, a recorder), called by the device on its audio
/// thread. Neither function may block, lock, allocate or log. Each direction is called from one thread at a time; the
/// two directions may be called at the same moment from two threads. ``BufferedAudioBus`` is ready made for clients
/// that live on threads of their own.
public protocol AudioBus: AnyObject, Sendable {
  /// Tells the formats of what follows, before the first period and again before the first of a new device.
  ///
  /// Called on a control thread while no audio flows; it may allocate.
  ///
  /// - Parameters:
  ///   - captureFormat: Of ``writeCaptureData(_:capturedAt:)``.
  ///   - renderFormat: Of ``readRenderData(into:)``.
  /// - Throws: ``AudioDeviceError`` with the code ``AudioDeviceError/Code/formatNotSupported`` to refuse; the device is
  ///   then not installed and the one before stays.
  func prepare(captureFormat: AudioFormat, renderFormat: AudioFormat) throws(AudioDeviceError)

  /// Takes captured frames. Audio thread.
  ///
  /// - Parameters:
  ///   - samples: Interleaved, whole frames; one period unless the device says otherwise. Valid during the call.
  ///   - time: When the first frame was at the microphone.
  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant)

  /// Gives frames to render. Audio thread.
  ///
  /// - Parameter samples: Interleaved room for whole frames, to be filled from its beginning.
  /// - Returns: How many **frames** were given. The device renders silence for the rest, and counts it.
  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int
}

extension AudioBus {
  /// Accepts any format.
  public func prepare(captureFormat: AudioFormat, renderFormat: AudioFormat) throws(AudioDeviceError) {}
}
