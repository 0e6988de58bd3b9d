#if ALSA
  internal import CALSA
  internal import Glibc

  /// The state of a PCM, as `snd_pcm_state` tells it.
  enum PCMState: Sendable, Hashable, CaseIterable {
    case open, setup, prepared, running, xrun, draining, paused, suspended, disconnected
    /// A state that alsa-lib had not heard of when this was written (`SND_PCM_STATE_PRIVATE1` among them).
    case unknown

    init(_ state: snd_pcm_state_t) {
      self =
        switch state {
        case SND_PCM_STATE_OPEN: .open
        case SND_PCM_STATE_SETUP: .setup
        case SND_PCM_STATE_PREPARED: .prepared
        case SND_PCM_STATE_RUNNING: .running
        case SND_PCM_STATE_XRUN: .xrun
        case SND_PCM_STATE_DRAINING: .draining
        case SND_PCM_STATE_PAUSED: .paused
        case SND_PCM_STATE_SUSPENDED: .suspended
        case SND_PCM_STATE_DISCONNECTED: .disconnected
        default: .unknown
        }
    }
  }

  /// What a wait for a PCM ended with.
  enum PCMPollOutcome: Sendable, Hashable, CaseIterable {
    /// The PCM says that frames can be moved.
    case ready
    /// Nothing came within the limit, or a signal handler ran.
    case timedOut
    /// The PCM reports `POLLERR` or `POLLHUP`: its state tells what that means.
    case faulty
    /// The PCM reports `POLLNVAL`: what stood behind the descriptor is gone.
    case invalid
    /// The stream is to end.
    case stopRequested

    /// Reads what `snd_pcm_poll_descriptors_revents` gave.
    init(events: UInt16) {
      if events & UInt16(POLLNVAL) != 0 {
        self = .invalid
      } else if events & UInt16(POLLERR | POLLHUP) != 0 {
        self = .faulty
      } else if events & UInt16(POLLIN | POLLOUT) != 0 {
        self = .ready
      } else {
        self = .timedOut
      }
    }
  }
#endif
