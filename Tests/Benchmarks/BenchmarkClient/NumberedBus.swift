import AudioDeviceKit
import CMeasurement
import RealtimeSupport

/// Plays numbered samples and logs what comes back, with the device's own estimates of its delays.
final class NumberedBus: AudioBus {
  private unowned(unsafe) let device: DefaultAudioDevice

  init(device: DefaultAudioDevice) { self.device = device }

  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {
    let estimate = device.estimatedCaptureDelay.wholeNanoseconds
    samples.withUnsafeBufferPointer { samples in
      bm_capture(samples.baseAddress, Int32(samples.count), estimate)
    }
  }

  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int {
    let estimate = device.estimatedRenderDelay.wholeNanoseconds
    return samples.withUnsafeMutableBufferPointer { samples in
      bm_play(samples.baseAddress, Int32(samples.count), estimate)
      return samples.count
    }
  }
}
