/// What is another in a list of devices than before.
public enum AudioDeviceChange: Sendable, Hashable {
  /// A device came.
  case appeared(AudioDeviceInfo)
  /// A device went.
  case disappeared(AudioDeviceInfo)
  /// A device is still there and not as it was: its name, its format, what is plugged in.
  case changed(AudioDeviceInfo)
  /// Another device is the default of its direction; nil when there is none.
  case defaultChanged(AudioDirection, deviceID: String?)

  /// Compares two lists. Allocates.
  ///
  /// - Parameters:
  ///   - old: The list before.
  ///   - new: The list now.
  /// - Returns: What went, what came, what changed, and new defaults, in this order.
  public static func changes(from old: [AudioDeviceInfo], to new: [AudioDeviceInfo]) -> [AudioDeviceChange] {
    struct Key: Hashable {
      let direction: AudioDirection
      let id: String
      init(_ device: AudioDeviceInfo) {
        direction = device.direction
        id = device.id
      }
    }
    func withoutDefault(_ device: AudioDeviceInfo) -> AudioDeviceInfo {
      var device = device
      device.isDefault = false
      return device
    }
    let before = Dictionary(old.map { (Key($0), $0) }, uniquingKeysWith: { first, _ in first })
    let after = Dictionary(new.map { (Key($0), $0) }, uniquingKeysWith: { first, _ in first })
    var changes = old.filter { after[Key($0)] == nil }.map { AudioDeviceChange.disappeared($0) }
    for device in new {
      guard let former = before[Key(device)] else {
        changes.append(.appeared(device))
        continue
      }
      if withoutDefault(former) != withoutDefault(device) { changes.append(.changed(device)) }
    }
    for direction in AudioDirection.allCases {
      func defaultID(_ devices: [AudioDeviceInfo]) -> String? {
        devices.first { $0.direction == direction && $0.isDefault }?.id
      }
      let id = defaultID(new)
      if id != defaultID(old) { changes.append(.defaultChanged(direction, deviceID: id)) }
    }
    return changes
  }

  /// `deviceAppeared`, `deviceDisappeared`, `deviceDescriptionChanged` or `defaultDeviceChanged`: stable, for logs and
  /// JSON.
  public var name: String {
    switch self {
    case .appeared: "deviceAppeared"
    case .disappeared: "deviceDisappeared"
    case .changed: "deviceDescriptionChanged"
    case .defaultChanged: "defaultDeviceChanged"
    }
  }

  /// The direction it is about.
  public var direction: AudioDirection {
    switch self {
    case .appeared(let device), .disappeared(let device), .changed(let device): device.direction
    case .defaultChanged(let direction, _): direction
    }
  }
}
