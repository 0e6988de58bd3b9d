internal import CommandLineSupport
internal import Glibc

/// The command: what devices there are, whether they work, what the delay is, what went wrong.
@main
struct AudioDeviceProgram {
  static func main() {
    let program = CommandLineProgram(
      name: "audio-device",
      summary: "Looks at, tries and uses the microphones and speakers of this machine, as a call does.",
      commands: [
        ListCommand(), DoctorCommand(), MeterCommand(), RecordCommand(), PlayCommand(), RingCommand(),
        LoopbackCommand(),
      ])
    exit(program.main())
  }
}
