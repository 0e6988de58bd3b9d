#if ALSA
  internal import AudioDeviceCore
  internal import CALSA
  internal import Glibc

  extension AudioDeviceError {
    /// An error from a call of alsa-lib that failed. Allocates.
    ///
    /// - Parameters:
    ///   - call: The call's name.
    ///   - number: What it returned: a negative error number.
    ///   - device: The PCM's name, for the message.
    init(alsa call: String, _ number: Int32, device: String) {
      let words = String(cString: snd_strerror(number))
      let (code, message) = Self.meaning(of: -number, call: call, device: device)
      let detail = [words, ALSALog.lastMessage].compactMap { $0 }.joined(separator: "; ")
      self.init(code, message, call: call, number: Int(number), detail: detail)
    }

    private static func meaning(of number: Int32, call: String, device: String) -> (Code, String) {
      let device = "The ALSA device \"\(device)\""
      return switch number {
      case EBUSY, EAGAIN:
        (
          .deviceBusy,
          "\(device) is in use by another program. Close that program, or choose a device that is shared, such as "
            + "\"default\"."
        )
      case ENOENT, ENODEV, ENXIO:
        (.deviceNotFound, "\(device) does not exist here. List the devices, and check that it is plugged in.")
      case EACCES, EPERM:
        (
          .permissionDenied,
          "This user may not open \(device.lowercasedFirst). Add the user to the group \"audio\" and log in again."
        )
      case EINVAL where call.hasPrefix("snd_pcm_hw_params"):
        (.formatNotSupported, "\(device) does not support the wished format; choose another rate or channel count.")
      case EINVAL:
        (.invalidArgument, "\(device) cannot be opened: its name or its configuration is wrong.")
      case ECONNREFUSED, EHOSTDOWN, ETIMEDOUT:
        (.serverUnavailable, "\(device) belongs to a sound server that does not answer. Check that the server runs.")
      case ENOSYS, EOPNOTSUPP:
        (.directionNotSupported, "\(device) cannot do what was asked of it.")
      case ENOMEM, EMFILE, ENFILE:
        (.systemFailure, "The system has no memory or descriptors left for \(device.lowercasedFirst).")
      default:
        (.systemFailure, "\(device) failed. See whether it works in another program, and unplug and replug it.")
      }
    }

    /// An error for a call that did not come back.
    ///
    /// - Parameters:
    ///   - doing: What was tried: `Opening`.
    ///   - device: The PCM's name.
    ///   - call: The call's name.
    ///   - limit: How long it was waited for.
    /// - Returns: The error.
    static func hangs(_ doing: String, _ device: String, call: String, limit: Duration) -> AudioDeviceError {
      AudioDeviceError(
        .timedOut,
        "\(doing) the ALSA device \"\(device)\" did not end within \(limit). A sound server that it belongs to may hang: "
          + "restart the server.", call: call)
    }

    /// A stream's end, as its client is told.
    ///
    /// - Parameters:
    ///   - loss: Why the PCM was given up.
    ///   - device: The PCM's name, for the message.
    init(_ loss: PCMStateMachine.Loss, device: String) {
      let device = "The ALSA device \"\(device)\""
      switch loss {
      case .gone(let number):
        self.init(
          .deviceLost, "\(device) was unplugged or its driver went away.", call: "snd_pcm_avail_update",
          number: -Int(number), detail: String(cString: snd_strerror(-number)))
      case .stalled:
        self.init(
          .timedOut, "\(device) has moved no audio for a second although it reports no error.", call: "poll")
      case .failing(let number):
        self.init(
          .deviceLost, "\(device) failed, and could not be started again.", call: "snd_pcm_prepare",
          number: -Int(number), detail: String(cString: snd_strerror(-number)))
      }
    }
  }

  extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
  }
#endif
