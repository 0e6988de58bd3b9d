#if ALSA
  internal import AudioDeviceCore

  /// What a stream and its thread share.
  final class ALSAStreamShared: Sendable {
    /// The door to the client.
    let gate = StreamGate()
    /// Ends the thread's waits; only ``stop()`` signals it.
    let wake: WakeEvent
    /// The first start of the PCM succeeded or failed; see ``startOutcome``.
    let isStarted: WakeEvent
    /// The thread has closed the PCM and will do no more.
    let hasEnded: WakeEvent
    /// Counters and the delay.
    let meter = AudioStreamMeter()
    /// Paces a PCM that nobody paces.
    let clock: any PeriodClock
    /// How the first start went.
    let startOutcome = Locked<Result<Void, AudioDeviceError>?>(nil)
    /// What the thread takes over when it begins.
    private let cargo: Locked<Cargo?>
    /// The waiter of a thread that paces itself.
    private let waiter = Locked<(any ClockWaiter)?>(nil)

    struct Cargo: Sendable {
      let pcm: OpenPCM
      let client: any AudioStreamClient
    }

    init(pcm: OpenPCM, client: any AudioStreamClient, clock: any PeriodClock) throws(SystemCallError) {
      wake = try WakeEvent()
      isStarted = try WakeEvent()
      hasEnded = try WakeEvent()
      self.clock = clock
      cargo = Locked(Cargo(pcm: pcm, client: client))
    }

    /// Takes the PCM and the client; nil when they were taken before.
    func takeCargo() -> Cargo? { cargo.withLock { $0.take() } }

    /// Whether nobody has taken them yet.
    var hasCargo: Bool { cargo.withLock { $0 != nil } }

    /// Tells how the first start went.
    func reportStart(_ outcome: Result<Void, AudioDeviceError>) {
      startOutcome.withLock { $0 = outcome }
      isStarted.signal()
    }

    /// A waiter on the clock that ``stop()`` wakes. Allocates.
    func makeWaiter() throws(SystemCallError) -> any ClockWaiter {
      let made = try clock.makeWaiter()
      waiter.withLock { $0 = made }
      // A stop that came before the waiter was known has to wake it too.
      if gate.isShut { made.wake() }
      return made
    }

    /// Shuts the door and ends the thread's waits. Any thread, any number of times.
    func stop() {
      gate.shutDoor()
      wake.signal()
      waiter.withLock { $0 }?.wake()
    }
  }
#endif
