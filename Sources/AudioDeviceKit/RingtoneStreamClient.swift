internal import AudioDeviceCore
internal import Synchronization

/// Renders a ringtone from the ring that its player keeps filled, with gain and fades.
final class RingtoneStreamClient: AudioStreamClient, @unchecked Sendable {
  // Unchecked: `level` belongs to the audio thread.

  private let ring: SampleRing<Int16>
  private let channelCount: Int
  private let gain: Float
  private let fadeInStep: Float
  private let fadeOutStep: Float
  private let isFadingOut = Atomic<Bool>(false)
  private let faded: WakeEvent
  private let onLost: @Sendable (AudioDeviceError) -> Void
  private var level: Float

  init(
    ring: SampleRing<Int16>, format: AudioFormat, configuration: RingtoneConfiguration,
    onLost: @escaping @Sendable (AudioDeviceError) -> Void
  ) throws(SystemCallError) {
    self.ring = ring
    self.onLost = onLost
    channelCount = format.channelCount
    gain = decibelFactor(configuration.gain)
    fadeInStep = 1 / Float(max(1, format.frames(in: min(max(configuration.fadeIn, .zero), .seconds(60)))))
    fadeOutStep = 1 / Float(max(1, format.frames(in: min(max(configuration.fadeOut, .zero), .seconds(1)))))
    level = configuration.fadeIn > .zero ? 0 : 1
    faded = try WakeEvent()
  }

  /// Begins to fade out and waits for the end of it, within a limit.
  func fadeOut(limit: Duration) {
    isFadingOut.store(true, ordering: .relaxed)
    _ = faded.wait(limit: limit)
  }

  func streamWillRender(_ samples: inout MutableSpan<Int16>) {
    let read = ring.read(into: &samples)
    let fadesOut = isFadingOut.load(ordering: .relaxed)
    if gain != 1 || level != 1 || fadesOut {
      var index = 0
      while index + channelCount <= read {
        level = fadesOut ? max(0, level - fadeOutStep) : min(1, level + fadeInStep)
        let factor = gain * level
        for channel in index..<(index + channelCount) {
          let value = (Float(samples[channel]) * factor).rounded()
          samples[channel] = Int16(min(max(value, -32_768), 32_767))
        }
        index += channelCount
      }
    }
    if fadesOut && (level == 0 || read == 0) { faded.signal() }
  }

  func streamDidNotice(_ notice: AudioStreamNotice) {
    if case .lost(let error) = notice { onLost(error) }
  }
}
