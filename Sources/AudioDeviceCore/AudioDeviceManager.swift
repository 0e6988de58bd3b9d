/// Owns the audio of one client: its device, its bus, its wishes, and the gates between them.
///
/// A client gives it a bus (``setAudioBus(_:)``) and a device (``setAudioDevice(_:)``), and says what it wishes
/// (``startCapture()``, ``stopCapture()``, ``startRendering()``, ``stopRendering()``). Mutes, ringing, calling services
/// and interruptions are gates. What follows from wishes and gates is said by ``AudioGates/decision`` alone. While a
/// gate is closed a wish succeeds and is remembered, and the client gets silence at the period pace, so that it never
/// times out.
///
/// All functions may be called from any thread but an audio thread. Those that open or close a device wait for it.
public final class AudioDeviceManager: Sendable {
  /// The manager for a process with one client.
  public static let shared = AudioDeviceManager()

  struct State {
    var gates = AudioGates()
    var device: (any AudioDevice)?
    var host: ManagerHost?
    var client: (any AudioBus)?
    var bus: GateBus?
    var interruptions: Set<Interruption> = []
    /// The session that the calling services have activated, and whether they keep the devices closed.
    var session: AudioSession?
    var sessionIsClosed = false
    /// Grows with each wish, so that a failed start takes back its own wish alone.
    var captureWish = 0
    var renderWish = 0
    /// What devices that are gone had counted.
    var formerDevices = AudioDeviceStatistics()
  }
  let state: Locked<State>
  let capture: DirectionController
  let render: DirectionController
  private let counters = GateCounters()
  private let clock: any PeriodClock
  let broadcaster = AudioEventBroadcaster()
  private let deviceChange = SerialLane("audio-device-change")
  private let sessionChange: SerialLane

  /// For calling services: a desktop's, or an app's own. Works with every device.
  public let audioSessionManager: AudioSessionManager

  /// A manager without a device.
  ///
  /// - Parameter clock: What paces the silence of closed gates.
  public init(clock: any PeriodClock = SystemPeriodClock.shared) {
    let state = Locked(State())
    let broadcaster = broadcaster
    let counters = counters
    self.clock = clock
    func controller(_ direction: AudioDirection) -> DirectionController {
      DirectionController(
        direction,
        environment: DirectionController.Environment(
          plan: {
            state.withLock { DirectionController.Plan(decision: $0.gates.decision, device: $0.device, bus: $0.bus) }
          },
          setLost: { isLost in
            // The wish may have gone while the device failed, and what is not wished cannot be lost.
            state.withLock { $0.gates.setLost(direction, isLost && $0.gates.isWished(direction)) }
          },
          post: { broadcaster.post($0) }, clock: clock, counters: counters))
    }
    let capture = controller(.capture)
    let render = controller(.render)
    self.state = state
    self.capture = capture
    self.render = render
    let sessionChange = SerialLane("audio-session-change")
    self.sessionChange = sessionChange
    audioSessionManager = AudioSessionManager(
      events: broadcaster,
      sessionDidChange: { session, gateIsClosed in
        state.withLock { state in
          state.session = session
          state.sessionIsClosed = gateIsClosed
          if gateIsClosed { state.gates.sessionIsInactive = true }
        }
        capture.applySoon()
        render.applySoon()
        sessionChange.async {
          // The device prepares before the gate opens, and puts things back when both directions are closed.
          let (device, session) = state.withLock { ($0.device, $0.session) }
          if let session { device?.setSession(session) }
          state.withLock { if !$0.sessionIsClosed { $0.gates.sessionIsInactive = false } }
          if session == nil {
            capture.apply()
            render.apply()
            device?.setSession(nil)
          } else {
            capture.applySoon()
            render.applySoon()
          }
        }
      },
      setInterruption: { reason, isOn in
        let event = state.withLock { $0.setInterruption(Interruption(reason: reason), isOn) }
        if let event { broadcaster.post(event) }
        capture.applySoon()
        render.applySoon()
      },
      endInterruptions: {
        let (event, gates) = state.withLock { state in
          let gates = state.gates
          return (state.endInterruptions { _ in true }, gates)
        }
        guard let event else { return }
        broadcaster.post(event)
        // Who is held would wait for the server's word, which did not come.
        if gates.captureIsHeld { capture.restartSoon() } else { capture.applySoon() }
        if gates.renderIsHeld { render.restartSoon() } else { render.applySoon() }
      })
  }

