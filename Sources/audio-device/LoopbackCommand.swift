internal import AudioDeviceKit
internal import CommandLineSupport

/// `audio-device loopback`: the microphone on the speaker, a while later.
struct LoopbackCommand: Command {
  private let seconds = Option("seconds", .seconds(in: 0.1...604_800), help: "How long; else until Ctrl-C.")
  private let delay = Option(
    "delay", .milliseconds(in: 0...10_000), default: .milliseconds(100),
    help: "What is added to the devices' own delay.")

  var syntax: CommandSyntax {
    CommandSyntax(
      "loopback", summary: "Plays what the microphone hears, and measures the delay.",
      details: "Use a headset: from a speaker to a microphone beside it the sound goes round and round.",
      options: [
        DeviceOptions.backend, DeviceOptions.input, DeviceOptions.output, DeviceOptions.inputFile,
        DeviceOptions.outputFile, DeviceOptions.rate, DeviceOptions.channels, DeviceOptions.latency, delay, seconds,
        OutputOptions.json, OutputOptions.events,
      ], example: "audio-device loopback --delay 500 --seconds 10")
  }

  func check(_ arguments: ParsedArguments) throws(UsageError) { try DeviceOptions.check(arguments) }

  func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
    let format = try DeviceOptions.format(arguments)
    let device = DefaultAudioDevice(try DeviceOptions.configuration(arguments, format: format))
    let manager = AudioDeviceManager()
    let events = try EventReader(manager, context, arguments)
    let bus = BufferedAudioBus(captureFormat: format, renderFormat: format)
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
    let farEnd = try DelayedReturn(bus, delay: arguments[delay])
    defer { farEnd.stop() }
    try manager.startRendering()
    defer { manager.stopRendering() }
    try manager.startCapture()
    defer { manager.stopCapture() }
    let start = AudioInstant.now
    context.stop.repeating(every: .milliseconds(500), until: arguments[seconds].map { start + $0 }) {
      while events.next() != nil {}
      if context.console.showsProgress {
        let delays = Delays(device, bus, added: arguments[delay])
        context.console.showProgress(
          "\((AudioInstant.now - start).seconds.text(places: 1)) s, delay \(delays.total.millisecondsText)")
      }
      return true
    }
    let ran = AudioInstant.now - start
    let running = RunningDevice(device)
    let delays = Delays(device, bus, added: arguments[delay])
    manager.stopCapture()
    manager.stopRendering()
    farEnd.stop()
    events.finish()
    var report = CommandReport()
    do throws(AudioDeviceError) {
      try DeviceOptions.finishOutputFile(of: device)
    } catch {
      report.failure = error
    }
    report.add("seconds", .seconds(ran))
    report.add("delayMilliseconds", delays.json)
    report.add("droppedFrames", .integer(bus.captureStatistics.droppedFrames + bus.renderStatistics.droppedFrames))
    report.add(line: "\(ran.seconds.text(places: 2)) s, delay \(delays.total.millisecondsText): \(delays.words)")
    report.add(running, manager.statistics, [.capture, .render])
    return report
  }

  /// Where the time goes between the microphone and the speaker.
  private struct Delays {
    let capture: Duration
    let render: Duration
    let buffered: Duration
    let added: Duration

    init(_ device: DefaultAudioDevice, _ bus: BufferedAudioBus, added: Duration) {
      capture = device.estimatedCaptureDelay
      render = device.estimatedRenderDelay
      buffered = bus.captureBacklog + bus.renderBacklog
      self.added = added
    }

    var total: Duration { capture + render + buffered + added }

    var words: String {
      "microphone \(capture.millisecondsText), speaker \(render.millisecondsText), "
        + "buffers \(buffered.millisecondsText), added \(added.millisecondsText)"
    }

    var json: JSONValue {
      [
        "capture": .milliseconds(capture), "render": .milliseconds(render), "buffered": .milliseconds(buffered),
        "added": .milliseconds(added), "total": .milliseconds(total),
      ]
    }
  }
}
