#if ALSA
  internal import AudioDeviceCore
  internal import CALSA
  internal import Glibc

  /// What a stream wants of its PCM, and what it got.
  struct PCMConfiguration: Sendable, Hashable {
    /// The delay of playback that is taken without a wish: four periods.
    static let defaultRenderBuffer = Duration.milliseconds(40)
    /// The least that a capture buffer holds. It adds no delay, because each wake-up empties it; it is what a
    /// scheduling gap may last before frames are lost.
    static let captureBuffer = Duration.milliseconds(200)
    /// What a wish may reach.
    static let longestBuffer = Duration.seconds(2)
    /// The coarsest hardware period that is still of use for speech.
    static let longestPeriod = Duration.milliseconds(100)

    /// Which way.
    let direction: AudioDirection
    /// The client's format, which the PCM is set to exactly.
    let format: AudioFormat
    /// The wished buffer in frames.
    let wishedBuffer: Int

    /// The buffer that a latency wish means.
    ///
    /// - Parameters:
    ///   - direction: Which way.
    ///   - format: The client's.
    ///   - latency: The wish; clamped to two periods … ``longestBuffer``.
    init(direction: AudioDirection, format: AudioFormat, latency: Duration?) {
      self.direction = direction
      self.format = format
      let period = format.framesPerPeriod
      let longest = format.frames(in: Self.longestBuffer)
      switch direction {
      case .render:
        let wish = format.frames(in: latency ?? Self.defaultRenderBuffer)
        wishedBuffer = min(max((wish + period - 1) / period, 2) * period, longest)
      case .capture:
        wishedBuffer = min(max(format.frames(in: latency ?? .zero), format.frames(in: Self.captureBuffer)), longest)
      }
    }
  }

  /// How a PCM was set up, in frames.
  struct PCMGeometry: Sendable, Hashable {
    /// The hardware's period, at which it wakes.
    var period: Int
    /// The ring buffer.
    var buffer: Int
    /// Playback keeps at most this many frames queued: the wish, where the hardware's buffer is larger than that.
    var target: Int
    /// `avail_min`: what has to be readable or writable before a wake-up is worth it.
    var wake: Int
  }

  extension PCMHandle {
    /// Sets the PCM up: `snd_pcm_hw_params`, `snd_pcm_sw_params`. Allocates; may wait for a server. The PCM is then
    /// prepared, and starts by `snd_pcm_start` alone.
    ///
    /// - Parameters:
    ///   - wish: What is wanted.
    ///   - name: The PCM's, for messages.
    /// - Returns: What was got.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``: ``AudioDeviceCore/AudioDeviceError/Code/formatNotSupported``
    ///   when the PCM refuses the rate, the channels or every usable period.
    func configure(_ wish: PCMConfiguration, name: String) throws(AudioDeviceError) -> PCMGeometry {
      let parameters = try HardwareParameters(name: name)
      // Some drivers can serve a period and a buffer only when asked for them in the other order.
      do throws(AudioDeviceError) {
        try parameters.negotiate(raw, wish, periodFirst: true)
      } catch {
        guard error.code == .formatNotSupported else { throw error }
        try parameters.negotiate(raw, wish, periodFirst: false)
      }
      var geometry = try parameters.geometry()
      let format = wish.format
      guard geometry.period > 0, geometry.buffer >= 2 * geometry.period,
        geometry.buffer >= 2 * format.framesPerPeriod,
        format.duration(ofFrames: geometry.period) <= PCMConfiguration.longestPeriod
      else {
        throw AudioDeviceError(
          .formatNotSupported,
          "The ALSA device \"\(name)\" only works in steps of \(geometry.period) frames with \(geometry.buffer) frames "
            + "of buffer, which is of no use for a call. Choose another device.", call: "snd_pcm_hw_params")
      }
      let leastTarget = 2 * geometry.period + format.framesPerPeriod
      geometry.target = min(max(wish.wishedBuffer, leastTarget), geometry.buffer)
      geometry.wake =
        wish.direction == .render
        ? geometry.buffer - geometry.target + format.framesPerPeriod : min(format.framesPerPeriod, geometry.buffer / 2)
      try setSoftwareParameters(geometry, name: name)
      return geometry
    }

    private func setSoftwareParameters(_ geometry: PCMGeometry, name: String) throws(AudioDeviceError) {
      var parameters: OpaquePointer?
      guard snd_pcm_sw_params_malloc(&parameters) >= 0, let parameters else {
        throw AudioDeviceError(alsa: "snd_pcm_sw_params_malloc", -ENOMEM, device: name)
      }
      defer { snd_pcm_sw_params_free(parameters) }
      func check(_ result: Int32, _ call: String) throws(AudioDeviceError) {
        guard result >= 0 else { throw AudioDeviceError(alsa: call, result, device: name) }
      }
      var boundary: snd_pcm_uframes_t = 0
      try check(snd_pcm_sw_params_current(raw, parameters), "snd_pcm_sw_params_current")
      try check(snd_pcm_sw_params_get_boundary(parameters, &boundary), "snd_pcm_sw_params_get_boundary")
      // Nothing but snd_pcm_start starts it.
      try check(
        snd_pcm_sw_params_set_start_threshold(raw, parameters, boundary), "snd_pcm_sw_params_set_start_threshold")
      // An empty (playback) or full (capture) buffer is an xrun that is told, not played over.
      try check(
        snd_pcm_sw_params_set_stop_threshold(raw, parameters, snd_pcm_uframes_t(geometry.buffer)),
        "snd_pcm_sw_params_set_stop_threshold")
      try check(
        snd_pcm_sw_params_set_avail_min(raw, parameters, snd_pcm_uframes_t(geometry.wake)),
        "snd_pcm_sw_params_set_avail_min")
      try check(snd_pcm_sw_params(raw, parameters), "snd_pcm_sw_params")
    }
  }

  /// A `snd_pcm_hw_params_t`.
  private struct HardwareParameters: ~Copyable {
    private let raw: OpaquePointer
    private let name: String

    init(name: String) throws(AudioDeviceError) {
      var allocated: OpaquePointer?
      guard snd_pcm_hw_params_malloc(&allocated) >= 0, let allocated else {
        throw AudioDeviceError(alsa: "snd_pcm_hw_params_malloc", -ENOMEM, device: name)
      }
      raw = allocated
      self.name = name
    }

    deinit { snd_pcm_hw_params_free(raw) }

    private func check(_ result: Int32, _ call: String) throws(AudioDeviceError) {
      guard result >= 0 else { throw AudioDeviceError(alsa: call, result, device: name) }
    }

    /// Fixes access, format, channels and rate, asks for period and buffer, and installs it all.
    func negotiate(_ pcm: OpaquePointer, _ wish: PCMConfiguration, periodFirst: Bool) throws(AudioDeviceError) {
      try check(snd_pcm_hw_params_any(pcm, raw), "snd_pcm_hw_params_any")
      try check(
        snd_pcm_hw_params_set_access(pcm, raw, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access")
      try check(snd_pcm_hw_params_set_format(pcm, raw, SND_PCM_FORMAT_S16), "snd_pcm_hw_params_set_format")
      try check(
        snd_pcm_hw_params_set_channels(pcm, raw, UInt32(wish.format.channelCount)), "snd_pcm_hw_params_set_channels")
      try check(
        snd_pcm_hw_params_set_rate(pcm, raw, UInt32(wish.format.sampleRate), 0), "snd_pcm_hw_params_set_rate")
      // Both are set: a plug-in's buffer that is left open is its largest, which is seconds.
      var period = snd_pcm_uframes_t(wish.format.framesPerPeriod)
      var buffer = snd_pcm_uframes_t(wish.wishedBuffer)
      if periodFirst {
        try setPeriod(pcm, &period)
        // Coarse hardware needs room for what plays, what comes next, and one period of the client's.
        let client = snd_pcm_uframes_t(wish.format.framesPerPeriod)
        if period > client { buffer = max(buffer, min(period, 1 << 20) * 2 + client) }
      }
      try check(snd_pcm_hw_params_set_buffer_size_near(pcm, raw, &buffer), "snd_pcm_hw_params_set_buffer_size_near")
      if !periodFirst { try setPeriod(pcm, &period) }
      try check(snd_pcm_hw_params(pcm, raw), "snd_pcm_hw_params")
    }

    private func setPeriod(_ pcm: OpaquePointer, _ period: inout snd_pcm_uframes_t) throws(AudioDeviceError) {
      try check(
        snd_pcm_hw_params_set_period_size_near(pcm, raw, &period, nil), "snd_pcm_hw_params_set_period_size_near")
    }

    /// What was installed; target and wake are still to be chosen.
    func geometry() throws(AudioDeviceError) -> PCMGeometry {
      var period: snd_pcm_uframes_t = 0
      var buffer: snd_pcm_uframes_t = 0
      try check(snd_pcm_hw_params_get_period_size(raw, &period, nil), "snd_pcm_hw_params_get_period_size")
      try check(snd_pcm_hw_params_get_buffer_size(raw, &buffer), "snd_pcm_hw_params_get_buffer_size")
      // No buffer of 2^31 frames exists; the clamp keeps what follows from overflowing on a plug-in's fancy.
      let limit = snd_pcm_uframes_t(Int32.max)
      return PCMGeometry(period: Int(min(period, limit)), buffer: Int(min(buffer, limit)), target: 0, wake: 0)
    }
  }
#endif