  deinit {
    let device = state.withLock { state in
      state.host?.invalidate()
      state.gates.captureIsWished = false
      state.gates.renderingIsWished = false
      return state.device
    }
    capture.whileStopped {}
    render.whileStopped {}
    device?.setSession(nil)
    device?.setHost(nil)
    device?.setAudioBus(nil)
  }

  // MARK: Device and bus

  /// The installed device.
  public var currentAudioDevice: (any AudioDevice)? { state.withLock { $0.device } }

  /// Installs a device, before or during a call: the one before is stopped and released, and the new one takes over
  /// what is wished. Waits for both.
  ///
  /// - Parameter device: The new device; nil leaves the client with silence.
  /// - Throws: ``AudioDeviceError`` when the client's bus refuses the device's formats, and then the device before goes
  ///   on. That the new device cannot be opened does not throw: it is tried again as long as it is wished.
  public func setAudioDevice(_ device: (any AudioDevice)?) throws(AudioDeviceError) {
    try change { state in state.device = device }
  }

  /// Gives the manager the client's bus, before or during a call.
  ///
  /// - Parameter bus: Retained until the next call; nil takes the client's bus away.
  /// - Throws: ``AudioDeviceError`` when the bus refuses the device's formats, and then the bus before goes on.
  public func setAudioBus(_ bus: (any AudioBus)?) throws(AudioDeviceError) {
    try change { state in state.client = bus }
  }

  /// Exchanges the device or the bus while neither direction runs.
  private func change(_ body: (inout State) -> Void) throws(AudioDeviceError) {
    guard !capture.isOnLane, !render.isOnLane else {
      throw AudioDeviceError(
        .invalidState, "A device or a bus cannot be exchanged from within a driver's own start or stop.")
    }
    let failure: AudioDeviceError? = deviceChange.sync {
      var failure: AudioDeviceError?
      capture.whileStopped {
        render.whileStopped { failure = exchange(body) }
      }
      return failure
    }
    capture.apply()
    render.apply()
    if let failure { throw failure }
  }

  /// On both lanes: nothing runs and nothing starts.
  private func exchange(_ body: (inout State) -> Void) -> AudioDeviceError? {
    let (old, new) = state.withLock { state in
      var new = state
      body(&new)
      return (state, new)
    }
    if let client = new.client, let device = new.device {
      do throws(AudioDeviceError) {
        try client.prepare(captureFormat: device.captureFormat, renderFormat: device.renderFormat)
      } catch {
        // The refusal may have changed the bus: tell it the former formats again.
        if new.client === old.client, let device = old.device {
          try? client.prepare(captureFormat: device.captureFormat, renderFormat: device.renderFormat)
        }
        return error
      }
    }
    let bus: GateBus?
    if let client = new.client, let device = new.device {
      bus = GateBus(
        client: client, captureFormat: device.captureFormat, renderFormat: device.renderFormat, counters: counters,
        clock: clock)
    } else if let client = new.client {
      bus = GateBus(
        client: client, captureFormat: .voice, renderFormat: .voice, counters: counters, clock: clock)
    } else {
      bus = nil
    }
    let isNewDevice = old.device !== new.device
    let host = isNewDevice ? new.device.map { _ in ManagerHost(self) } : old.host
    if isNewDevice {
      old.host?.invalidate()
      old.device?.setSession(nil)
      old.device?.setHost(nil)
      old.device?.setAudioBus(nil)
    }
    let event = state.withLock { state -> AudioDeviceEvent.Kind? in
      body(&state)
      state.bus = bus
      state.host = host
      guard isNewDevice else { return nil }
      state.deviceDidChange(from: old.device)
      return state.endInterruptions { $0.direction != nil }
    }
    new.device?.setAudioBus(bus)
    if isNewDevice {
      new.device?.setHost(host)
      if let session = old.session { new.device?.setSession(session) }
      broadcaster.post(.deviceChanged)
    }
    if let event { broadcaster.post(event) }
    return nil
  }

