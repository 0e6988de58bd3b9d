internal import AudioDeviceKit
internal import CommandLineSupport

/// `audio-device meter`: the level of a microphone, live.
struct MeterCommand: Command {
  private let seconds = Option("seconds", .seconds(in: 0.1...604_800), help: "How long; else until Ctrl-C.")

  var syntax: CommandSyntax {
    CommandSyntax(
      "meter", summary: "Shows the level of a microphone.",
      details: "A bar for each channel: # is the mean level, | the peak. With --events each level is an event.",
      options: [
        DeviceOptions.backend, DeviceOptions.input, DeviceOptions.inputFile, DeviceOptions.rate,
        DeviceOptions.channels, DeviceOptions.latency, seconds, OutputOptions.json, OutputOptions.events,
      ], example: "audio-device meter --channels 2")
  }

  func check(_ arguments: ParsedArguments) throws(UsageError) { try DeviceOptions.check(arguments) }

  func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
    let console = context.console
    let format = try DeviceOptions.format(arguments)
    let device = DefaultAudioDevice(try DeviceOptions.configuration(arguments, format: format))
    let manager = AudioDeviceManager()
    let events = try EventReader(manager, context, arguments)
    let bus = CaptureBus(format: format)
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
    try manager.startCapture()
    defer { manager.stopCapture() }
    manager.waitForFlow(.capture, context.stop)
    bus.open()
    let start = AudioInstant.now
    var summary = LevelSummary()
    // Ten bars a second where one replaces the other, one line a second where they stay.
    let interval = console.showsProgress ? Duration.milliseconds(100) : .seconds(1)
    var next = start + interval
    func show() {
      let reading = bus.meter.take()
      guard reading.frames > 0 else { return }
      summary.add(reading)
      console.report(
        event: "level",
        [
          .init("direction", "capture"), .init("peakDecibels", .array(reading.peaks.map { JSONValue(decibels: $0) })),
          .init("meanDecibels", .array(reading.means.map { JSONValue(decibels: $0) })),
        ])
      let width = max(8, 60 / format.channelCount - 12)
      let bars = zip(reading.means, reading.peaks).map { mean, peak in
        "\(LevelBar.text(mean, peak: peak, width: width)) \(LevelBar.decibelText(peak, width: 8))"
      }.joined(separator: "  ")
      if console.showsProgress { console.showProgress(bars) } else { console.say(bars) }
    }
    context.stop.repeating(every: interval, until: arguments[seconds].map { start + $0 }) {
      while events.next() != nil {}
      let now = AudioInstant.now
      if now >= next {
        show()
        next = now + interval
      }
      return true
    }
    let running = RunningDevice(device)
    manager.stopCapture()
    show()
    events.finish()
    var report = CommandReport()
    report.add("peakDecibels", JSONValue(decibels: summary.peak))
    report.add("meanDecibels", JSONValue(decibels: summary.mean))
    report.add(
      line: "peak \(LevelBar.decibelText(summary.peak)), mean \(LevelBar.decibelText(summary.mean))")
    report.add(running, manager.statistics, [.capture])
    return report
  }

  /// The loudest sample and the mean level of all readings.
  private struct LevelSummary {
    private(set) var peak = -Double.infinity
    private var power = 0.0
    private var frames = 0

    var mean: Double { frames > 0 ? decibels(power: power / Double(frames)) : -.infinity }

    mutating func add(_ reading: LevelMeter.Reading) {
      peak = max(peak, reading.peak)
      power += reading.meanPower * Double(reading.frames)
      frames += reading.frames
    }
  }
}
