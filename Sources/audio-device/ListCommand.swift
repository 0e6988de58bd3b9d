internal import AudioDeviceKit
internal import CommandLineSupport
internal import RealtimeSupport

/// `audio-device list`: the devices of a backend, and what becomes of them.
struct ListCommand: Command {
  private let all = Flag("all", help: "Monitors of speakers and echo cancellers' helpers, too.")
  private let watch = Flag("watch", help: "Go on and tell what comes, goes and changes, until Ctrl-C.")
  private let seconds = Option("seconds", .seconds(in: 0.1...604_800), help: "How long to watch; else until Ctrl-C.")

  var syntax: CommandSyntax {
    CommandSyntax(
      "list", summary: "Lists microphones and speakers.",
      details: "The first column is the id that --input and --output take; * marks the default of its direction.",
      options: [DeviceOptions.backend, all, watch, seconds, OutputOptions.json, OutputOptions.events],
      example: "audio-device list --backend pulse --watch")
  }

  func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
    let console = context.console
    let device = DefaultAudioDevice(try DeviceOptions.configuration(arguments, format: .voice))
    try device.initializeRendering()
    guard let backend = device.backend else {
      throw AudioDeviceError(.backendUnavailable, "No audio backend was chosen.")
    }
    let isShown = { (device: AudioDeviceInfo) in arguments[all] || device.isOffered }
    // Watched before it is listed, so that nothing is missed in between.
    let watching = arguments[watch] ? try backend.watchDevices { context.stop.wake() } : nil
    defer { watching?.cancel() }
    var devices = try backend.devices().filter(isShown)
    if backend.name == "virtual", DeviceOptions.isAutomatic(arguments) {
      console.note("No sound system was found: these are the virtual devices, which nobody hears.")
    }
    guard watching != nil else { return report(devices, backend) }
    for line in lines(devices, backend) { console.say(line) }
    let deadline = arguments[seconds].map { AudioInstant.now + $0 }
    context.stop.repeating(every: .seconds(60), until: deadline) {
      // A server that is gone has no devices; it is watched for all the same.
      let now = ((try? backend.devices()) ?? []).filter(isShown)
      for change in AudioDeviceChange.changes(from: devices, to: now) {
        console.report(event: change.name, change.members)
        console.say(words(for: change))
      }
      devices = now
      return true
    }
    return report(devices, backend)
  }

  private func report(_ devices: [AudioDeviceInfo], _ backend: any AudioBackend) -> CommandReport {
    var report = CommandReport()
    report.add("backend", .string(backend.name))
    report.add("devices", .array(devices.map { JSONValue($0) }))
    for line in lines(devices, backend) { report.add(line: line) }
    return report
  }

  private func lines(_ devices: [AudioDeviceInfo], _ backend: any AudioBackend) -> [String] {
    var lines = ["Backend: \(backend.name)"]
    for direction in [AudioDirection.capture, .render] {
      lines.append(direction == .capture ? "Microphones:" : "Speakers:")
      let listed = devices.filter { $0.direction == direction }.map { line(for: $0) }
      lines += listed.isEmpty ? ["  none"] : listed
    }
    return lines
  }

  private func line(for device: AudioDeviceInfo) -> String {
    let kind = device.kind == .unknown ? nil : device.kind.rawValue
    let facts = [
      device.nativeFormat?.description, kind, device.formFactor, device.isPluggedIn ? nil : "unplugged",
    ].compactMap { $0 }.joined(separator: ", ")
    let name = device.name.isEmpty || device.name == device.id ? "" : "  \(device.name)"
    return "\(device.isDefault ? "*" : " ") \(device.id)\(name)\(facts.isEmpty ? "" : "  (\(facts))")"
  }

  private func words(for change: AudioDeviceChange) -> String {
    switch change {
    case .appeared(let device): "came: \(device.direction.deviceName) \(device.id)"
    case .disappeared(let device): "went: \(device.direction.deviceName) \(device.id)"
    case .changed(let device): "changed: \(device.direction.deviceName) \(device.id)"
    case .defaultChanged(let direction, let id): "default \(direction.deviceName): \(id ?? "none")"
    }
  }
}