  // MARK: Wishes

  /// Wishes the microphone's audio.
  ///
  /// Behind a closed gate the wish succeeds, is remembered, and takes effect when the gate opens. Otherwise it waits
  /// until the device captures.
  ///
  /// - Throws: ``AudioDeviceError``: why it does not capture. Where that can pass by itself
  ///   (``AudioDeviceError/isTransient``: no server yet, a device that is busy), the wish stays: the client gets
  ///   silence and the device is tried again until ``stopCapture()``. Otherwise nothing is wished.
  public func startCapture() throws(AudioDeviceError) { try start(.capture) }

  /// Takes the wish for the microphone's audio back. At return the bus gets no more of it.
  public func stopCapture() { stop(.capture) }

  /// Wishes to be heard.
  ///
  /// Behind a closed gate the wish succeeds, is remembered, and takes effect when the gate opens; the bus is drained
  /// until then. Otherwise it waits until the device renders.
  ///
  /// - Throws: ``AudioDeviceError``: why it does not render. Where that can pass by itself
  ///   (``AudioDeviceError/isTransient``), the wish stays: the bus is drained and the device is tried again until
  ///   ``stopRendering()``. Otherwise nothing is wished.
  public func startRendering() throws(AudioDeviceError) { try start(.render) }

  /// Takes the wish to be heard back. At return the bus is read no more.
  public func stopRendering() { stop(.render) }

  /// Wishes and gates as they are now.
  public var gates: AudioGates { state.withLock { $0.gates } }

  private func controller(_ direction: AudioDirection) -> DirectionController {
    direction == .capture ? capture : render
  }

  private func start(_ direction: AudioDirection) throws(AudioDeviceError) {
    let wish: Int? = state.withLock { state in
      guard state.device != nil, state.client != nil else { return nil }
      return state.wish(direction, true)
    }
    guard let wish else {
      throw AudioDeviceError(
        .invalidState, "There is no audio device or no bus yet; call setAudioDevice and setAudioBus first.")
    }
    guard let failure = controller(direction).apply(isWish: true) else { return }
    if failure.isTransient { throw failure }
    state.withLock { state in
      if state.wishNumber(direction) == wish { _ = state.wish(direction, false) }
    }
    controller(direction).apply()
    throw failure
  }

  private func stop(_ direction: AudioDirection) {
    state.withLock { state in _ = state.wish(direction, false) }
    controller(direction).apply()
  }

  // MARK: Watching

  /// What happens from now on, for one listener of any number.
  ///
  /// - Returns: An asynchronous sequence for one task.
  public func events() -> AsyncStream<AudioDeviceEvent> { broadcaster.events() }

  /// What the installed device can choose from: its microphones and speakers, monitors and helpers too
  /// (``AudioDeviceInfo/isOffered``). Blocks for a bounded time. Changes are events.
  ///
  /// - Returns: The devices; none without a device.
  /// - Throws: ``AudioDeviceError`` when the sound system does not answer.
  public func devices() throws(AudioDeviceError) -> [AudioDeviceInfo] { try currentAudioDevice?.devices() ?? [] }

  /// What went over the client's bus, and what the devices lost, since the manager was made. Lock-free but for a
  /// moment.
  public var statistics: AudioDeviceStatistics {
    let (device, former) = state.withLock { ($0.device, $0.formerDevices) }
    var statistics = AudioDeviceStatistics()
    statistics.capture = counters.capture.snapshot
    statistics.render = counters.render.snapshot
    for source in [former, device?.statistics ?? AudioDeviceStatistics()] {
      for direction in AudioDirection.allCases { statistics[direction].addLosses(source[direction]) }
    }
    return statistics
  }

  /// The time from the microphone to the bus; zero without a device.
  public var estimatedCaptureDelay: Duration { currentAudioDevice?.estimatedCaptureDelay ?? .zero }

  /// The time from the bus to the speaker; zero without a device.
  public var estimatedRenderDelay: Duration { currentAudioDevice?.estimatedRenderDelay ?? .zero }
}
