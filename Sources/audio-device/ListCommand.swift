internal import AudioDeviceKit
internal import CommandLineSupport

/// `audio-device list`: the devices of a backend.
struct ListCommand: Command {
  let syntax = CommandSyntax(
    "list", summary: "Lists microphones and speakers.",
    details: "The first column is the id that --input and --output take; * marks the default of its direction.",
    options: [DeviceOptions.backend, OutputOptions.json],
    example: "audio-device list --backend pulse")

  func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
    let device = DefaultAudioDevice(try DeviceOptions.configuration(arguments, format: .voice))
    try device.initializeRendering()
    guard let backend = device.backend else {
      throw AudioDeviceError(.backendUnavailable, "No audio backend was chosen.")
    }
    let devices = try backend.devices()
    if backend.name == "virtual", DeviceOptions.isAutomatic(arguments) {
      context.console.note("No sound system was found: these are the virtual devices, which nobody hears.")
    }
    var report = CommandReport()
    report.add("backend", .string(backend.name))
    report.add("devices", .array(devices.map { JSONValue($0) }))
    report.add(line: "Backend: \(backend.name)")
    for direction in [AudioDirection.capture, .render] {
      report.add(line: direction == .capture ? "Microphones:" : "Speakers:")
      let lines = devices.filter { $0.direction == direction }.map { line(for: $0) }
      report.add(line: lines.isEmpty ? "  none" : lines.joined(separator: "\n"))
    }
    return report
  }

  private func line(for device: AudioDeviceInfo) -> String {
    let kind = device.kind == .unknown ? nil : device.kind.rawValue
    let facts = [device.nativeFormat?.description, kind, device.formFactor].compactMap { $0 }.joined(separator: ", ")
    let name = device.name.isEmpty || device.name == device.id ? "" : "  \(device.name)"
    return "\(device.isDefault ? "*" : " ") \(device.id)\(name)\(facts.isEmpty ? "" : "  (\(facts))")"
  }
}
