internal import Synchronization
internal import VirtualBackend

/// Keeps a device's streams where their routes want them, and tells when a lost one may come back.
///
/// It watches the backend's devices from the first opening until the device is taken out of use, over restarts of the
/// server as well. What it finds it does on a lane of its own.
final class DeviceRouter: Sendable {
  /// The device's side.
  struct Environment: Sendable {
    /// The slot's own device id while it runs.
    var position: @Sendable (AudioDirection) -> String?
    var isRunning: @Sendable (AudioDirection) -> Bool
    /// Opens the running stream again.
    var reopen: @Sendable (AudioDirection) -> Void
    /// A direction that does not run may be started again.
    var mayBeBack: @Sendable (AudioDirection) -> Void
    var post: @Sendable (AudioDeviceEvent.Kind) -> Void
  }

  private struct State {
    var capture: RouteTracker
    var render: RouteTracker
    var environment: Environment?
    var watch: (any AudioDeviceWatch)?
    var watched: (any AudioBackend)?
    /// What each direction's wish that is missing was last told to be.
    var told: [AudioDirection: String] = [:]
    /// The devices as they were looked at last, of the backend that is watched.
    var devices: [AudioDeviceInfo]?

    subscript(direction: AudioDirection) -> RouteTracker {
      get { direction == .capture ? capture : render }
      set {
        switch direction {
        case .capture: capture = newValue
        case .render: render = newValue
        }
      }
    }
  }
  private let state: Locked<State>
  private let lane = SerialLane("audio-route")

  init(input: AudioRoute, output: AudioRoute) {
    state = Locked(
      State(capture: RouteTracker(.capture, route: input), render: RouteTracker(.render, route: output)))
  }

  func setEnvironment(_ environment: Environment) { state.withLock { $0.environment = environment } }

  /// The route that was set.
  func route(_ direction: AudioDirection) -> AudioRoute { state.withLock { $0[direction].ownRoute } }

  /// Takes another route; a running stream that is elsewhere is opened again soon.
  func setRoute(_ route: AudioRoute, _ direction: AudioDirection) {
    state.withLock { state in
      state[direction].setRoute(route)
      state.told[direction] = nil
    }
    judgeSoon()
  }

  /// Takes a route that stands in place of the system's default while a session lasts.
  func setSessionRoute(_ route: AudioRoute?, _ direction: AudioDirection) {
    let isNew = state.withLock { $0[direction].setSessionRoute(route) }
    if isNew { judgeSoon() }
  }

  // MARK: Opening

  /// Opens a stream where the route wants it, or on the default where that is missing and may stand in.
  func open(
    _ direction: AudioDirection, on backend: any AudioBackend,
    _ body: (String?) throws(AudioDeviceError) -> any AudioStream
  ) throws(AudioDeviceError) -> any AudioStream {
    watch(backend)
    let (stream, opened, wished) = try place(direction, on: backend, body)
    // A server may put a stream on the default without a word.
    let position = stream.deviceID ?? opened
    let isElsewhere = wished != nil && position != wished && !isFilter(position, on: backend)
    if isElsewhere, !route(direction).allowsDefault {
      stream.close()
      throw AudioDeviceError(
        .deviceNotFound, "There is no \(direction) device \"\(wished ?? "")\"; choose one of those that are listed.")
    }
    didOpen(direction, opened, stream, isStandIn: isElsewhere)
    // To know the default of now, from which a later one is told.
    judgeSoon()
    return stream
  }

  /// Whether a device is a filter that the server put before another one.
  private func isFilter(_ id: String?, on backend: any AudioBackend) -> Bool {
    guard let devices = try? backend.devices() else { return false }
    return devices.contains { $0.id == id && $0.isHelper }
  }

