#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  /// How the server is to buffer a stream: a wished delay in the server's own terms (`pa_buffer_attr`).
  ///
  /// With `PA_STREAM_ADJUST_LATENCY` both servers set the device to (tlength − 2·minreq) / 2 as far as it goes, and
  /// keep the rest of tlength full, which is the delay of a render stream. With requests of one period (10 ms) a wish
  /// of L thus asks for 2·(L − 10 ms): 40 ms for the default of 30 ms. The device's steps then are L − 20 ms. They must
  /// not be smaller than the requests, or some pass without one and the server runs dry: so for less than 30 ms the
  /// requests are half a period, for which 2·(L − 5 ms) is asked, with steps of L − 10 ms. L then goes in steps of 5 ms,
  /// 15 ms at the least, because only that fits whole periods. Where the device does not go that far the rest is too
  /// large, and ``corrected(granted:)`` asks again. The delay of a capture stream is one fragment, so a wish of L asks for
  /// fragments of L in whole periods, 10 ms at the least and by default. Both go no further than one second. A device
  /// that cannot be so quick makes the delay longer.
  struct PulseBufferAttributes: Sendable, Hashable {
    /// Bytes that the server keeps for a render stream, `tlength`.
    private(set) var target = UInt32.max
    /// Bytes that the server asks for, or gives, at a time: `minreq` or `fragsize`.
    private(set) var step: UInt32
    /// Bytes at which rendering starts, and starts again after an underrun, `prebuf`.
    private(set) var start = UInt32.max
    /// The most bytes the server holds, `maxlength`.
    private(set) var most: UInt32
    /// Which way.
    let direction: AudioDirection

    /// What is asked of the server for a wish.
    ///
    /// - Parameters:
    ///   - direction: Which way.
    ///   - format: Of the stream.
    ///   - latency: The wished delay of the server and the device; nil for the shortest that is safe.
    init(_ direction: AudioDirection, format: AudioFormat, latency: Duration?) {
      self.direction = direction
      let frameBytes = format.bytesPerFrame
      let period = format.framesPerPeriod * frameBytes
      // What a stalled client or server leaves behind is bounded by this, and drained at once afterwards.
      let room = format.frames(in: .milliseconds(500)) * frameBytes
      switch direction {
      case .render:
        var wish = min(max(latency ?? .milliseconds(30), .milliseconds(15)), .seconds(1))
        let isShort = wish < .milliseconds(30)
        let request = Duration.milliseconds(isShort ? 5 : 10)
        if isShort { wish = request * Int(wish / request) }
        let target = format.frames(in: (wish - request) * 2) * frameBytes
        step = UInt32(clamping: format.frames(in: request) * frameBytes)
        // One period, because only whole ones are written: the server's default could ask for more than fit.
        start = UInt32(clamping: period)
        self.target = UInt32(clamping: target)
        most = UInt32(clamping: max(target * 2, room))
      case .capture:
        let wish = min(max(latency ?? .zero, format.periodDuration), .seconds(1))
        let periods = max(format.frames(in: wish) / format.framesPerPeriod, 1)
        step = UInt32(clamping: periods * period)
        most = UInt32(clamping: max(periods * period * 2, room))
      }
    }

    /// What the server granted, `pa_stream_get_buffer_attr`.
    init(_ direction: AudioDirection, granted: pa_buffer_attr) {
      self.direction = direction
      switch direction {
      case .render:
        target = granted.tlength
        step = granted.minreq
        start = granted.prebuf
      case .capture:
        step = granted.fragsize
      }
      most = granted.maxlength
    }

    /// What to ask instead, when the server keeps more of a render stream than was wished: its device is limited, and
    /// what was meant for the device went into the stream's own buffer.
    ///
    /// - Parameter granted: What the server granted for these attributes.
    /// - Returns: Better attributes; nil when these are right, or the device is too slow for the wish.
    func corrected(granted: PulseBufferAttributes) -> PulseBufferAttributes? {
      guard direction == .render else { return nil }
      let wish = target / 2 + step
      guard granted.target > wish + step else { return nil }
      let excess = granted.target - wish
      guard excess < target, target - excess > wish else { return nil }
      var corrected = self
      corrected.target = target - excess
      return corrected
    }

    /// In libpulse's form.
    var native: pa_buffer_attr {
      var native = pa_buffer_attr()
      native.maxlength = most
      native.tlength = target
      native.prebuf = start
      native.minreq = direction == .render ? step : .max
      native.fragsize = direction == .capture ? step : .max
      return native
    }
  }

  extension AudioFormat {
    /// Bytes of one frame.
    var bytesPerFrame: Int { channelCount * MemoryLayout<Int16>.size }
    /// Bytes of one period.
    var bytesPerPeriod: Int { framesPerPeriod * bytesPerFrame }

    /// In libpulse's form.
    var sampleSpec: pa_sample_spec {
      #if _endian(little)
        let native = PA_SAMPLE_S16LE
      #else
        let native = PA_SAMPLE_S16BE
      #endif
      return pa_sample_spec(format: native, rate: UInt32(clamping: sampleRate), channels: UInt8(clamping: channelCount))
    }
  }
#endif
