#if ALSA
  import AudioTestSupport
  import CALSA

  /// A PCM of the kernel's, with nothing between it and the test: 16 bit, stereo, 48 kHz, interleaved, non-blocking.
  struct KernelPCM: ~Copyable {
    /// The size of its buffer in frames.
    let bufferFrames: Int
    private let handle: OpaquePointer

    init(_ name: String, _ direction: snd_pcm_stream_t, buffer: Duration = .seconds(1)) throws {
      var opened: OpaquePointer?
      try Self.check(snd_pcm_open(&opened, name, direction, SND_PCM_NONBLOCK), "snd_pcm_open \(name)")
      guard let opened else { throw RigError("snd_pcm_open \(name) gave nothing") }
      var bufferSize: snd_pcm_uframes_t = 0
      var periodSize: snd_pcm_uframes_t = 0
      do {
        // A playback PCM starts by itself when its buffer is full, a capture PCM at the first read.
        try Self.check(
          snd_pcm_set_params(
            opened, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 2, 48_000, 0,
            UInt32(buffer / .microseconds(1))), "snd_pcm_set_params \(name)")
        try Self.check(snd_pcm_get_params(opened, &bufferSize, &periodSize), "snd_pcm_get_params \(name)")
        try Self.enableTimestamps(opened)
      } catch {
        snd_pcm_close(opened)
        throw error
      }
      handle = opened
      bufferFrames = Int(bufferSize)
    }

    deinit { snd_pcm_close(handle) }

    var state: snd_pcm_state_t { snd_pcm_state(handle) }

    func start() throws { try Self.check(snd_pcm_start(handle), "snd_pcm_start") }

    func prepare() throws { try Self.check(snd_pcm_prepare(handle), "snd_pcm_prepare") }

    /// What `snd_pcm_resume` returns.
    func resume() -> Int32 { snd_pcm_resume(handle) }

    /// Hands over frames that fit into the buffer.
    func write(_ samples: [Int16]) throws {
      let written = snd_pcm_writei(handle, samples, snd_pcm_uframes_t(samples.count / 2))
      try Self.check(Int32(written), "snd_pcm_writei")
      guard written == samples.count / 2 else { throw RigError("snd_pcm_writei took \(written) frames") }
    }

    /// Records until there are as many frames, or a few seconds have passed.
    func read(frames: Int) throws -> [Int16] {
      var samples: [Int16] = []
      var block = [Int16](repeating: 0, count: 2 * 4_800)
      let deadline = ContinuousClock.now + .seconds(10)
      while samples.count < 2 * frames, ContinuousClock.now < deadline {
        snd_pcm_wait(handle, 100)
        let got = snd_pcm_readi(handle, &block, snd_pcm_uframes_t(block.count / 2))
        if got == -Int(EAGAIN) { continue }
        try Self.check(Int32(got), "snd_pcm_readi")
        samples += block.prefix(2 * Int(got))
      }
      return samples
    }

    /// How many frames it moved and when, both as the driver saw them: free of the test's own delays.
    func position(afterReading frames: Int) throws -> (frames: Int, seconds: Double) {
      var status: OpaquePointer?
      try Self.check(snd_pcm_status_malloc(&status), "snd_pcm_status_malloc")
      defer { snd_pcm_status_free(status) }
      try Self.check(snd_pcm_status(handle, status), "snd_pcm_status")
      var time = snd_htimestamp_t()
      snd_pcm_status_get_htstamp(status, &time)
      let available = Int(snd_pcm_status_get_avail(status))
      return (frames + available, Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    /// The error that the device has now, as a negative number; 0 when it has none.
    func currentError() -> Int { min(0, Int(snd_pcm_avail(handle))) }

    private static func enableTimestamps(_ handle: OpaquePointer) throws {
      var parameters: OpaquePointer?
      try check(snd_pcm_sw_params_malloc(&parameters), "snd_pcm_sw_params_malloc")
      defer { snd_pcm_sw_params_free(parameters) }
      try check(snd_pcm_sw_params_current(handle, parameters), "snd_pcm_sw_params_current")
      try check(
        snd_pcm_sw_params_set_tstamp_mode(handle, parameters, SND_PCM_TSTAMP_ENABLE),
        "snd_pcm_sw_params_set_tstamp_mode")
      try check(snd_pcm_sw_params(handle, parameters), "snd_pcm_sw_params")
    }

    private static func check(_ result: Int32, _ call: String) throws {
      guard result >= 0 else { throw RigError("\(call): \(String(cString: snd_strerror(result)))") }
    }
  }
#endif
