import AudioDeviceKit
import AudioTestSupport
import RealtimeSupport

/// A client that renders a tone of 1000 Hz.
final class ToneBus: AudioBus {
  private let frame = Locked(0)
  private let tone = Signal.tone(1000, for: .seconds(1)).samples

  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {}

  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int {
    let count = samples.count
    let first = frame.withLock { frame in
      defer { frame = (frame + count) % tone.count }
      return frame
    }
    for index in samples.indices { samples[index] = tone[(first + index) % tone.count] }
    return count
  }
}
