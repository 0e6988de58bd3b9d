internal import AudioDeviceKit
internal import CommandLineSupport

/// `audio-device play FILE`: a sound file on a speaker, to its last sample.
struct PlayCommand: Command {
  private let file = Argument("FILE", help: "The sound file to play, WAV or MP3.")
  private let seconds = Option("seconds", .seconds(in: 0.1...604_800), help: "How much to play; else all of it.")

  var syntax: CommandSyntax {
    CommandSyntax(
      "play", summary: "Plays a WAV or MP3 file.",
      details: "The device is opened in the file's own format, and closed when the last sample was heard.",
      arguments: [file],
      options: [
        DeviceOptions.backend, DeviceOptions.output, DeviceOptions.outputFile, DeviceOptions.latency, seconds,
        OutputOptions.json, OutputOptions.events,
      ], example: "audio-device play --output spk greeting.wav")
  }

  func check(_ arguments: ParsedArguments) throws(UsageError) { try DeviceOptions.check(arguments) }

  func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
    let reader = try SoundReader(path: arguments[file])
    let format = reader.format
    let total = reader.frameCount.map { format.duration(ofFrames: $0) }
    let bus = try PlaybackBus(reader) { context.stop.wake() }
    defer { _ = bus.finish() }
    let device = DefaultAudioDevice(try DeviceOptions.configuration(arguments, format: format))
    let manager = AudioDeviceManager()
    let events = try EventReader(manager, context, arguments)
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
    try manager.startRendering()
    defer { manager.stopRendering() }
    manager.waitForFlow(.render, context.stop)
    bus.setPlaying(true)
    let end = arguments[seconds].map { AudioInstant.now + $0 }
    context.stop.repeating(every: .milliseconds(100), until: end) {
      while let event = events.next() {
        switch event.kind {
        case .lost(.render, _): bus.setPlaying(false)
        case .recovered(.render):
          manager.waitForFlow(.render, context.stop)
          bus.setPlaying(true)
        default: break
        }
      }
      if context.console.showsProgress {
        let position = format.duration(ofFrames: bus.playedFrames).seconds.text(places: 1)
        context.console.showProgress("\(position)\(total.map { " of \($0.seconds.text(places: 1))" } ?? "") s")
      }
      return !bus.isFinished
    }
    // What was given last is heard only when it has gone all the way.
    if bus.isFinished {
      let heard = AudioInstant.now + device.estimatedRenderDelay + format.periodDuration
      context.stop.repeating(every: .seconds(1), until: heard) { true }
    }
    let running = RunningDevice(device)
    let isLost = manager.gates.renderIsLost
    manager.stopRendering()
    var report = CommandReport(failure: bus.finish())
    events.finish()
    if report.failure == nil, isLost {
      report.failure = AudioDeviceError(
        .deviceLost, "The speaker was lost and did not come back; 'audio-device list' shows which there are.")
    }
    do throws(AudioDeviceError) {
      try DeviceOptions.finishOutputFile(of: device)
    } catch {
      report.failure = report.failure ?? error
    }
    let played = format.duration(ofFrames: bus.playedFrames)
    report.add("file", .string(arguments[file]))
    report.add("seconds", .seconds(played))
    report.add("isComplete", .bool(bus.isFinished && report.failure == nil))
    report.add(line: "\(arguments[file]): \(played.seconds.text(places: 2)) s played")
    report.add(running, manager.statistics, [.render])
    return report
  }
}
