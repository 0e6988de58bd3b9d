import AudioDeviceKit
import CMeasurement
import Foundation

/// The benchmark's client on AudioDeviceKit: a call that plays numbered samples and measures what comes back.
///
/// `BenchmarkClient LOG PERIOD LATENCY [RINGTONE]`, with the latency in milliseconds or `default`. With a ringtone it
/// begins idle. Then it does what it reads, a line each, and tells `done BEGIN END` for it: `capture on`, `render on`,
/// `mute on`, `ring on`, and the same with `off`. At the end of the input it stops.
@main struct BenchmarkClient {
  private let manager = AudioDeviceManager()
  private let device: DefaultAudioDevice

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let period = Int32(arguments[2]), bm_open(arguments[1], period) == 0 else {
      fail("usage: BenchmarkClient LOG PERIOD LATENCY [RINGTONE]")
    }
    do {
      let client = try BenchmarkClient(latency: Int(arguments[3]), ringtone: arguments.dropFirst(4).first)
      if arguments.count == 4 {
        try report("started") { () throws(AudioDeviceError) in
          try client.manager.startRendering()
          try client.manager.startCapture()
        }
      } else {
        report("started") {}
      }
      bm_note_libraries()
      while let line = readLine() {
        try report("done") { () throws(AudioDeviceError) in try client.obey(line) }
      }
      report("stopped") {
        client.manager.stopCapture()
        client.manager.stopRendering()
      }
    } catch {
      fail("\(error)")
    }
  }

  private init(latency: Int?, ringtone: String?) throws {
    var configuration = DefaultAudioDevice.Configuration()
    configuration.backend = .pulse
    configuration.latency = latency.map { .milliseconds($0) }
    #if MP3
      if let ringtone {
        device = RingtoneAudioDevice(ringtone: URL(fileURLWithPath: ringtone), configuration: configuration)
      } else {
        device = DefaultAudioDevice(configuration)
      }
    #else
      device = DefaultAudioDevice(configuration)
    #endif
    try manager.setAudioBus(NumberedBus(device: device))
    try manager.setAudioDevice(device)
  }

  private func obey(_ line: String) throws(AudioDeviceError) {
    switch line {
    case "capture on": try manager.startCapture()
    case "capture off": manager.stopCapture()
    case "render on": try manager.startRendering()
    case "render off": manager.stopRendering()
    case "mute on": try manager.setAudioHardMute(true)
    case "mute off": try manager.setAudioHardMute(false)
    #if MP3
      case "ring on": try (device as? RingtoneAudioDevice)?.startRingtone()
      case "ring off": (device as? RingtoneAudioDevice)?.stopRingtone()
    #endif
    default: Self.fail("unknown: \(line)")
    }
  }

  private static func report<Failure: Error>(_ word: String, _ body: () throws(Failure) -> Void) throws(Failure) {
    let begin = bm_now()
    try body()
    FileHandle.standardOutput.write(Data("\(word) \(begin) \(bm_now())\n".utf8))
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(1)
  }
}
