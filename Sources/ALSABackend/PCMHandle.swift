#if ALSA
  internal import AudioDeviceCore
  internal import CALSA
  internal import CAudioSupport
  internal import Glibc

  /// An open `snd_pcm_t`. Its end closes it (`snd_pcm_close`), which drops what is queued and never drains.
  ///
  /// One thread at a time. The functions return alsa-lib's own numbers (negative for errors) and neither allocate nor,
  /// on a PCM opened non-blocking, block; those that may wait for a sound server all the same say so.
  struct PCMHandle: ~Copyable {
    /// The C handle.
    let raw: OpaquePointer

    /// Opens a PCM by name, non-blocking: `snd_pcm_open`. Reads the configuration; a sound server's plug-in may hang.
    ///
    /// - Parameters:
    ///   - name: As in alsa-lib's configuration.
    ///   - direction: Which way.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` that says why.
    init(name: String, direction: AudioDirection) throws(AudioDeviceError) {
      var opened: OpaquePointer?
      let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
      let result = snd_pcm_open(&opened, name, stream, SND_PCM_NONBLOCK)
      guard result >= 0, let opened else {
        throw AudioDeviceError(alsa: "snd_pcm_open", result < 0 ? result : -EIO, device: name)
      }
      raw = opened
    }

    deinit { snd_pcm_close(raw) }

    /// `snd_pcm_state`.
    var state: PCMState { PCMState(snd_pcm_state(raw)) }

    /// `snd_pcm_avail_update`: frames that can be read or written, or a negative error number.
    func available() -> Int { snd_pcm_avail_update(raw) }

    /// `snd_pcm_delay`: frames between the application and the converter; nil where the PCM cannot tell now.
    ///
    /// Servers' plug-ins fail here right after they were opened, and some give negative or absurd numbers.
    func delay() -> Int? {
      var delay: snd_pcm_sframes_t = 0
      guard snd_pcm_delay(raw, &delay) >= 0 else { return nil }
      return delay
    }

    /// `snd_pcm_writei`.
    ///
    /// - Parameters:
    ///   - samples: Interleaved.
    ///   - frames: How many.
    /// - Returns: Frames taken, or a negative error number.
    func write(_ samples: UnsafePointer<Int16>, frames: Int) -> Int {
      snd_pcm_writei(raw, samples, snd_pcm_uframes_t(max(frames, 0)))
    }

    /// `snd_pcm_readi`.
    ///
    /// - Parameters:
    ///   - samples: Room for the frames.
    ///   - frames: How many at the most.
    /// - Returns: Frames given, or a negative error number.
    func read(_ samples: UnsafeMutablePointer<Int16>, frames: Int) -> Int {
      snd_pcm_readi(raw, samples, snd_pcm_uframes_t(max(frames, 0)))
    }

    /// `snd_pcm_drop`. May wait for a server.
    func drop() -> Int32 { snd_pcm_drop(raw) }

    /// `snd_pcm_prepare`. May wait for a server.
    func prepare() -> Int32 { snd_pcm_prepare(raw) }

    /// `snd_pcm_start`. May wait for a server.
    func start() -> Int32 { snd_pcm_start(raw) }

    /// `snd_pcm_resume`.
    func resume() -> Int32 { snd_pcm_resume(raw) }

    /// How many descriptors a wait needs: `snd_pcm_poll_descriptors_count`.
    var descriptorCount: Int { Int(max(snd_pcm_poll_descriptors_count(raw), 0)) }

    /// `snd_pcm_poll_descriptors`: they and their events can change from wait to wait.
    ///
    /// - Parameter descriptors: Room, filled from its beginning.
    /// - Returns: How many there are.
    func descriptors(into descriptors: UnsafeMutableBufferPointer<pollfd>) -> Int {
      guard let base = descriptors.baseAddress else { return 0 }
      return Int(max(snd_pcm_poll_descriptors(raw, base, UInt32(descriptors.count)), 0))
    }

    /// `snd_pcm_poll_descriptors_revents`: what the descriptors' events mean, which only the PCM knows (a plug-in polls
    /// a pipe for `POLLIN` although it plays).
    ///
    /// - Parameters:
    ///   - descriptors: As they came from `poll`.
    ///   - events: Becomes the PCM's events.
    /// - Returns: Zero, or a negative error number.
    func events(
      of descriptors: UnsafeMutableBufferPointer<pollfd>, into events: inout UInt16
    ) -> Int32 {
      guard let base = descriptors.baseAddress else { return 0 }
      return snd_pcm_poll_descriptors_revents(raw, base, UInt32(descriptors.count), &events)
    }
  }
#endif
