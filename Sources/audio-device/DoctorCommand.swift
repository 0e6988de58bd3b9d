internal import AudioDeviceKit
internal import CommandLineSupport

/// `audio-device doctor`: what is wrong with the sound of this machine, and what to do about it.
struct DoctorCommand: Command {
  private let tone = Flag("tone", help: "Let the speaker be heard, with a soft tone; else it is tried with silence.")

  var syntax: CommandSyntax {
    CommandSyntax(
      "doctor", summary: "Finds out whether sound works here, and says what to do about what does not.",
      details: "Looks at the sound server, the sound cards, the rights, the scheduling and the default devices, then "
        + "captures and renders for a second each. The code is 0 when calls can be heard, else 1.",
      options: [
        DeviceOptions.backend, DeviceOptions.input, DeviceOptions.output, DeviceOptions.inputFile,
        DeviceOptions.outputFile, DeviceOptions.rate, DeviceOptions.channels, DeviceOptions.latency, tone,
        OutputOptions.json, OutputOptions.events,
      ], example: "audio-device doctor --tone")
  }

  func check(_ arguments: ParsedArguments) throws(UsageError) { try DeviceOptions.check(arguments) }

  func run(_ arguments: ParsedArguments, _ context: CommandContext) throws(AudioDeviceError) -> CommandReport {
    let format = try DeviceOptions.format(arguments)
    let configuration = try DeviceOptions.configuration(arguments, format: format)
    let system = SystemExamination(configuration)
    var findings = system.findings
    var backend: String?
    if system.hasSound {
      var devices = try DeviceExamination(configuration, isAudible: arguments[tone], context)
      devices.run()
      findings += devices.findings
      backend = devices.backend?.name
    }
    let works = system.hasSound && !findings.contains { $0.verdict == .problem }
    let summary = summary(works: works, hasSound: system.hasSound)
    var report = CommandReport()
    report.isNegative = !works
    report.add("works", .bool(works))
    report.add("backend", JSONValue(backend))
    report.add("summary", .string(summary))
    report.add("findings", .array(findings.map(\.json)))
    for finding in findings {
      report.add(line: finding.line)
      context.console.report(
        event: "finding", [.init("subject", .string(finding.subject)), .init("message", .string(finding.message))])
    }
    report.add(line: "")
    report.add(line: summary)
    return report
  }

  private func summary(works: Bool, hasSound: Bool) -> String {
    if !hasSound {
      return "This machine has no sound, or none that may be used here. Calls can still be made: they run on the "
        + "virtual device, which hears silence and is heard by nobody."
    }
    return works ? "Calls can be heard here." : "Calls cannot be heard here as things are."
  }
}
