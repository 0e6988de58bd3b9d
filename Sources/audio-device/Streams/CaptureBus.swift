internal import AudioDeviceKit
internal import CommandLineSupport
internal import Synchronization

/// Takes what is captured, for a command: measures it, and keeps it for a worker if there is one.
final class CaptureBus: AudioBus {
  let format: AudioFormat
  let meter: LevelMeter
  /// What waits for the worker; nil for a command that only measures.
  let ring: SampleRing<Int16>?
  private let dropped = Atomic<Int>(0)
  private let isOpen = Atomic<Bool>(false)

  /// A bus that takes nothing yet.
  ///
  /// - Parameters:
  ///   - format: Of what is captured.
  ///   - backlog: How much is kept for a worker; zero for nothing.
  init(format: AudioFormat, backlog: Duration = .zero) {
    self.format = format
    meter = LevelMeter(channelCount: format.channelCount)
    ring = backlog > .zero ? SampleRing(minimumCapacity: format.frames(in: backlog) * format.channelCount) : nil
  }

  /// Frames that the worker was too slow for.
  var droppedFrames: Int { dropped.load(ordering: .relaxed) }

  /// Takes from now on: what came before was the silence of a device that is still opening.
  func open() { isOpen.store(true, ordering: .relaxed) }

  func prepare(captureFormat: AudioFormat, renderFormat: AudioFormat) throws(AudioDeviceError) {
    guard captureFormat == format else {
      throw AudioDeviceError(.formatNotSupported, "The device captures in \(captureFormat), not in \(format).")
    }
  }

  /// Audio thread: neither blocks nor allocates.
  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {
    guard isOpen.load(ordering: .relaxed) else { return }
    meter.add(samples)
    guard let ring else { return }
    // All or nothing, so that what is dropped are whole frames.
    if ring.availableToWrite >= samples.count {
      _ = ring.write(samples)
    } else {
      dropped.wrappingAdd(samples.count / format.channelCount, ordering: .relaxed)
    }
  }

  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int { 0 }
}
