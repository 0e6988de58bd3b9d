internal import AudioDeviceKit
internal import CommandLineSupport
internal import Glibc

/// A call with oneself on a driver of one's own: what is captured comes back as what is rendered.
///
/// With `--wav FILE` the driver is ``WaveFileDevice``, which needs no sound system; with `--active-after SECONDS` it is
/// ``SelfActivatingDevice``, and else ``RobotVoiceDevice``, both on the microphone and the speaker of the system.
@main
struct CustomDeviceExample: Command {
  private static let farEndDelay = Duration.milliseconds(100)

  private let wave = Option(
    "wav", .text("FILE"), help: "What the driver from nothing hears; else the system's microphone is made a robot's.")
  private let activation = Option(
    "active-after", .seconds(in: 0...86_400),
    help: "Takes the driver that opens its devices by itself, so much later.")
  private let seconds = Option("seconds", .seconds(in: 0.1...86_400), default: .seconds(5), help: "How long.")

  var syntax: CommandSyntax {
    CommandSyntax(
      "custom-device-example",
      summary: "Shows drivers: from nothing, one that changes the system's audio, one that activates itself.",
      options: [
        wave, activation, DeviceOptions.backend, DeviceOptions.input, DeviceOptions.output, DeviceOptions.inputFile,
        DeviceOptions.outputFile, seconds, OutputOptions.json, OutputOptions.events,
      ], example: "custom-device-example --wav greeting.wav --seconds 3")
  }

  static func main() { exit(CommandLineProgram(Self()).main()) }

  func check(_ arguments: ParsedArguments) throws(UsageError) {
    try DeviceOptions.check(arguments)
    let others: [any CommandOption] = [
      DeviceOptions.backend, DeviceOptions.input, DeviceOptions.output, DeviceOptions.inputFile,
      DeviceOptions.outputFile, activation,
    ]
    if arguments[wave] != nil, let other = others.first(where: { arguments.isGiven($0) }) {
      throw UsageError("--wav is a device by itself; leave --\(other.name) out")
    }
  }

  func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
    // The one place where the drivers differ.
    let device: any AudioDevice
    var meter: LevelMeter?
    var activated: SelfActivatingDevice?
    if let path = arguments[wave] {
      let driver = try WaveFileDevice(path: path)
      (device, meter) = (driver, driver.speaker.meter)
    } else if arguments[activation] != nil {
      let driver = SelfActivatingDevice(try DeviceOptions.configuration(arguments, format: .voice))
      (device, activated) = (driver, driver)
    } else {
      let driver = RobotVoiceDevice(try DeviceOptions.configuration(arguments, format: .voice))
      (device, meter) = (driver, driver.speakerMeter)
    }

    let manager = AudioDeviceManager()
    let events = try EventReader(manager, context, arguments)
    let bus = BufferedAudioBus(captureFormat: device.captureFormat, renderFormat: device.renderFormat)
    let farEnd = try DelayedReturn(bus, delay: Self.farEndDelay)
    defer { farEnd.stop() }
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
    try manager.startRendering()
    defer { manager.stopRendering() }
    try manager.startCapture()
    defer { manager.stopCapture() }

    var peak = -Double.infinity
    let start = AudioInstant.now
    context.stop.repeating(every: .milliseconds(100), until: .now + arguments[seconds]) {
      while events.next() != nil {}
      if let driver = activated, let wait = arguments[activation], .now - start >= wait {
        activated = nil
        driver.activate()
      }
      guard let level = meter?.take() else { return true }
      peak = max(peak, level.peak)
      context.console.showProgress("speaker \(LevelBar.text(level.mean, peak: level.peak))")
      return true
    }
    manager.stopCapture()
    manager.stopRendering()
    events.finish()

    var report = CommandReport()
    if let device = device as? DefaultAudioDevice {
      do throws(AudioDeviceError) {
        try DeviceOptions.finishOutputFile(of: device)
      } catch {
        report.failure = error
      }
    }
    let statistics = manager.statistics
    report.add("driver", .string("\(type(of: device))"))
    report.add(line: "\(type(of: device))")
    if meter != nil {
      report.add("speakerPeakDecibels", JSONValue(decibels: peak))
      report.add(line: "speaker peak \(LevelBar.decibelText(peak))")
    }
    for direction in AudioDirection.allCases {
      let format = direction == .capture ? device.captureFormat : device.renderFormat
      report.add("\(direction)", JSONValue(statistics[direction]))
      report.add(line: "\(direction.deviceName): \(statistics[direction].words(format))")
    }
    return report
  }
}