  /// Opens something on the device that the route wants, or on the default where that is missing and may stand in.
  ///
  /// - Returns: What was opened, on which device it was asked for, and on which it was wished; nil for the default.
  func place<Opened>(
    _ direction: AudioDirection, on backend: any AudioBackend, _ body: (String?) throws(AudioDeviceError) -> Opened
  ) throws(AudioDeviceError) -> (Opened, asked: String?, wished: String?) {
    let tracker = state.withLock { $0[direction] }
    // A look at the devices may take long, and fail while the wished one would open.
    let wished = tracker.needsLook ? tracker.target(among: try backend.devices()) : tracker.route.wishedDeviceID
    do throws(AudioDeviceError) {
      return (try body(wished), wished, wished)
    } catch {
      let isMissing = error.code == .deviceNotFound || error.code == .deviceLost
      guard wished != nil, isMissing, tracker.route.allowsDefault else { throw error }
      return (try body(nil), nil, wished)
    }
  }

  private func didOpen(
    _ direction: AudioDirection, _ target: String?, _ stream: any AudioStream, isStandIn: Bool
  ) {
    let event: AudioDeviceEvent.Kind? = state.withLock { state in
      state[direction].didOpen(target, on: stream.deviceID)
      guard isStandIn, let wished = state[direction].route.wishedDeviceID else {
        state.told[direction] = nil
        return nil
      }
      guard state.told[direction] != wished else { return nil }
      state.told[direction] = wished
      return .fellBack(direction, wished: wished, deviceID: stream.deviceID)
    }
    if let event { state.withLock { $0.environment }?.post(event) }
  }

  // MARK: Waiting for a sound system

  /// How often a sound system is looked for while the virtual backend stands in.
  static let lookInterval = Duration.seconds(1)

  /// Opens a direction again when a sound system comes, for as long as it runs on the virtual backend.
  func look(for selector: BackendSelector, reopening direction: AudioDirection) {
    lane.async(after: Self.lookInterval) { [weak self, weak selector] in
      guard let self, let selector, selector.isStandingIn,
        let environment = state.withLock({ $0.environment }), environment.isRunning(direction)
      else { return }
      // Opening looks again by itself, should the sound system have gone meanwhile.
      if selector.soundSystemIsThere { return environment.reopen(direction) }
      look(for: selector, reopening: direction)
    }
  }

  // MARK: Watching

  private func watch(_ backend: any AudioBackend) {
    let former: (any AudioDeviceWatch)?? = state.withLock { state in
      guard state.watched !== backend || state.watch == nil else { return nil }
      defer { state.watch = nil }
      if state.watched !== backend { state.devices = nil }
      state.watched = backend
      return .some(state.watch)
    }
    guard let former else { return }
    former?.cancel()
    // Where there is nothing to watch yet, the next opening tries again.
    guard let watch = try? backend.watchDevices(onChange: { [weak self] in self?.judgeSoon() }) else { return }
    let isNeeded = state.withLock { state in
      guard state.watched === backend, state.watch == nil else { return false }
      state.watch = watch
      return true
    }
    if !isNeeded { watch.cancel() }
  }

  /// Ends the watch; the next opening begins it again.
  func stop() {
    let watch = state.withLock { state in
      defer {
        state.watch = nil
        state.watched = nil
      }
      return state.watch
    }
    watch?.cancel()
  }

  /// Looks at both directions, elsewhere: the devices changed or a stream was moved.
  func judgeSoon() { lane.async { [weak self] in self?.judge() } }

  private func judge() {
    let (backend, environment) = state.withLock { ($0.watched, $0.environment) }
    guard let backend, let environment, let devices = try? backend.devices() else { return }
    let former = state.withLock { state in
      defer { state.devices = devices }
      return state.devices
    }
    for change in former.map({ AudioDeviceChange.changes(from: $0, to: devices) }) ?? [] {
      environment.post(.devices(change))
    }
    for direction in AudioDirection.allCases {
      guard environment.isRunning(direction) else {
        state.withLock { $0[direction].noteDefault(among: devices, now: .now) }
        environment.mayBeBack(direction)
        continue
      }
      let position = environment.position(direction)
      let verdict = state.withLock { $0[direction].judge(devices, position: position, now: .now) }
      if verdict == .reopens { environment.reopen(direction) }
    }
  }
}
