import AudioDeviceKit
import AudioTestSupport
import RealtimeSupport

/// A client that hears itself: it renders numbered frames, and from those it captures it knows how long they were on
/// their way, through both directions of the call and the server between them.
final class LoopBus: AudioBus {
  /// A captured period.
  struct Period: Sendable {
    /// How long ago its first frame was captured, as it was told.
    let age: Duration
    /// Frames from the render side to here; nil for silence.
    let roundTrip: Int?
  }
  private struct State {
    var periods: [Period] = []
    var captured: [Int16] = []
    var sent = 0
    var reads = 0
  }
  private let state = Locked(State())
  private let code = IndexCode.signal(.milliseconds(1250)).samples

  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {
    let value = samples[0]
    state.withLock { state in
      state.periods.append(Period(age: .now - time, roundTrip: IndexCode.lag(of: value, sent: state.sent)))
      samples.withUnsafeBufferPointer { state.captured.append(contentsOf: $0) }
    }
  }

  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int {
    let count = samples.count
    let first = state.withLock { state in
      defer {
        state.sent += count
        state.reads += 1
      }
      return state.sent % IndexCode.period
    }
    samples.withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: code[first..<first + count]) }
    return count
  }

  /// Forgets what was captured so far.
  func clear() {
    state.withLock { state in
      state.periods = []
      state.reads = 0
    }
  }

  var periods: [Period] { state.withLock { $0.periods } }

  /// All that was captured, silence included.
  var captured: [Int16] { state.withLock { $0.captured } }

  /// How many periods were read to be rendered.
  var reads: Int { state.withLock { $0.reads } }

  /// Whether the last periods all carried sound.
  func isLive(_ count: Int = 20) -> Bool {
    state.withLock { state in
      state.periods.count >= count && state.periods.suffix(count).allSatisfy { $0.roundTrip != nil }
    }
  }

  /// The median of what the last periods took; nil where they are silent.
  func roundTrip(last count: Int = 100) -> Duration? {
    let trips = periods.suffix(count).compactMap(\.roundTrip).sorted()
    guard trips.count > count / 2 else { return nil }
    return AudioFormat.voice.duration(ofFrames: trips[trips.count / 2])
  }
}
