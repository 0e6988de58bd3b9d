internal import AudioDeviceKit
internal import CommandLineSupport
internal import Glibc

#if MP3
  internal import Foundation
  internal import Sounds
#endif

/// A call that rings: publish, ring until the other side connects, talk, end. See ``RingingCall`` for the call itself.
@main
struct RingtoneExample: Command {
  private let ringFor = Option(
    "ring-for", .seconds(in: 0.1...3600), default: .seconds(5), help: "When the subscriber connects.")
  private let callFor = Option(
    "call-for", .seconds(in: 0.1...3600), default: .seconds(5), help: "How long the call goes on then.")
  private let ringtone = Option(
    "ringtone", .text("FILE"), help: "The ringtone, an MP3 file; else one that comes with the package.")
  private let json = Flag("json", help: "Write JSON lines to standard output, one for each event.")

  var syntax: CommandSyntax {
    CommandSyntax(
      "ringtone-example", summary: "A call with a ringtone, in which the other side is oneself.",
      details: "What is published comes back over a simulated network of 100 ms: wear a headset. Where there is no "
        + "sound system, what would have been heard is written to a WAV file.",
      options: [
        ringFor, callFor, ringtone, DeviceOptions.backend, DeviceOptions.input, DeviceOptions.output,
        DeviceOptions.inputFile, DeviceOptions.outputFile, json,
      ], example: "ringtone-example --ring-for 3 --call-for 10")
  }

  static func main() { exit(CommandLineProgram(Self()).main()) }

  func check(_ arguments: ParsedArguments) throws(UsageError) { try DeviceOptions.check(arguments) }

  #if MP3
    func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
      let manager = AudioDeviceManager()
      var outputFile: String?
      var report = CommandReport()
      do throws(AudioDeviceError) {
        try call(arguments, context, manager, &outputFile)
      } catch {
        report.failure = error
      }
      report.add("time", context.console.time(.now))
      report.add("event", report.failure == nil ? "counters" : "failed")
      report.addCounters(manager.statistics)
      if let outputFile {
        report.add("outputFile", .string(outputFile))
        report.add(line: "What was to be heard is in \(outputFile).")
      }
      return report
    }

    private func call(
      _ arguments: ParsedArguments, _ context: CommandContext, _ manager: AudioDeviceManager,
      _ outputFile: inout String?
    ) throws(AudioDeviceError) {
      let ringtone: URL
      if let path = arguments[self.ringtone] {
        ringtone = URL(fileURLWithPath: path)
      } else {
        ringtone = try BundledSound.marimba.url()
      }
      let journal = try Journal(manager, context)
      defer { journal.finish() }
      var configuration = try DeviceOptions.configuration(arguments, format: .voice)
      configuration.application.name = "Ringtone example"
      let standIn = try StandIn(arguments, program: "ringtone-example")
      if let standIn {
        configuration.backend = .custom(standIn.backend)
        outputFile = standIn.outputFile
        if standIn.isUnasked {
          journal.tell(
            "noSoundSystem", [.init("outputFile", JSONValue(outputFile))],
            words: "No sound system was found here. What you would have heard goes to \(outputFile ?? "").")
        }
      }
      let device = RingtoneAudioDevice(ringtone: ringtone, configuration: configuration)
      try RingingCall(manager, device, journal, context.stop)
        .run(ringFor: arguments[ringFor], callFor: arguments[callFor])
      try standIn?.finish()
      if let failure = journal.failure { throw failure }
    }
  #else
    func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
      throw AudioDeviceError(
        .fileFormatNotSupported, "MP3 was not built in; build the package with the trait MP3 for ringtones.")
    }
  #endif
}

#if MP3
  extension CommandReport {
    /// What went where, in frames.
    fileprivate mutating func addCounters(_ statistics: AudioDeviceStatistics) {
      let (capture, render) = (statistics.capture, statistics.render)
      add("captured", .integer(capture.frames - capture.silentFrames))
      add("rendered", .integer(render.frames - render.silentFrames))
      add("silent", .integer(capture.silentFrames + render.silentFrames))
      add("lost", .integer(capture.lostFrames + render.lostFrames))
      add("xruns", .integer(capture.xruns + render.xruns))
      add("capture", JSONValue(capture))
      add("render", JSONValue(render))
      add(line: "microphone: \(capture.words(.voice))")
      add(line: "speaker: \(render.words(.voice))")
    }
  }
#endif
