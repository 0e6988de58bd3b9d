#if PulseAudio
  internal import AudioDeviceCore
  internal import CAudioSupport
  internal import Glibc

  /// How the audio thread waits, `pa_poll_func`. Mainloop's thread; neither blocks otherwise nor allocates.
  ///
  /// The server sends a duplex pair of streams three messages a period: captured audio, a request, and that it has taken
  /// what was written. A real-time thread is quick enough to be woken by each of them. So when the streams keep to their
  /// steps, this thread rests until a little after the next is due, and finds all messages at once: one wake-up a period
  /// in place of three. Commands end the rest, and so does the connection's end.
  final class PulseWait {
    /// How long after it is due audio is taken, in nanoseconds. What is captured is that much later, and what is rendered
    /// has that much less in reserve.
    static let slack: Int64 = 500_000
    /// How long nothing rests after a command, because its answers are waited for.
    static let attention: Int64 = 500_000_000

    private let wakeUp: Int32
    private let longestRest: Int64
    private var streams: UnsafeMutableBufferPointer<PulseArrivals>
    private var streamCount = 0
    /// When the next rest ends; nil where nothing rests.
    private(set) var restEnd: Int64?
    private var attentiveUntil: Int64 = 0
    /// Whether what passes now may have waited for the end of a rest.
    private var isAfterRest = false
    private let resting: UnsafeMutableBufferPointer<pollfd>

    /// Waits for a mainloop's descriptors.
    ///
    /// - Parameters:
    ///   - wakeUp: That of them which ends a rest.
    ///   - longestRest: In nanoseconds. All that the server says waits for the end of a rest, so streams that pass rarely
    ///     do without.
    init(wakeUp: Int32, longestRest: Int64 = 25_000_000) {
      self.wakeUp = wakeUp
      self.longestRest = longestRest
      streams = .allocate(capacity: 8)
      resting = .allocate(capacity: 8)
      resting.initialize(repeating: pollfd())
    }

    deinit {
      streams.deallocate()
      resting.deallocate()
    }

    // MARK: What is waited for

    /// A stream runs from now on, or goes in other steps than before. May allocate.
    func watch(_ key: Int, step: Duration) {
      forget(key)
      if streamCount == streams.count {
        let room = UnsafeMutableBufferPointer<PulseArrivals>.allocate(capacity: 2 * streams.count)
        _ = room.update(fromContentsOf: streams)
        streams.deallocate()
        streams = room
      }
      streams[streamCount] = PulseArrivals(key: key, step: step)
      streamCount += 1
    }

    /// A stream does not run any more.
    func forget(_ key: Int) {
      restEnd = nil
      guard let index = streams.prefix(streamCount).firstIndex(where: { $0.key == key }) else { return }
      streamCount -= 1
      streams[index] = streams[streamCount]
    }

    /// Somebody waits for answers of the server.
    func attend(now: AudioInstant) {
      attentiveUntil = max(attentiveUntil, now.nanoseconds &+ Self.attention)
      restEnd = nil
    }

    /// A stream's audio passed. Audio path.
    func pass(_ key: Int, now: AudioInstant) {
      restEnd = nil
      for index in 0..<streamCount where streams[index].key == key {
        streams[index].pass(now: now, wasAwaited: isAfterRest)
      }
      planRest(now: now.nanoseconds)
    }

    /// There is no rest where a stream is late, may pass at any time, or is to be measured.
    private func planRest(now: Int64) {
      guard now >= attentiveUntil else { return }
      var first = Int64.max
      for index in 0..<streamCount {
        guard let due = streams[index].due, due &+ Self.slack > now, !streams[index].isToBeMeasured else { return }
        first = min(first, due)
      }
      if first &- now <= longestRest { restEnd = first &+ Self.slack }
    }

    // MARK: Waiting

    /// Waits as poll(2) does, after a rest where there is time for one.
    ///
    /// - Parameters:
    ///   - descriptors: The mainloop's.
    ///   - count: How many.
    ///   - timeout: In milliseconds; negative: none.
    /// - Returns: As poll(2).
    func wait(_ descriptors: UnsafeMutablePointer<pollfd>, count: Int, timeout: Int32) -> Int32 {
      if isAfterRest {
        // First all that came meanwhile.
        let ready = poll(descriptors, UInt(count), 0)
        if ready != 0 || timeout == 0 { return ready }
        isAfterRest = false
      }
      // Timers may be late by a rest: they are there for seconds. Where there is something to do at once, it is done.
      if let restEnd, timeout != 0, rest(until: restEnd, descriptors, count: count) {
        isAfterRest = true
        self.restEnd = nil
        return 0
      }
      return poll(descriptors, UInt(count), timeout)
    }

    /// Waits for nothing but a wake-up or the end of a connection.
    ///
    /// - Returns: Whether it came to a rest.
    private func rest(until end: Int64, _ descriptors: UnsafeMutablePointer<pollfd>, count: Int) -> Bool {
      let length = end - AudioInstant.now.nanoseconds
      guard length > 0, count <= resting.count, let base = resting.baseAddress else { return false }
      for index in 0..<count {
        resting[index] = descriptors[index]
        guard resting[index].fd != wakeUp else { continue }
        // What is to be sent is sent at once.
        guard resting[index].events & Int16(POLLOUT) == 0 else { return false }
        resting[index].events = 0
      }
      _ = cas_poll(base, UInt64(count), length)
      return true
    }
  }
#endif
