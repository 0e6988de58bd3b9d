#if MP3
  internal import AudioDeviceCore
  internal import SoundDecoding

  /// One ringing: a decoder on a worker thread, a ring, and a stream of its own at the backend.
  ///
  /// In order: `init` decodes the beginning, ``open(on:deviceID:)`` opens the stream, ``start(onTick:onFailure:)``
  /// makes it heard, ``stop()`` ends it for good.
  final class RingtonePlayer: Sendable {
    /// How much is decoded ahead: more than any stall of a disk or a processor that a ringtone should survive.
    private static let readAhead = Duration.seconds(1)
    /// How often the worker tops the ring up.
    private static let workInterval = Duration.milliseconds(100)
    private static let tickInterval = Duration.seconds(1)

    private struct State {
      var stream: (any AudioStream)?
      var worker: (thread: RealtimeThread, waiter: any ClockWaiter)?
      var onFailure: (@Sendable (AudioDeviceError) -> Void)?
      var failure: AudioDeviceError?
    }
    private let configuration: RingtoneConfiguration
    private let format: AudioFormat
    private let sound: Locked<LoopingSound>
    private let ring: SampleRing<Int16>
    private let client = Locked<RingtoneStreamClient?>(nil)
    private let state = Locked(State())

    /// Opens the file and decodes its beginning, so that a file that is missing or broken fails here.
    init(path: String, configuration: RingtoneConfiguration) throws(AudioDeviceError) {
      var sound = try LoopingSound(path: path)
      let format = sound.format
      let ring = SampleRing<Int16>(minimumCapacity: format.frames(in: Self.readAhead) * format.channelCount)
      try sound.fill(ring, atMost: format.frames(in: Self.workInterval * 3))
      self.configuration = configuration
      self.format = format
      self.ring = ring
      self.sound = Locked(sound)
    }

    /// Opens a stream for it, unheard.
    func open(on backend: any AudioBackend, deviceID: String?) throws(AudioDeviceError) {
      let client: RingtoneStreamClient
      do throws(SystemCallError) {
        client = try RingtoneStreamClient(
          ring: ring, format: format, configuration: configuration, onLost: { [weak self] in self?.fail($0) })
      } catch {
        throw AudioDeviceError(error, "The ringtone cannot be set up.")
      }
      let stream = try backend.openStream(
        AudioStreamConfiguration(
          direction: .render, format: format, deviceID: deviceID,
          role: configuration.role, name: "Ringtone"),
        client: client)
      self.client.withLock { $0 = client }
      state.withLock { $0.stream = stream }
    }

    /// Makes it heard.
    ///
    /// - Parameters:
    ///   - onTick: Called on the worker thread once a second, first at once.
    ///   - onFailure: Called once, from any thread but the audio thread, when decoding or the stream ends by itself.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` from the stream's start; what was begun ends with ``stop()``.
    func start(
      onTick: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable (AudioDeviceError) -> Void
    ) throws(AudioDeviceError) {
      guard let stream = state.withLock({ $0.stream }) else {
        throw AudioDeviceError(.invalidState, "The ringtone has no stream.")
      }
      state.withLock { $0.onFailure = onFailure }
      let clock = configuration.clock
      do throws(SystemCallError) {
        let waiter = try clock.makeWaiter()
        do throws(SystemCallError) {
          let thread = try RealtimeThread(name: "audio-ringtone", scheduling: .normal) { [self] in
            work(clock: clock, waiter: waiter, onTick: onTick)
            waiter.invalidate()
          }
          state.withLock { $0.worker = (thread, waiter) }
        } catch {
          waiter.invalidate()
          throw error
        }
      } catch {
        throw AudioDeviceError(error, "The ringtone cannot be set up.")
      }
      try stream.start()
    }

    /// Fades out, closes the stream and ends the worker. Idempotent; waits for the fade.
    func stop() {
      let (stream, worker, hasFailed) = state.withLock { state in
        // The worker stays known, for what is called on it while it is waited for.
        defer {
          state.stream = nil
          state.onFailure = nil
        }
        return (state.stream, state.worker, state.failure != nil)
      }
      if let stream {
        if configuration.fadeOut > .zero, worker != nil, !hasFailed {
          client.withLock { $0 }?.fadeOut(limit: min(configuration.fadeOut, .seconds(1)) + .milliseconds(300))
          // What was faded is still on its way to the speaker.
          if let pause = try? WakeEvent() { _ = pause.wait(limit: min(stream.latency, .milliseconds(300))) }
        }
        stream.close()
      }
      worker?.waiter.wake()
      worker?.thread.join()
      client.withLock { $0 = nil }
    }

    /// Whether the caller runs on the thread that decodes.
    var isOnWorker: Bool { state.withLock { $0.worker?.thread.isCurrent ?? false } }

    private func work(clock: any PeriodClock, waiter: any ClockWaiter, onTick: () -> Void) {
      var tick = clock.now
      var deadline = tick
      repeat {
        let failure = sound.withLock { sound -> AudioDeviceError? in
          do throws(AudioDeviceError) {
            try sound.fill(ring)
            return nil
          } catch {
            return error
          }
        }
        if let failure {
          fail(failure)
          return
        }
        if clock.now >= tick {
          onTick()
          // The next whole second: a tick that took long does not make others come in a row.
          while tick <= clock.now { tick = tick + Self.tickInterval }
        }
        deadline = max(deadline + Self.workInterval, clock.now)
      } while waiter.wait(until: min(deadline, tick)) == .deadline
    }

    private func fail(_ error: AudioDeviceError) {
      let handler = state.withLock { state in
        state.failure = state.failure ?? error
        defer { state.onFailure = nil }
        return state.onFailure
      }
      handler?(error)
    }
  }
#endif
