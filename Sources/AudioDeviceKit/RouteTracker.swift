/// Tells for one direction whether its stream is where it ought to be: the rules alone.
///
/// A stream leaves its device for one of four reasons, which the server does not tell apart: the device ended, the
/// default changed, the user moved the stream, or we had it opened elsewhere. The user's own choice is respected until
/// its device ends or another route is set.
struct RouteTracker {
  /// Whether the stream stays where it is.
  enum Verdict: Equatable {
    case stays
    /// It is to be opened again, where ``RouteTracker/target(among:)`` says.
    case reopens
  }

  /// How long after a change of the default a move to it counts as that change's, and how long before a device's end
  /// a move away from it counts as that end's.
  static let moveLimit = Duration.seconds(2)

  let direction: AudioDirection
  /// The route that was set.
  private(set) var ownRoute: AudioRoute
  /// What stands in place of the system's default.
  private var sessionRoute: AudioRoute?
  /// Where the user moved the stream.
  private(set) var userChoice: String?
  /// What the user's choice left, and when.
  private var left: (device: String, time: AudioInstant)?
  private var opened: String?
  private var position: String?
  private var defaultDevice: String?
  private var defaultChange: AudioInstant?

  init(_ direction: AudioDirection, route: AudioRoute) {
    self.direction = direction
    ownRoute = route
  }

  /// The route that counts.
  var route: AudioRoute { ownRoute == .systemDefault ? sessionRoute ?? ownRoute : ownRoute }

  /// Takes a route in place of the system's default, or nil for none.
  ///
  /// - Returns: Whether another route counts now.
  mutating func setSessionRoute(_ route: AudioRoute?) -> Bool {
    let former = self.route
    sessionRoute = route
    guard former != self.route else { return false }
    userChoice = nil
    return true
  }

  /// Takes another route; the user's choice was for the former one.
  mutating func setRoute(_ route: AudioRoute) {
    ownRoute = route
    userChoice = nil
    left = nil
  }

  /// Whether ``target(among:)`` depends on what there is. Where it does not, the wish alone says it: one device by its
  /// id, or the default.
  var needsLook: Bool { userChoice != nil || (route.wishedDeviceID == nil && route != .systemDefault) }

  /// The device to open.
  ///
  /// - Parameter devices: What there is.
  /// - Returns: Its id, which the backend may not know; nil for the default.
  func target(among devices: [AudioDeviceInfo]) -> String? {
    if let userChoice, devices.contains(where: { $0.id == userChoice && $0.direction == direction }) {
      return userChoice
    }
    return route.wishedDeviceID ?? route.deviceID(among: devices, direction)
  }

  /// A stream was opened.
  ///
  /// - Parameters:
  ///   - target: The id that was asked for; nil for the default.
  ///   - position: The device that it is on.
  mutating func didOpen(_ target: String?, on position: String?) {
    opened = target
    self.position = position
  }

  /// Keeps which device is the default, and when another one became it. ``judge(_:position:now:)`` does so by itself.
  ///
  /// - Parameters:
  ///   - devices: What there is.
  ///   - now: The present.
  mutating func noteDefault(among devices: [AudioDeviceInfo], now: AudioInstant) {
    let newDefault = devices.first { $0.direction == direction && $0.isDefault }?.id
    guard let newDefault, newDefault != defaultDevice else { return }
    if defaultDevice != nil { defaultChange = now }
    defaultDevice = newDefault
  }

  /// Judges where the stream is, after it was moved or the devices changed.
  ///
  /// - Parameters:
  ///   - devices: What there is.
  ///   - position: The device that the stream is on; nil where the backend does not tell.
  ///   - now: The present.
  /// - Returns: What is to be done.
  mutating func judge(_ devices: [AudioDeviceInfo], position: String?, now: AudioInstant) -> Verdict {
    let devices = devices.filter { $0.direction == direction }
    func exists(_ id: String) -> Bool { devices.contains { $0.id == id } }
    let newDefault = devices.first(where: \.isDefault)?.id
    let isFirstLook = defaultDevice == nil
    noteDefault(among: devices, now: now)
    if let choice = userChoice, !exists(choice) { userChoice = nil }
    // A server lists a device that ends a little longer than it leaves streams there.
    if let left, !exists(left.device) {
      if now - left.time < Self.moveLimit { userChoice = nil }
      self.left = nil
    }
    guard let position else { return .stays }
    let former = self.position
    self.position = position

    let wished = userChoice ?? route.deviceID(among: devices, direction)
    // The server put a filter between the stream and its device, which is where it was.
    if devices.contains(where: { $0.id == position && $0.isHelper }), position != wished {
      self.position = former
      return .stays
    }
    // Where it was sent, or a name that only the backend knows.
    if position == wished || (userChoice == nil && position == route.wishedDeviceID) { return .stays }
    if let former, former != position, exists(former), opened == nil || former == wished {
      let isDefaultsMove =
        position == newDefault && (isFirstLook || defaultChange.map { now - $0 < Self.moveLimit } ?? false)
      guard isDefaultsMove else {
        userChoice = position
        left = (former, now)
        return .stays
      }
    }
    // Where the default may not stand in, opening again fails, and the direction is lost until the device is back.
    if wished != nil || !route.allowsDefault { return .reopens }
    // It follows the default by itself if it was opened so.
    return opened == nil || position == newDefault ? .stays : .reopens
  }
}
