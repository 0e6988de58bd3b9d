internal import Synchronization

/// Carries out the decisions for one direction of a manager, on a serial lane of its own, so that a slow microphone
/// never holds up the speaker.
///
/// Whoever changes a gate calls ``apply()`` (waits) or ``applySoon()`` (does not). Each run reads the gates afresh and
/// goes on until they and the device agree, so the last wish wins however many threads wish.
final class DirectionController: Sendable {
  /// What a run needs to know, read under the manager's lock.
  struct Plan {
    var decision: AudioDecision
    var device: (any AudioDevice)?
    var bus: GateBus?
  }

  /// The manager's side: its state and its listeners.
  struct Environment: Sendable {
    var plan: @Sendable () -> Plan
    /// Marks the direction lost or found in the gates.
    var setLost: @Sendable (Bool) -> Void
    var post: @Sendable (AudioDeviceEvent.Kind) -> Void
    var clock: any PeriodClock
    var counters: GateCounters
  }

  static let firstRetry = Duration.milliseconds(50)
  static let longestRetry = Duration.seconds(1)

  /// Touched on the lane alone, which the mutex only states to the compiler.
  private struct Progress {
    var running: (device: any AudioDevice, bus: GateBus)?
    var pacer: (pacer: SilencePacer, bus: GateBus)?
    var retryDelay = DirectionController.firstRetry
    var retryIsDue = false
    /// The number of the retry that is scheduled; one that was called off finds another here, or none.
    var scheduledRetry: Int?
    var retryCount = 0
  }

  let direction: AudioDirection
  private let environment: Environment
  private let progress = Locked(Progress())
  private let lane: SerialLane
  private let again = Atomic<Bool>(false)

  init(_ direction: AudioDirection, environment: Environment) {
    self.direction = direction
    self.environment = environment
    lane = SerialLane("audio-\(direction)")
  }

  /// Makes the device follow the gates and waits for it.
  ///
  /// - Parameter isWish: Whether somebody wishes the direction now: a lost device is tried at once then.
  /// - Returns: Why the device could not be started, if it was to be and could not. From within the lane (a driver's
  ///   own start or stop) it only notes that another look is needed.
  @discardableResult
  func apply(isWish: Bool = false) -> AudioDeviceError? {
    guard !isOnLane else {
      again.store(true, ordering: .relaxed)
      return nil
    }
    return lane.sync {
      if isWish { progress.withLock { $0.retryIsDue = true } }
      return run()
    }
  }

  /// Whether the caller is a driver's own start or stop, which must not wait for the lane that it holds.
  var isOnLane: Bool { lane.isCurrent }

  /// Makes the device follow the gates, elsewhere.
  func applySoon() { lane.async { self.run() } }

  /// Stops the device and starts it again as far as it is to run, elsewhere.
  func restartSoon() {
    lane.async {
      self.stopDevice()
      self.run()
    }
  }

  /// Tries a lost device at once, elsewhere, and then as often as one that was just lost.
  func retrySoon() {
    lane.async {
      self.progress.withLock { progress in
        progress.retryIsDue = true
        progress.retryDelay = Self.firstRetry
        progress.scheduledRetry = nil
      }
      self.run()
    }
  }

  /// Runs `body` while the direction is stopped and stays so.
  func whileStopped(_ body: () -> Void) {
    lane.sync {
      stopAll()
      body()
    }
  }

  // MARK: On the lane

  @discardableResult
  private func run() -> AudioDeviceError? {
    var failure: AudioDeviceError?
    repeat {
      again.store(false, ordering: .relaxed)
      failure = runOnce()
    } while again.load(ordering: .relaxed)
    return failure
  }

  private func runOnce() -> AudioDeviceError? {
    let plan = environment.plan()
    switch direction {
    case .capture:
      plan.bus?.setMuted(plan.decision.capture == .muted)
      switch plan.decision.capture {
      case .closed: stopAll()
      case .silent: wait(plan)
      case .held: hold(plan)
      case .recovering: return recover(plan)
      case .muted, .live: return start(plan)
      }
    case .render:
      switch plan.decision.render {
      case .closed: stopAll()
      case .drained: wait(plan)
      case .held: hold(plan)
      case .recovering: return recover(plan)
      case .live: return start(plan)
      }
    }
    return nil
  }

