internal import AudioDeviceKit
internal import CommandLineSupport

/// `audio-device record FILE`: the microphone into a WAVE file.
struct RecordCommand: Command {
  /// What the disk may be late: a busy one takes seconds.
  private static let backlog = Duration.seconds(5)
  /// How much longer than wished a recording may take before the microphone counts as stuck.
  private static let patience = Duration.seconds(5)

  private let file = Argument("FILE", help: "The WAV file to write; what is there is replaced.")
  private let seconds = Option("seconds", .seconds(in: 0.1...604_800), help: "How much to record; else until Ctrl-C.")

  var syntax: CommandSyntax {
    CommandSyntax(
      "record", summary: "Records a microphone into a WAV file.",
      details: "The file can be played at every moment of its making, also after the recording was killed.",
      arguments: [file],
      options: [
        DeviceOptions.backend, DeviceOptions.input, DeviceOptions.inputFile, DeviceOptions.rate,
        DeviceOptions.channels, DeviceOptions.latency, seconds, OutputOptions.json, OutputOptions.events,
      ], example: "audio-device record --seconds 5 note.wav")
  }

  func check(_ arguments: ParsedArguments) throws(UsageError) { try DeviceOptions.check(arguments) }

  func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
    let path = arguments[file]
    let format = try DeviceOptions.format(arguments)
    let device = DefaultAudioDevice(try DeviceOptions.configuration(arguments, format: format))
    let manager = AudioDeviceManager()
    let events = try EventReader(manager, context, arguments)
    let bus = CaptureBus(format: format, backlog: Self.backlog)
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
    try manager.startCapture()
    defer { manager.stopCapture() }
    manager.waitForFlow(.capture, context.stop)
    // Not before the microphone is open, so that a microphone that fails does not cost the file that was there.
    let limit = arguments[seconds].map { max(1, format.frames(in: $0)) }
    let recorder = try FileRecorder(path: path, bus: bus, limit: limit) { context.stop.wake() }
    bus.open()
    let start = AudioInstant.now
    var peak = -Double.infinity
    context.stop.repeating(every: .milliseconds(100), until: arguments[seconds].map { start + $0 + Self.patience }) {
      while events.next() != nil {}
      let level = bus.meter.take()
      peak = max(peak, level.peak)
      if context.console.showsProgress {
        let length = format.duration(ofFrames: recorder.frameCount).seconds.text(places: 1)
        context.console.showProgress("\(length) s \(LevelBar.text(level.mean, peak: level.peak))")
      }
      return !recorder.isDone
    }
    let running = RunningDevice(device)
    manager.stopCapture()
    let failure = recorder.finish()
    peak = max(peak, bus.meter.take().peak)
    events.finish()

    let frames = recorder.frameCount
    let length = format.duration(ofFrames: frames)
    let dropped = bus.droppedFrames
    var report = CommandReport(failure: failure)
    if failure == nil, let limit, frames < limit, !context.stop.isRequested {
      report.failure = AudioDeviceError(
        .timedOut,
        "The microphone gave only \(length.seconds.text(places: 1)) s in the time; ask 'audio-device doctor' why.")
    }
    report.add("file", .string(path))
    report.add("frames", .integer(frames))
    report.add("seconds", .seconds(length))
    report.add("peakDecibels", JSONValue(decibels: peak))
    report.add("droppedFrames", .integer(dropped))
    report.add(line: "\(path): \(length.seconds.text(places: 2)) s, peak \(LevelBar.decibelText(peak))")
    if dropped > 0 { report.add(line: "\(dropped) frames were lost because the disk was too slow.") }
    report.add(running, manager.statistics, [.capture])
    return report
  }
}
