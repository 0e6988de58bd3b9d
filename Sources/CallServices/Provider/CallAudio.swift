#if CallServices
  internal import AudioDeviceKit
  internal import RealtimeSupport

  /// What a call does to the audio and may take time, on a lane of its own and in the order it was asked for.
  final class CallAudio: Sendable {
    private let manager: AudioDeviceManager
    private let ringer: (any CallRinger)?
    private let isHardMute: Bool
    private let lane = SerialLane("call-audio")
    /// What rings now.
    private let ringing = Locked<(any CallRinger)?>(nil)

    init(_ manager: AudioDeviceManager, ringer: (any CallRinger)?, isHardMute: Bool) {
      self.manager = manager
      self.ringer = ringer
      self.isHardMute = isHardMute
    }

    /// Rings by the ringer that was given, else by the installed device where it can.
    ///
    /// - Parameter failed: Called when it cannot.
    func startRinging(failed: @escaping @Sendable (AudioDeviceError) -> Void) {
      lane.async { [self] in
        guard let ringer = ringer ?? manager.currentAudioDevice as? any CallRinger else { return }
        do throws(AudioDeviceError) {
          try ringer.startRingtone()
          ringing.withLock { $0 = ringer }
        } catch {
          failed(error)
        }
      }
    }

    func stopRinging() {
      lane.async { [self] in
        ringing.withLock { $0.take() }?.stopRingtone()
      }
    }

    /// Mutes this side or no longer, by the mute that was chosen.
    ///
    /// - Parameters:
    ///   - isMuted: Whether to mute.
    ///   - done: Called with the failure, if there was one; then the mute is as it was.
    func mute(_ isMuted: Bool, done: @escaping @Sendable (AudioDeviceError?) -> Void = { _ in }) {
      lane.async { [manager, isHardMute] in
        guard isHardMute else {
          manager.setAudioSoftMute(isMuted)
          return done(nil)
        }
        do throws(AudioDeviceError) {
          try manager.setAudioHardMute(isMuted)
          done(nil)
        } catch {
          done(error)
        }
      }
    }
  }
#endif
