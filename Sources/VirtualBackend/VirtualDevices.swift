internal import AudioDeviceCore
internal import Synchronization

/// The devices that a backend has at the moment.
struct VirtualDevices {
  private(set) var speakers: [VirtualSpeaker] = []
  private(set) var microphones: [VirtualBackend.Microphone] = []
  private var defaults: [AudioDirection: String] = [:]

  /// The devices of the standard configuration.
  init() {
    speakers = VirtualBackend.Configuration.standard.speakers.map { VirtualSpeaker($0) }
    microphones = VirtualBackend.Configuration.standard.microphones
    updateListeners()
  }

  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `invalidArgument` when ids collide or a source cannot
  ///   be.
  init(_ configuration: VirtualBackend.Configuration) throws(AudioDeviceError) {
    for speaker in configuration.speakers { try add(speaker) }
    for microphone in configuration.microphones { try add(microphone) }
  }

  mutating func add(_ speaker: VirtualBackend.Speaker) throws(AudioDeviceError) {
    try check(speaker.id, .render, speaker.clockDrift)
    speakers.append(VirtualSpeaker(speaker))
    updateListeners()
  }

  mutating func add(_ microphone: VirtualBackend.Microphone) throws(AudioDeviceError) {
    try check(microphone.id, .capture, microphone.clockDrift)
    switch microphone.source {
    case .tone(let frequency, let level):
      guard (1...96_000).contains(frequency), level <= 0 else {
        throw AudioDeviceError(
          .invalidArgument, "A tone needs a frequency of 1 to 96000 Hz and a level of 0 dB or below.")
      }
    case .loopback(let speakerID, let delay):
      guard speakers.contains(where: { $0.description.id == speakerID }) else {
        throw AudioDeviceError(
          .invalidArgument,
          "The microphone '\(microphone.id)' is to hear '\(speakerID)', and there is no such speaker.")
      }
      guard (Duration.zero...Duration.seconds(1)).contains(delay) else {
        throw AudioDeviceError(.invalidArgument, "A loopback's delay must be 0 to 1 s.")
      }
      guard microphone.clockDrift == 0 else {
        throw AudioDeviceError(
          .invalidArgument, "A loopback microphone runs by its speaker's clock; give that one the drift.")
      }
    case .silence, .file, .function: break
    }
    microphones.append(microphone)
    updateListeners()
  }

  /// - Returns: What was removed, where it is a speaker.
  mutating func remove(_ id: String, _ direction: AudioDirection) throws(AudioDeviceError) -> VirtualSpeaker? {
    guard ids(direction).contains(id) else { throw notFound(id, direction) }
    let speaker = direction == .render ? speakers.first { $0.description.id == id } : nil
    switch direction {
    case .render: speakers.removeAll { $0.description.id == id }
    case .capture: microphones.removeAll { $0.id == id }
    }
    if defaults[direction] == id { defaults[direction] = nil }
    updateListeners()
    return speaker
  }

  mutating func setDefault(_ id: String, _ direction: AudioDirection) throws(AudioDeviceError) {
    guard ids(direction).contains(id) else { throw notFound(id, direction) }
    defaults[direction] = id
  }

  /// The speaker of an id, or the default one.
  func speaker(_ id: String?) throws(AudioDeviceError) -> VirtualSpeaker {
    let id = id ?? defaultID(.render)
    for speaker in speakers where speaker.description.id == id { return speaker }
    throw notFound(id, .render)
  }

  /// The microphone of an id, or the default one.
  func microphone(_ id: String?) throws(AudioDeviceError) -> VirtualBackend.Microphone {
    let id = id ?? defaultID(.capture)
    for microphone in microphones where microphone.id == id { return microphone }
    throw notFound(id, .capture)
  }

  /// All devices, as they are listed.
  var list: [AudioDeviceInfo] {
    speakers.map { speaker in
      info(speaker.description.id, speaker.description.name, .render, speaker.description.format)
    }
      + microphones.map { microphone in
        guard case .loopback(let speakerID, _) = microphone.source else {
          return info(microphone.id, microphone.name, .capture, nil)
        }
        let speaker = speakers.first { $0.description.id == speakerID }
        return info(microphone.id, microphone.name, .capture, speaker?.description.format)
      }
  }

  private func info(
    _ id: String, _ name: String, _ direction: AudioDirection, _ format: AudioFormat?
  ) -> AudioDeviceInfo {
    AudioDeviceInfo(
      id: id, name: name, direction: direction, kind: .virtual, isDefault: id == defaultID(direction),
      nativeFormat: format)
  }

  private func defaultID(_ direction: AudioDirection) -> String? { defaults[direction] ?? ids(direction).first }

  private func ids(_ direction: AudioDirection) -> [String] {
    direction == .render ? speakers.map(\.description.id) : microphones.map(\.id)
  }

  private func check(
    _ id: String, _ direction: AudioDirection, _ clockDrift: Double
  ) throws(AudioDeviceError) {
    guard !id.isEmpty, !ids(direction).contains(id) else {
      throw AudioDeviceError(
        .invalidArgument, "A virtual device needs an id that no other one has; '\(id)' is empty or taken.")
    }
    guard abs(clockDrift) <= 10_000 else {
      throw AudioDeviceError(.invalidArgument, "A device's clock must be within 10000 parts per million of the truth.")
    }
  }

  private func notFound(_ id: String?, _ direction: AudioDirection) -> AudioDeviceError {
    guard let id else {
      return AudioDeviceError(.deviceNotFound, "The virtual backend has no device to \(direction).")
    }
    let known = ids(direction).joined(separator: ", ")
    return AudioDeviceError(
      .deviceNotFound, "The virtual backend has no device '\(id)' to \(direction). It has: \(known).")
  }

  /// Tells each speaker whether anybody listens to it.
  private func updateListeners() {
    var heard = Set<String>()
    for case .loopback(let speakerID, _) in microphones.map(\.source) { heard.insert(speakerID) }
    for speaker in speakers {
      var hasTarget = true
      if case .nothing = speaker.description.target { hasTarget = false }
      speaker.isHeard.store(hasTarget || heard.contains(speaker.description.id), ordering: .relaxed)
    }
  }
}
