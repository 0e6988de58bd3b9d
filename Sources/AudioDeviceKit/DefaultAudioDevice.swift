/// The system's microphone and speaker, ready for calls; the class that drivers are derived from.
///
/// Subclasses process audio in place in ``processCapturedPeriod(_:capturedAt:)`` and ``processRenderedPeriod(_:)``, and
/// may override what they need of the rest, calling `super`. A subclass must state `@unchecked Sendable` again: its own
/// stored state is used from the audio threads and from whoever controls it.
///
/// While a direction runs it keeps the device alive; ``stopCapture()`` and ``stopRendering()`` (or an
/// ``AudioDeviceCore/AudioDeviceManager``, which calls them) let it go.
open class DefaultAudioDevice: AudioDevice, @unchecked Sendable {
  // Unchecked, for subclasses alone: all stored properties here are constants that are safe to share.

  /// What a device is to be.
  public struct Configuration: Sendable {
    /// Where the audio comes from and goes to.
    public var backend: BackendChoice = .automatic
    /// Of the periods written to the bus.
    public var captureFormat: AudioFormat = .voice
    /// Of the periods read from the bus.
    public var renderFormat: AudioFormat = .voice
    /// Which microphone at first; ``DefaultAudioDevice/setRoute(_:for:)`` changes it.
    public var inputRoute = AudioRoute.systemDefault
    /// Which speaker at first; ``DefaultAudioDevice/setRoute(_:for:)`` changes it.
    public var outputRoute = AudioRoute.systemDefault
    /// The wished delay of each direction; nil for the backend's measured best.
    public var latency: Duration?
    /// What the sound is for, as the sound server is told.
    public var role: AudioStreamRole = .phone
    /// Who the application is, as the sound server is told.
    public var application = ApplicationIdentity()
    /// What a session of calling services changes.
    public var sessionPolicy = AudioSessionPolicy()

    /// The system's defaults at 48 kHz mono.
    public init() {}
  }

  /// What the device was made with.
  public let configuration: Configuration

  let selector: BackendSelector
  private let captureSlot: StreamSlot
  private let renderSlot: StreamSlot
  private struct Links {
    var bus: (any AudioBus)?
    weak var host: (any AudioDeviceHost)?
  }
  private let links = Locked(Links())
  private let router: DeviceRouter
  private let reporter = Locked<XrunReporter?>(nil)
  private let session = Locked(DeviceSession())
  /// Why the server holds which direction's stream back.
  private let holds = Locked<[AudioDirection: Set<InterruptionReason>]>([:])

