/// Stands between a stream and the device's hooks and bus, for as long as the stream runs.
///
/// All it needs per period are constants, so that the audio thread takes no lock.
final class DeviceStreamClient: AudioStreamClient, @unchecked Sendable {
  // Unchecked: `stream` is set once, before the stream starts.

  private let device: DefaultAudioDevice
  private let bus: any AudioBus
  private let slot: StreamSlot
  private let channelCount: Int
  private let reporter: XrunReporter
  /// The stream owns its client and calls it only while it lives.
  unowned(unsafe) var stream: (any AudioStream)?

  init(
    device: DefaultAudioDevice, bus: any AudioBus, slot: StreamSlot, format: AudioFormat, reporter: XrunReporter
  ) {
    self.device = device
    self.bus = bus
    self.slot = slot
    self.reporter = reporter
    channelCount = format.channelCount
  }

  func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
    if let stream { slot.setDelay(stream.latency) }
    device.processCapturedPeriod(&samples, capturedAt: time)
    bus.writeCaptureData(samples.span, capturedAt: time)
  }

  func streamWillRender(_ samples: inout MutableSpan<Int16>) {
    if let stream { slot.setDelay(stream.latency) }
    let wanted = samples.count / channelCount
    let given = min(max(bus.readRenderData(into: &samples), 0), wanted)
    if given < wanted {
      slot.addShortfall(frames: wanted - given)
      for index in (given * channelCount)..<samples.count { samples[index] = 0 }
    }
    device.processRenderedPeriod(&samples)
  }

  func streamDidNotice(_ notice: AudioStreamNotice) {
    switch notice {
    case .xrun: reporter.wake()
    case .lost(let error): device.host?.didLose(slot.direction, error)
    case .moved(let id):
      device.host?.post(.moved(slot.direction, deviceID: id))
      device.streamDidMove()
    case .suspended(let isSuspended): device.setHeld(slot.direction, .deviceSuspended, isSuspended)
    case .corkRequested(let isRequested): device.setHeld(slot.direction, .otherAudio, isRequested)
    }
  }
}
