#if ALSA
  import CALSA
  import Glibc

  /// A PCM opened with plain alsa-lib calls.
  final class Handle {
    let pcm: OpaquePointer

    init(_ name: String, _ stream: snd_pcm_stream_t, nonblocking: Bool = false) throws(ALSAError) {
      var pcm: OpaquePointer?
      let error = snd_pcm_open(&pcm, name, stream, nonblocking ? SND_PCM_NONBLOCK : 0)
      guard error == 0, let pcm else { throw ALSAError(number: -error) }
      self.pcm = pcm
    }

    deinit { snd_pcm_close(pcm) }

    func set(
      _ format: snd_pcm_format_t = SND_PCM_FORMAT_S16_LE, channels: UInt32 = 1, rate: UInt32 = 48_000,
      access: snd_pcm_access_t = SND_PCM_ACCESS_RW_INTERLEAVED, period: UInt = 480, buffer: UInt = 1_920
    ) -> Int32 {
      var parameters: OpaquePointer?
      snd_pcm_hw_params_malloc(&parameters)
      defer { snd_pcm_hw_params_free(parameters) }
      snd_pcm_hw_params_any(pcm, parameters)
      var error = snd_pcm_hw_params_set_access(pcm, parameters, access)
      if error >= 0 { error = snd_pcm_hw_params_set_format(pcm, parameters, format) }
      if error >= 0 { error = snd_pcm_hw_params_set_channels(pcm, parameters, channels) }
      if error >= 0 { error = snd_pcm_hw_params_set_rate(pcm, parameters, rate, 0) }
      if error >= 0 { error = snd_pcm_hw_params_set_buffer_size(pcm, parameters, buffer) }
      if error >= 0 { error = snd_pcm_hw_params_set_period_size(pcm, parameters, period, 0) }
      if error >= 0 { error = snd_pcm_hw_params(pcm, parameters) }
      return error < 0 ? error : startOnlyByStart()
    }

    private func startOnlyByStart() -> Int32 {
      var parameters: OpaquePointer?
      snd_pcm_sw_params_malloc(&parameters)
      defer { snd_pcm_sw_params_free(parameters) }
      snd_pcm_sw_params_current(pcm, parameters)
      var boundary: UInt = 0
      snd_pcm_sw_params_get_boundary(parameters, &boundary)
      snd_pcm_sw_params_set_start_threshold(pcm, parameters, boundary)
      return snd_pcm_sw_params(pcm, parameters)
    }

    func write(_ samples: [Int16], channels: Int = 1) -> Int {
      samples.withUnsafeBytes { snd_pcm_writei(pcm, $0.baseAddress, UInt(samples.count / channels)) }
    }

    func read(_ frames: Int) -> (result: Int, samples: [Int16]) {
      var samples = [Int16](repeating: -1, count: frames)
      let result = samples.withUnsafeMutableBytes { snd_pcm_readi(pcm, $0.baseAddress, UInt(frames)) }
      return (result, Array(samples.prefix(max(0, result))))
    }

    var state: snd_pcm_state_t { snd_pcm_state(pcm) }

    /// The events that poll gives within a limit; 0 when there are none.
    func poll(milliseconds: Int32) -> Int32 {
      var descriptor = pollfd()
      guard snd_pcm_poll_descriptors(pcm, &descriptor, 1) == 1 else { return -1 }
      guard Glibc.poll(&descriptor, 1, milliseconds) == 1 else { return 0 }
      var events: UInt16 = 0
      guard snd_pcm_poll_descriptors_revents(pcm, &descriptor, 1, &events) == 0 else { return -1 }
      return Int32(events)
    }
  }

  struct ALSAError: Error, Equatable { let number: Int32 }

  /// The names that `snd_device_name_hint` lists.
  func hints() -> [String] {
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, "pcm", &list) == 0, let list else { return [] }
    defer { snd_device_name_free_hint(list) }
    var names: [String] = []
    var entry = list
    while let hint = entry.pointee {
      if let name = snd_device_name_get_hint(hint, "NAME") {
        names.append(String(cString: name))
        free(name)
      }
      entry += 1
    }
    return names
  }
#endif
