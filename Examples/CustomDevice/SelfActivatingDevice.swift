internal import AudioDeviceKit
internal import Dispatch

/// The system's microphone and speaker, opened only while the device itself says so: for drivers that know by themselves
/// when a call may have the audio, as from a handset's hook or a door's button.
///
/// A start succeeds at any time. What was started opens when the device becomes active; until then the client gets
/// silence, and is drained. Whoever has calling services that say when does not need this: it is what
/// ``AudioDeviceCore/AudioSessionManager`` does for every device.
final class SelfActivatingDevice: DefaultAudioDevice, @unchecked Sendable {
  // Unchecked: both properties are used on the queue alone.
  private var isActive = false
  private var started: Set<AudioDirection> = []
  private let queue = DispatchQueue(label: "self-activating-device")

  override var isCapturing: Bool { queue.sync { started.contains(.capture) } }
  override var isRendering: Bool { queue.sync { started.contains(.render) } }

  override func startCapture() throws(AudioDeviceError) { try start(.capture) }
  override func startRendering() throws(AudioDeviceError) { try start(.render) }
  override func stopCapture() { stop(.capture) }
  override func stopRendering() { stop(.render) }

  /// Opens what was started. Blocks while the devices open; what cannot be opened is lost to the host, which starts it
  /// again.
  func activate() {
    queue.sync {
      isActive = true
      for direction in started {
        do throws(AudioDeviceError) {
          try open(direction)
        } catch {
          host?.didLose(direction, error)
        }
      }
    }
  }

  /// Closes both directions, which remain started.
  func deactivate() {
    queue.sync {
      isActive = false
      for direction in started { close(direction) }
    }
  }

  private func start(_ direction: AudioDirection) throws(AudioDeviceError) {
    let failure: AudioDeviceError? = queue.sync {
      do throws(AudioDeviceError) {
        if isActive { try open(direction) }
        started.insert(direction)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private func stop(_ direction: AudioDirection) {
    queue.sync {
      started.remove(direction)
      close(direction)
    }
  }

  private func open(_ direction: AudioDirection) throws(AudioDeviceError) {
    if direction == .capture { try super.startCapture() } else { try super.startRendering() }
  }

  private func close(_ direction: AudioDirection) {
    if direction == .capture { super.stopCapture() } else { super.stopRendering() }
  }
}
