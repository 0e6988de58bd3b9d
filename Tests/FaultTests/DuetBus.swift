import AudioDeviceKit
import AudioTestSupport
import RealtimeSupport

/// A client that plays a tone and keeps what it hears.
final class DuetBus: AudioBus {
  private let tone: [Int16]
  private let frame = Locked(0)
  private let captured = Locked<[Int16]>([])

  /// A client.
  ///
  /// - Parameter frequency: Of its tone, in whole Hertz.
  init(_ frequency: Int) { tone = Signal.tone(Double(frequency), level: -15, for: .seconds(1)).samples }

  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {
    captured.withLock { captured in samples.withUnsafeBufferPointer { captured.append(contentsOf: $0) } }
  }

  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int {
    let count = samples.count
    let first = frame.withLock { frame in
      defer { frame = (frame + count) % tone.count }
      return frame
    }
    for index in samples.indices { samples[index] = tone[(first + index) % tone.count] }
    return count
  }

  /// The last of what was heard.
  func heard(last count: Int) -> Signal { Signal(captured.withLock { Array($0.suffix(count)) }, format: .voice) }
}