  /// A device; nothing is opened and no server is asked yet.
  ///
  /// - Parameter configuration: Backend, formats, devices and wishes.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    selector = BackendSelector(configuration.backend, application: configuration.application)
    captureSlot = StreamSlot(.capture)
    renderSlot = StreamSlot(.render)
    router = DeviceRouter(input: configuration.inputRoute, output: configuration.outputRoute)
    router.setEnvironment(
      DeviceRouter.Environment(
        position: { [captureSlot, renderSlot] in ($0 == .capture ? captureSlot : renderSlot).deviceID },
        isRunning: { [captureSlot, renderSlot] in ($0 == .capture ? captureSlot : renderSlot).isRunning },
        reopen: { [weak self] in self?.reopen($0) },
        mayBeBack: { [weak self] in self?.host?.mayBeBack($0) },
        post: { [weak self] in self?.host?.post($0) }))
  }

  deinit {
    router.stop()
    reporter.withLock { $0 }?.finish()
  }

  // MARK: Routes

  /// Which device a direction is to use.
  ///
  /// - Parameter direction: Which.
  /// - Returns: What was set last.
  public func route(for direction: AudioDirection) -> AudioRoute { router.route(direction) }

  /// Takes another route, before or while the direction runs: a running stream that is elsewhere is opened again soon,
  /// which is told by ``AudioDeviceCore/AudioDeviceEvent/Kind/moved(_:deviceID:)``. Does not block. Not on audio threads.
  ///
  /// - Parameters:
  ///   - route: Which device.
  ///   - direction: For which direction.
  public func setRoute(_ route: AudioRoute, for direction: AudioDirection) { router.setRoute(route, direction) }

  // MARK: For subclasses

  /// Changes a captured period in place, before it goes to the bus. The default does nothing.
  ///
  /// Called on the capture's audio thread, once for each period: it may not block, lock, allocate, release the last
  /// reference to anything, or log.
  ///
  /// - Parameters:
  ///   - samples: One period, interleaved, in ``captureFormat``.
  ///   - time: When the first frame was at the microphone.
  open func processCapturedPeriod(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {}

  /// Changes a period in place that comes from the bus, before it goes to the speaker. The default does nothing.
  ///
  /// Called on the render's audio thread, once for each period, with silence where the bus gave too little: it may not
  /// block, lock, allocate, release the last reference to anything, or log.
  ///
  /// - Parameter samples: One period, interleaved, in ``renderFormat``.
  open func processRenderedPeriod(_ samples: inout MutableSpan<Int16>) {}

  /// Whoever hosts the device; nil outside an ``AudioDeviceCore/AudioDeviceManager``. Not on audio threads.
  public var host: (any AudioDeviceHost)? { links.withLock { $0.host } }

  /// The backend in use; nil before the first initialisation. Not on audio threads.
  public var backend: (any AudioBackend)? { selector.current }

  // MARK: AudioDevice

  open func setAudioBus(_ bus: (any AudioBus)?) {
    links.withLock { $0.bus = bus }
    if bus == nil { router.stop() }
  }

  open func setHost(_ host: (any AudioDeviceHost)?) { links.withLock { $0.host = host } }

  /// Takes the session's routes, where the routes are ``AudioDeviceCore/AudioRoute/systemDefault``, and has the sound
  /// server prepare, both as ``Configuration/sessionPolicy`` says; puts all back for nil. Blocks for some seconds at the
  /// most. What the server refuses is told by a notice, and the call goes on.
  open func setSession(_ session: AudioSession?) {
    let former = self.session.withLock { state -> DeviceSession? in
      guard state.session != session else { return nil }
      defer { state = DeviceSession(session: session) }
      return state
    }
    guard let former else { return }
    former.end()
    let policy = configuration.sessionPolicy
    for direction in AudioDirection.allCases {
      router.setSessionRoute(session.flatMap { policy.route(direction, in: $0.mode) }, direction)
    }
    guard let session, policy.switchesProfiles else { return }
    prepare { () throws(AudioDeviceError) in try selectBackend().prepare(for: session) }
  }

  /// Keeps what a backend changed for the session.
  private func prepare(_ body: () throws(AudioDeviceError) -> (any AudioSessionPreparation)?) {
    do throws(AudioDeviceError) {
      guard let preparation = try body() else { return }
      let isOver = session.withLock { state in
        if state.session != nil { state.preparations.append(preparation) }
        return state.session == nil
      }
      if isOver { preparation.end() }
    } catch {
      host?.post(.notice("The sound server does not prepare for the call: \(error)"))
    }
  }

  /// Raises the speaker's level, once for a session.
  private func raiseLevel(on backend: any AudioBackend, of stream: any AudioStream) {
    guard let level = configuration.sessionPolicy.outputLevel, let id = stream.deviceID else { return }
    let isFirst = session.withLock { state in
      guard state.session != nil, state.raised != id else { return false }
      state.raised = id
      return true
    }
    if isFirst { prepare { () throws(AudioDeviceError) in try backend.raiseLevel(of: id, to: level) } }
  }

  open func devices() throws(AudioDeviceError) -> [AudioDeviceInfo] { try selectBackend().devices() }

  open var captureFormat: AudioFormat { configuration.captureFormat }
  open var captureIsAvailable: Bool { isAvailable }
  open var captureIsInitialized: Bool { captureSlot.isInitialized }
  open var isCapturing: Bool { captureSlot.isRunning }
  open var captureDeviceID: String? { captureSlot.deviceID }
  open var estimatedCaptureDelay: Duration { captureSlot.delay }
  open func initializeCapture() throws(AudioDeviceError) { try initialize(captureSlot) }
  open func startCapture() throws(AudioDeviceError) { try start(captureSlot) }
  open func stopCapture() { stop(captureSlot) }

  open var renderFormat: AudioFormat { configuration.renderFormat }
  open var renderingIsAvailable: Bool { isAvailable }
  open var renderingIsInitialized: Bool { renderSlot.isInitialized }
  open var isRendering: Bool { renderSlot.isRunning }
  open var renderDeviceID: String? { renderSlot.deviceID }
  open var estimatedRenderDelay: Duration { renderSlot.delay }
  open func initializeRendering() throws(AudioDeviceError) { try initialize(renderSlot) }
  open func startRendering() throws(AudioDeviceError) { try start(renderSlot) }
  open func stopRendering() { stop(renderSlot) }

  open var statistics: AudioDeviceStatistics {
    var statistics = AudioDeviceStatistics()
    statistics.capture = captureSlot.statistics
    statistics.render = renderSlot.statistics
    return statistics
  }

  /// The scheduling class of the thread that serves a direction. Not on audio threads.
  ///
  /// - Parameter direction: Which.
  /// - Returns: The class that was granted; nil while the direction does not run.
  public func schedulingClass(of direction: AudioDirection) -> SchedulingClass? {
    (direction == .capture ? captureSlot : renderSlot).schedulingClass
  }

  // MARK: Inside

  private var isAvailable: Bool { (try? selectBackend())?.isAvailable ?? false }

  /// Chooses the backend and tells the host when it is another one.
  func selectBackend() throws(AudioDeviceError) -> any AudioBackend {
    let (backend, isNew) = try selector.select()
    if isNew { host?.post(.backendSelected(backend.name)) }
    return backend
  }

  private func initialize(_ slot: StreamSlot) throws(AudioDeviceError) {
    _ = try selectBackend()
    slot.markInitialized()
  }

  private func start(_ slot: StreamSlot) throws(AudioDeviceError) {
    try slot.start { () throws(AudioDeviceError) in try openStream(slot) }
  }

  private func stop(_ slot: StreamSlot) {
    slot.stop()
    releaseHolds(slot.direction)
  }

  /// Notes that the server holds a stream back or gives it back, and tells the host.
  func setHeld(_ direction: AudioDirection, _ reason: InterruptionReason, _ isHeld: Bool) {
    let isNew = holds.withLock { holds in
      isHeld ? holds[direction, default: []].insert(reason).inserted : holds[direction]?.remove(reason) != nil
    }
    if isNew { host?.setHeld(direction, reason, isHeld) }
  }

  /// What held a stream back went with it.
  private func releaseHolds(_ direction: AudioDirection) {
    let released = holds.withLock { $0.removeValue(forKey: direction) } ?? []
    for reason in released { host?.setHeld(direction, reason, false) }
  }

  /// Puts a running stream where it ought to be.
  private func reopen(_ direction: AudioDirection) {
    let slot = direction == .capture ? captureSlot : renderSlot
    do throws(AudioDeviceError) {
      let isRunning = try slot.reopen { () throws(AudioDeviceError) in
        releaseHolds(direction)
        return try openStream(slot)
      }
      guard isRunning else { return }
      if let id = slot.deviceID { host?.post(.moved(direction, deviceID: id)) }
    } catch {
      host?.didLose(direction, error)
    }
  }

  private func openStream(_ slot: StreamSlot) throws(AudioDeviceError) -> any AudioStream {
    guard let bus = links.withLock({ $0.bus }) else {
      throw AudioDeviceError(.invalidState, "The device has no bus yet; call setAudioBus first.")
    }
    let isCapture = slot.direction == .capture
    let backend = try selectBackend()
    let reporter = try xrunReporter()
    let isInSession = session.withLock { $0.session != nil }
    let stream = try router.open(slot.direction, on: backend) { deviceID throws(AudioDeviceError) in
      let configuration = AudioStreamConfiguration(
        direction: slot.direction, format: isCapture ? captureFormat : renderFormat, deviceID: deviceID,
        latency: self.configuration.latency, role: self.configuration.role,
        name: isCapture ? "Call microphone" : "Call",
        wantsEchoCancellation: self.configuration.sessionPolicy.wantsEchoCancellation && isInSession)
      let client = DeviceStreamClient(
        device: self, bus: bus, slot: slot, format: configuration.format, reporter: reporter)
      let stream = try backend.openStream(configuration, client: client)
      client.stream = stream
      return stream
    }
    if !isCapture { raiseLevel(on: backend, of: stream) }
    if selector.isStandingIn { router.look(for: selector, reopening: slot.direction) }
    return stream
  }

  /// Opens something beside the call's streams where the call is heard; see ``DeviceRouter/place(_:on:_:)``.
  func openWhereHeard(
    on backend: any AudioBackend, _ body: (String?) throws(AudioDeviceError) -> Void
  ) throws(AudioDeviceError) {
    _ = try router.place(.render, on: backend, body)
  }

  /// Has the router look where the stream is now.
  func streamDidMove() { router.judgeSoon() }

  private func xrunReporter() throws(AudioDeviceError) -> XrunReporter {
    let made: Result<XrunReporter, AudioDeviceError> = reporter.withLock { reporter in
      if let reporter { return .success(reporter) }
      do throws(AudioDeviceError) {
        let new = try XrunReporter(
          statistics: { [weak self] in self?.statistics }, post: { [weak self] in self?.host?.post($0) })
        reporter = new
        return .success(new)
      } catch {
        return .failure(error)
      }
    }
    return try made.get()
  }
}
