/// Which device a direction uses: a wish that outlives the devices.
///
/// Where the wished device is missing the backend's default stands in, and the wish is fulfilled as soon as it can be.
public struct AudioRoute: Sendable, Hashable {
  private enum Wish: Sendable, Hashable {
    case systemDefault
    case device(String, orDefault: Bool)
    case kinds([AudioDeviceInfo.Kind])
  }
  private let wish: Wish

  /// The backend's default, whatever it is at the moment.
  public static let systemDefault = AudioRoute(wish: .systemDefault)

  /// One device.
  ///
  /// - Parameters:
  ///   - id: Its ``AudioDeviceInfo/id``.
  ///   - orDefault: Whether the default stands in while the device is missing. Without it the direction cannot be
  ///     started then, and is lost until the device is back.
  /// - Returns: The route.
  public static func device(_ id: String, orDefault: Bool = true) -> AudioRoute {
    AudioRoute(wish: .device(id, orDefault: orDefault))
  }

  /// The best device there is, by its kind: the first kind of which a device is there and plugged in, and of several
  /// of a kind the default or else the first that the backend lists. The default where there is none of them.
  ///
  /// - Parameter kinds: Best first, for example `[.bluetooth, .headset]`.
  /// - Returns: The route.
  public static func preferring(_ kinds: [AudioDeviceInfo.Kind]) -> AudioRoute { AudioRoute(wish: .kinds(kinds)) }

  /// The device that was asked for by its id, whether it is there or not; nil for the other routes.
  public var wishedDeviceID: String? {
    if case .device(let id, _) = wish { id } else { nil }
  }

  /// Whether the default may stand in for a missing device.
  public var allowsDefault: Bool {
    if case .device(_, let orDefault) = wish { orDefault } else { true }
  }

  /// Chooses.
  ///
  /// - Parameters:
  ///   - devices: What there is, of both directions.
  ///   - direction: Which way.
  /// - Returns: The id of the device to use; nil for the default.
  public func deviceID(among devices: [AudioDeviceInfo], _ direction: AudioDirection) -> String? {
    let candidates = devices.filter { $0.direction == direction }
    switch wish {
    case .systemDefault: return nil
    case .device(let id, _): return candidates.contains { $0.id == id } ? id : nil
    case .kinds(let kinds):
      for kind in kinds {
        let fitting = candidates.filter { $0.kind == kind && $0.isPluggedIn && !$0.isHelper }
        if let best = fitting.first(where: \.isDefault) ?? fitting.first { return best.id }
      }
      return nil
    }
  }
}
