internal import AudioDeviceKit
internal import CommandLineSupport

#if MP3
  internal import Foundation
#endif

/// `audio-device ring FILE`: a ringtone in a loop, as a call that waits.
struct RingCommand: Command {
  private let file = Argument("FILE", help: "The ringtone, an MP3 file.")
  private let seconds = Option("seconds", .seconds(in: 0.1...86_400), help: "How long to ring; else until Ctrl-C.")
  private let gain = Option(
    "gain", .decimal("DB", in: -60...20), default: 0, help: "Decibels to add to the file's own level.")
  private let fadeIn = Option(
    "fade-in", .seconds(in: 0...60), default: .zero, help: "How long the ringtone takes to reach its level.")

  var syntax: CommandSyntax {
    CommandSyntax(
      "ring", summary: "Plays a ringtone, over and over.",
      details: "No microphone is open meanwhile: the ringing goes over an audio device that halts the call.",
      arguments: [file],
      options: [
        DeviceOptions.backend, DeviceOptions.output, DeviceOptions.outputFile, seconds, gain, fadeIn,
        OutputOptions.json, OutputOptions.events,
      ], example: "audio-device ring --seconds 5 ringtone.mp3")
  }

  func check(_ arguments: ParsedArguments) throws(UsageError) { try DeviceOptions.check(arguments) }

  #if MP3
    func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
      var ringtone = RingtoneConfiguration()
      ringtone.gain = arguments[gain]
      ringtone.fadeIn = arguments[fadeIn]
      let device = RingtoneAudioDevice(
        ringtone: URL(fileURLWithPath: arguments[file]),
        configuration: try DeviceOptions.configuration(arguments, format: .stereo), ringtoneConfiguration: ringtone)
      let manager = AudioDeviceManager()
      let events = try EventReader(manager, context, arguments)
      try manager.setAudioDevice(device)
      try device.startRingtone()
      let start = AudioInstant.now
      var failure: AudioDeviceError?
      context.stop.repeating(every: .milliseconds(200), until: arguments[seconds].map { start + $0 }) {
        while let event = events.next() {
          if case .ringtoneStopped(let error) = event.kind { failure = error }
        }
        context.console.showProgress("Ringing for \((AudioInstant.now - start).seconds.text(places: 1)) s")
        return device.isRingtonePlaying
      }
      let rung = AudioInstant.now - start
      device.stopRingtone()
      events.finish()
      while let event = events.next() {
        if case .ringtoneStopped(let error) = event.kind { failure = failure ?? error }
      }
      var report = CommandReport(failure: failure)
      do throws(AudioDeviceError) {
        try DeviceOptions.finishOutputFile(of: device)
      } catch {
        report.failure = report.failure ?? error
      }
      report.add("file", .string(arguments[file]))
      report.add("seconds", .seconds(rung))
      report.add("backend", JSONValue(device.backend?.name))
      report.add("deviceID", JSONValue(arguments[DeviceOptions.output]))
      report.add(line: "\(arguments[file]): rang for \(rung.seconds.text(places: 2)) s")
      return report
    }
  #else
    func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
      throw AudioDeviceError(
        .fileFormatNotSupported, "MP3 was not built in; build the package with the trait MP3 to ring.")
    }
  #endif
}
