internal import AudioDeviceCore
internal import Synchronization

/// What an open stream is, and what it has done: shared by its owner, its thread and the backend. Any thread.
final class StreamIdentity: Sendable {
  let key: Int
  let configuration: AudioStreamConfiguration
  let meter = AudioStreamMeter()
  let isRunning = Atomic<Bool>(false)

  private let device: Locked<String>

  init(key: Int, configuration: AudioStreamConfiguration, deviceID: String) {
    self.key = key
    self.configuration = configuration
    device = Locked(deviceID)
  }

  /// The device the stream is on.
  var deviceID: String {
    get { device.withLock { $0 } }
    set { device.withLock { $0 = newValue } }
  }

  /// The present state, for whoever asks the backend.
  var snapshot: VirtualBackend.OpenStream {
    VirtualBackend.OpenStream(
      id: key, direction: configuration.direction, deviceID: deviceID, role: configuration.role,
      name: configuration.name, format: configuration.format, isRunning: isRunning.load(ordering: .relaxed),
      statistics: meter.statistics)
  }
}
