public import AudioDeviceCore

/// Faults to order, for whoever has to prove that a call survives them.
extension VirtualBackend {
  struct Faults {
    struct Failure {
      var direction: AudioDirection?
      var error: AudioDeviceError
      var remaining: Int
    }
    struct Delay {
      var duration: Duration
      var clock: (any PeriodClock)?
    }
    var isAvailable = true
    var failures: [Failure] = []
    var delays: [AudioDirection: Delay] = [:]
  }

  /// Makes the next attempts to open a stream fail. Orders add up, and are used up in their order.
  ///
  /// - Parameters:
  ///   - count: How many attempts; `Int.max` for all until ``clearFaults()``.
  ///   - direction: Of which direction; nil for both.
  ///   - error: What they throw.
  public func failOpens(_ count: Int, of direction: AudioDirection? = nil, with error: AudioDeviceError) {
    guard count > 0 else { return }
    faults.withLock { faults in
      faults.failures.append(Faults.Failure(direction: direction, error: error, remaining: count))
    }
  }

  /// Makes every attempt to open a stream take its time, before it succeeds or fails.
  ///
  /// - Parameters:
  ///   - duration: How long; zero for no longer than needed.
  ///   - direction: Of which direction.
  ///   - clock: The clock by which it takes so long; nil for the backend's own.
  public func delayOpens(by duration: Duration, of direction: AudioDirection, on clock: (any PeriodClock)? = nil) {
    faults.withLock { faults in
      faults.delays[direction] = duration > .zero ? Faults.Delay(duration: duration, clock: clock) : nil
    }
  }

  /// Takes back all orders of ``failOpens(_:of:with:)`` and ``delayOpens(by:of:on:)``.
  public func clearFaults() {
    faults.withLock { faults in
      faults.failures = []
      faults.delays = [:]
    }
  }

  /// Makes the backend unavailable, as a sound server that has died, or available again.
  ///
  /// - Parameter isAvailable: False loses all streams, and everything throws `serverUnavailable` until it is true
  ///   again.
  public func setAvailable(_ isAvailable: Bool) {
    faults.withLock { $0.isAvailable = isAvailable }
    if !isAvailable { send(.lost(Self.unavailable)) }
  }

  /// Sends open streams a notice as if it came from a server. Does not wait for them.
  ///
  /// A stream gives it to its client on its own thread, between two periods.
  /// ``AudioDeviceCore/AudioStreamNotice/lost(_:)`` ends the stream;
  /// ``AudioDeviceCore/AudioStreamNotice/suspended(_:)`` stops and restarts the calls to the client, without counting
  /// lost frames; ``AudioDeviceCore/AudioStreamNotice/xrun`` counts one;
  /// ``AudioDeviceCore/AudioStreamNotice/moved(deviceID:)`` changes the id that the stream tells, not what it hears; of
  /// the others the client is told, and nothing else happens. A stream that has not been started keeps it until then,
  /// and throws the error of a loss from its start.
  ///
  /// - Parameters:
  ///   - notice: What to tell.
  ///   - isIncluded: Which streams are told; all, unless said otherwise.
  /// - Returns: How many.
  @discardableResult
  public func send(
    _ notice: AudioStreamNotice, to isIncluded: (OpenStream) -> Bool = { _ in true }
  ) -> Int {
    let runners = registry.runners(where: isIncluded)
    for runner in runners { runner.post(notice) }
    return runners.count
  }

  /// Makes open streams lose their next periods, as if their threads had been held up: one xrun for each, silence at
  /// the speaker, a gap in what was captured.
  ///
  /// - Parameters:
  ///   - periods: How many, from 1 to 1000.
  ///   - isIncluded: Which streams; all, unless said otherwise.
  /// - Returns: How many streams.
  @discardableResult
  public func stallStreams(
    periods: Int, where isIncluded: (OpenStream) -> Bool = { _ in true }
  ) -> Int {
    let runners = registry.runners(where: isIncluded)
    for runner in runners { runner.stall(periods: min(max(periods, 1), 1000)) }
    return runners.count
  }

  private static let unavailable = AudioDeviceError(
    .serverUnavailable, "The virtual backend was made unavailable by setAvailable(false).")

  func checkAvailable() throws(AudioDeviceError) {
    guard isAvailable else { throw Self.unavailable }
  }

  /// Does to an attempt to open a stream what was ordered.
  func passFaults(_ direction: AudioDirection) throws(AudioDeviceError) {
    if let delay = faults.withLock({ $0.delays[direction] }) {
      let clock = delay.clock ?? clock
      do throws(SystemCallError) {
        let waiter = try clock.makeWaiter()
        _ = waiter.wait(until: clock.now + delay.duration)
        waiter.invalidate()
      } catch {
        throw AudioDeviceError(error, "The opening of a stream cannot be delayed.")
      }
    }
    let error = faults.withLock { faults -> AudioDeviceError? in
      let index = faults.failures.firstIndex { $0.direction == nil || $0.direction == direction }
      guard let index else { return nil }
      faults.failures[index].remaining -= 1
      defer { faults.failures.removeAll { $0.remaining == 0 } }
      return faults.failures[index].error
    }
    if let error { throw error }
  }
}
