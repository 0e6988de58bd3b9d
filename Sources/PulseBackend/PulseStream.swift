#if PulseAudio
  internal import AudioDeviceCore
  internal import Synchronization

  /// One stream, as its owner holds it: any thread's side of a ``PulseStreamCore``.
  final class PulseStream: AudioStream {
    let format: AudioFormat
    private let mainloop: PulseMainloop
    private let key: Int
    private let state: PulseStreamState

    /// Takes over a stream that was opened under the key.
    init(format: AudioFormat, mainloop: PulseMainloop, key: Int, state: PulseStreamState) {
      self.format = format
      self.mainloop = mainloop
      self.key = key
      self.state = state
    }

    deinit {
      // A stream that was forgotten goes as well, without waiting.
      state.isClosed.store(true, ordering: .releasing)
      mainloop.post { [key] connection in connection.streams[key]?.close() }
    }

    var deviceID: String? { state.deviceID.withLock { $0 } }
    var schedulingClass: SchedulingClass { mainloop.schedulingClass }
    var latency: Duration { state.meter.latency }
    var statistics: AudioDeviceStatistics.Direction { state.meter.statistics }

    /// What the server granted when the stream was opened, or since.
    var bufferAttributes: PulseBufferAttributes? { state.bufferAttributes.withLock { $0 } }

    func start() throws(AudioDeviceError) {
      guard !state.isClosed.load(ordering: .acquiring) else { throw .pulseStreamIsClosed }
      try mainloop.request("pa_stream_cork", limit: mainloop.limits.request) {
        [key, state] (connection: PulseConnection, reply: PulseReply<Void>) in
        guard let core = connection.streams[key] else {
          // Closed by its owner meanwhile, or lost.
          let isClosed = state.isClosed.load(ordering: .acquiring)
          reply.resolve(.failure(isClosed ? .pulseStreamIsClosed : .pulse(in: nil, call: "pa_stream_cork")))
          return
        }
        core.start(reply)
      }
    }

    func close() {
      state.isClosed.store(true, ordering: .releasing)
      let closed = PulseReply<Void>()
      mainloop.post { [key] connection in
        guard let core = connection.streams[key] else {
          closed.resolve(.success(()))
          return
        }
        core.close { closed.resolve(.success(())) }
      }
      // On the audio thread itself the command above runs later, and there is nothing to wait for.
      guard !mainloop.isCurrentThread else { return state.notices.close(limit: .zero) }
      if mainloop.isRunning { _ = closed.wait(limit: mainloop.limits.close) }
      state.notices.close(limit: mainloop.limits.notice)
    }
  }

  /// What a stream's owner and its audio thread share.
  final class PulseStreamState: Sendable {
    /// Counters and the delay.
    let meter = AudioStreamMeter()
    /// Set once and for all by `close()`; the audio thread does not call the client any more.
    let isClosed = Atomic<Bool>(false)
    /// The device the stream is on.
    let deviceID = Locked<String?>(nil)
    /// What the server granted.
    let bufferAttributes = Locked<PulseBufferAttributes?>(nil)
    /// The client's notices.
    let notices: PulseDelivery<AudioStreamNotice>

    init(notices: PulseDelivery<AudioStreamNotice>) { self.notices = notices }
  }
#endif
