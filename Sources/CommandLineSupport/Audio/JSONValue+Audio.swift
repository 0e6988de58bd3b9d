package import AudioDeviceKit

extension JSONValue {
  /// `{"code": …, "message": …}`, and the C call with its number where there was one.
  package init(_ error: AudioDeviceError) {
    var members: [Member] = [
      Member("code", .string(error.code.description)), Member("message", .string(error.message)),
    ]
    if let call = error.call { members.append(Member("call", .string(call))) }
    if let number = error.number { members.append(Member("number", .integer(number))) }
    if let detail = error.detail { members.append(Member("detail", .string(detail))) }
    self = .object(members)
  }

  /// `{"sampleRate": …, "channelCount": …}`.
  package init(_ format: AudioFormat) {
    self = ["sampleRate": .integer(format.sampleRate), "channelCount": .integer(format.channelCount)]
  }

  /// The counters of a direction, under their own names.
  package init(_ counters: AudioDeviceStatistics.Direction) {
    self = [
      "frames": .integer(counters.frames), "silentFrames": .integer(counters.silentFrames),
      "shortfallFrames": .integer(counters.shortfallFrames), "lostFrames": .integer(counters.lostFrames),
      "xruns": .integer(counters.xruns), "opens": .integer(counters.opens),
    ]
  }

  /// A device as it is listed.
  package init(_ device: AudioDeviceInfo) {
    self = [
      "id": .string(device.id), "name": .string(device.name), "direction": .string("\(device.direction)"),
      "kind": .string(device.kind.rawValue), "isDefault": .bool(device.isDefault),
      "nativeFormat": device.nativeFormat.map { JSONValue($0) } ?? .null, "formFactor": JSONValue(device.formFactor),
      "isPluggedIn": .bool(device.isPluggedIn), "isHelper": .bool(device.isHelper),
    ]
  }

  /// A level: null for silence.
  package init(decibels: Double) { self = .number(decibels.rounded(toPlaces: 1)) }
}

extension AudioDeviceChange {
  /// What there is to say of the change beside its name.
  package var members: [JSONValue.Member] {
    switch self {
    case .appeared(let device), .disappeared(let device), .changed(let device): [.init("device", JSONValue(device))]
    case .defaultChanged(let direction, let id):
      [.init("direction", .string("\(direction)")), .init("deviceID", JSONValue(id))]
    }
  }
}

extension AudioDeviceEvent.Kind {
  /// What there is to say of the event beside its name and its time.
  package var members: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue) { members.append(.init(name, value)) }
    if let direction { add("direction", .string("\(direction)")) }
    switch self {
    case .backendSelected(let name): add("backend", .string(name))
    case .started(_, let deviceID): add("deviceID", JSONValue(deviceID))
    case .failed(_, let error), .lost(_, let error): add("error", JSONValue(error))
    case .moved(_, let deviceID): add("deviceID", .string(deviceID))
    case .fellBack(_, let wished, let deviceID):
      add("wished", .string(wished))
      if let deviceID { add("deviceID", .string(deviceID)) }
    case .devices(let change): members = change.members
    case .xrun(_, let count, let lostFrames):
      add("count", .integer(count))
      add("lostFrames", .integer(lostFrames))
    case .ringtoneStopped(let error):
      if let error { add("error", JSONValue(error)) }
    case .muteChanged(let soft, let hard):
      add("soft", .bool(soft))
      add("hard", .bool(hard))
    case .interrupted(let reason): add("reason", .string(reason.rawValue))
    case .sessionActivated(let isActive): add("isActive", .bool(isActive))
    case .notice(let message): add("message", .string(message))
    default: break
    }
    return members
  }

  /// What a person at a terminal wants to be told, as a sentence; nil for what goes as was to be expected.
  package var warning: String? {
    switch self {
    case .failed(let direction, let error):
      "The \(direction.deviceName) could not be opened, which is tried again: \(error)"
    case .lost(let direction, let error): "The \(direction.deviceName) was lost, which is tried again: \(error)"
    case .recovered(let direction): "The \(direction.deviceName) works again."
    case .moved(let direction, let deviceID): "The \(direction.deviceName) is now \(deviceID)."
    case .fellBack(let direction, let wished, let deviceID):
      "The \(direction.deviceName) \(wished) is missing; \(deviceID ?? "the default") stands in for it."
    case .xrun(let direction, let count, let lostFrames):
      "The \(direction.deviceName) was late: \(count) \(direction == .capture ? "overrun" : "underrun")"
        + "\(count == 1 ? "" : "s"), \(lostFrames) frames lost."
    case .interrupted(let reason): "The audio was taken away (\(reason.rawValue))."
    case .resumed: "The audio is back."
    case .notice(let message): message
    default: nil
    }
  }
}

extension AudioDirection {
  /// What people call the device of the direction.
  package var deviceName: String { self == .capture ? "microphone" : "speaker" }
}

extension AudioDeviceStatistics.Direction {
  /// The counters that say whether all went well, for people.
  package func words(_ format: AudioFormat) -> String {
    var words = ["\(frames) frames (\(format.duration(ofFrames: frames).seconds.text(places: 2)) s)"]
    if silentFrames > 0 { words.append("\(silentFrames) of them silence") }
    if shortfallFrames > 0 { words.append("\(shortfallFrames) missing") }
    words.append("\(lostFrames) lost")
    words.append("\(xruns) xrun\(xruns == 1 ? "" : "s")")
    return words.joined(separator: ", ")
  }
}