  @discardableResult
  private func start(_ plan: Plan, isRetry: Bool = false) -> AudioDeviceError? {
    guard let device = plan.device, let bus = plan.bus else {
      stopAll()
      return nil
    }
    // Whoever exchanges the device or the bus has stopped the former one.
    guard progress.withLock({ $0.running == nil }) else { return nil }
    startPacer(bus)
    do throws(AudioDeviceError) {
      switch direction {
      case .capture:
        try device.initializeCapture()
        try device.startCapture()
      case .render:
        try device.initializeRendering()
        try device.startRendering()
      }
    } catch {
      environment.setLost(true)
      if !isRetry { environment.post(.failed(direction, error)) }
      scheduleRetry()
      return error
    }
    progress.withLock { progress in
      progress.running = (device, bus)
      progress.retryDelay = Self.firstRetry
      progress.retryIsDue = false
    }
    environment.counters.addOpen(direction)
    if isRetry {
      environment.post(.recovered(direction))
    } else {
      let id = direction == .capture ? device.captureDeviceID : device.renderDeviceID
      environment.post(.started(direction, deviceID: id))
    }
    return nil
  }

  /// A gate is closed: the device closed, the client fed by the pacer.
  private func wait(_ plan: Plan) {
    pace(plan)
    // Whatever was lost is tried at once when the gate opens.
    progress.withLock { $0.retryIsDue = true }
  }

  /// The device stays as it is and brings nothing: the pacer's turn, until it does.
  private func hold(_ plan: Plan) {
    guard let running = progress.withLock({ $0.running }) else { return wait(plan) }
    running.bus.deviceDidStop(direction)
  }

  private func pace(_ plan: Plan, isLost: Bool = false) {
    stopDevice(isLost: isLost)
    if let bus = plan.bus { startPacer(bus) } else { stopPacer() }
  }

  private func recover(_ plan: Plan) -> AudioDeviceError? {
    pace(plan, isLost: true)
    let isDue = progress.withLock { progress in
      defer { progress.retryIsDue = false }
      return progress.retryIsDue
    }
    guard isDue else {
      scheduleRetry()
      return nil
    }
    environment.setLost(false)
    return start(plan, isRetry: true)
  }

  private func scheduleRetry() {
    let next: (number: Int, delay: Duration)? = progress.withLock { progress in
      guard progress.scheduledRetry == nil else { return nil }
      progress.retryCount += 1
      progress.scheduledRetry = progress.retryCount
      defer { progress.retryDelay = min(progress.retryDelay * 2, Self.longestRetry) }
      return (progress.retryCount, progress.retryDelay)
    }
    guard let next else { return }
    lane.async(after: next.delay) { [weak self] in
      guard let self else { return }
      let isStillScheduled = self.progress.withLock { progress in
        guard progress.scheduledRetry == next.number else { return false }
        progress.scheduledRetry = nil
        progress.retryIsDue = true
        return true
      }
      if isStillScheduled { self.run() }
    }
  }

  private func stopAll() {
    stopDevice()
    stopPacer()
    progress.withLock { progress in
      progress.retryDelay = Self.firstRetry
      progress.retryIsDue = false
    }
  }

  private func stopDevice(isLost: Bool = false) {
    let running = progress.withLock { progress in
      defer { progress.running = nil }
      return progress.running
    }
    guard let running else { return }
    switch direction {
    case .capture: running.device.stopCapture()
    case .render: running.device.stopRendering()
    }
    running.bus.deviceDidStop(direction)
    if !isLost { environment.post(.stopped(direction)) }
  }

  private func startPacer(_ bus: GateBus) {
    let existing = progress.withLock { $0.pacer }
    if let existing, existing.bus === bus { return }
    stopPacer()
    do throws(SystemCallError) {
      let pacer = try SilencePacer(direction, bus: bus, clock: environment.clock)
      progress.withLock { $0.pacer = (pacer, bus) }
    } catch {
      environment.post(.notice("Silence cannot be paced: \(error)"))
    }
  }

  private func stopPacer() {
    let pacer = progress.withLock { progress in
      defer { progress.pacer = nil }
      return progress.pacer
    }
    pacer?.pacer.stop()
  }
}
