internal import AudioDeviceKit
internal import CommandLineSupport

/// A second of each direction on the devices that would be used.
struct DeviceExamination {
  private(set) var findings: [Finding] = []

  private let device: DefaultAudioDevice
  private let manager = AudioDeviceManager()
  private let format: AudioFormat
  private let context: CommandContext
  private let bus: DoctorBus

  /// Prepares the device.
  ///
  /// - Parameters:
  ///   - configuration: Which devices, and how.
  ///   - isAudible: Whether the speaker is to be heard.
  ///   - context: Who may end it early.
  /// - Throws: ``AudioDeviceError`` when the device cannot be used at all.
  init(
    _ configuration: DefaultAudioDevice.Configuration, isAudible: Bool, _ context: CommandContext
  ) throws(AudioDeviceError) {
    device = DefaultAudioDevice(configuration)
    format = configuration.captureFormat
    self.context = context
    bus = DoctorBus(format: format, isAudible: isAudible)
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
  }

  /// The backend that is used.
  var backend: (any AudioBackend)? { device.backend }

  /// Says which devices would be used, and tries both directions for a second.
  mutating func run() {
    examineDefaults()
    for direction in AudioDirection.allCases where !context.stop.isRequested {
      examine(direction)
    }
  }

  private mutating func add(
    _ subject: String, _ verdict: Finding.Verdict, _ message: String, _ advice: String? = nil
  ) {
    findings.append(Finding(subject: subject, verdict: verdict, message: message, advice: advice))
  }

  private mutating func examineDefaults() {
    let listed: [AudioDeviceInfo]
    do throws(AudioDeviceError) {
      try device.initializeRendering()
      listed = try device.backend?.devices() ?? []
    } catch {
      add("devices", .problem, error.message)
      return
    }
    for direction in AudioDirection.allCases {
      let subject = "default \(direction.deviceName)"
      let all = listed.filter { $0.direction == direction }
      if let device = all.first(where: \.isDefault) {
        let isMonitor = device.kind == .monitor
        add(
          subject, isMonitor ? .warning : .good, "\(device.name) (\(device.id)).",
          isMonitor ? "It hears what is played, and no person: choose another in the sound settings." : nil)
      } else if all.isEmpty {
        add(subject, .problem, "There is no \(subject).", "Plug one in, or check that it is switched on.")
      } else {
        add(
          subject, .warning, "None of \(all.count) is the default.",
          "Choose one in the sound settings, or name one with --\(direction == .capture ? "input" : "output").")
      }
    }
  }

  private mutating func examine(_ direction: AudioDirection) {
    let subject = direction.deviceName
    context.console.showProgress("Trying the \(subject) for a second …")
    do throws(AudioDeviceError) {
      switch direction {
      case .capture: try manager.startCapture()
      case .render: try manager.startRendering()
      }
    } catch {
      add(subject, .problem, error.description, advice(for: error, direction))
      return
    }
    _ = bus.meter.take()
    let start = AudioInstant.now
    let before = manager.statistics[direction]
    context.stop.repeating(every: .seconds(1), until: start + .seconds(1)) { true }
    let elapsed = AudioInstant.now - start
    let counted = manager.statistics[direction].difference(from: before)
    let level = bus.meter.take()
    let running = RunningDevice(device)
    switch direction {
    case .capture: manager.stopCapture()
    case .render: manager.stopRendering()
    }
    guard !context.stop.isRequested else { return }
    judge(direction, counted, elapsed, running)
    if direction == .capture, counted.frames > counted.silentFrames { judgeLevel(level) }
  }

  /// Whether the device keeps its pace, and how long the sound is under way.
  private mutating func judge(
    _ direction: AudioDirection, _ counted: AudioDeviceStatistics.Direction, _ elapsed: Duration,
    _ running: RunningDevice
  ) {
    let subject = direction.deviceName
    let isCapture = direction == .capture
    let delay = isCapture ? running.captureDelay : running.renderDelay
    let scheduling = isCapture ? running.captureScheduling : running.renderScheduling
    let pace = Double(counted.frames - counted.silentFrames) / Double(max(1, format.frames(in: elapsed)))
    let id = (isCapture ? running.inputID : running.outputID).map { " on \($0)" } ?? ""
    if pace < 0.1 {
      add(
        subject, .problem, "It opens\(id), but \(isCapture ? "nothing comes" : "takes nothing").",
        "It may be suspended or unplugged; another program may hold it. Try another one from 'audio-device list'.")
      return
    }
    let facts = "\((pace * 100).text(places: 0)) % of the pace, delay \(delay.millisecondsText)"
    let threads = scheduling.map { ", \($0)" } ?? ""
    if pace < 0.8 || pace > 1.2 {
      add(subject, .problem, "It does not keep its pace\(id): \(facts).", "Try another device, or another --rate.")
    } else if counted.xruns > 0 {
      add(
        subject, .warning, "It works\(id), with \(counted.xruns) xrun(s): \(facts)\(threads).",
        "Give it more time with --latency 80, and audio threads real time.")
    } else if delay > .milliseconds(200) {
      add(subject, .warning, "It works\(id), and is slow: \(facts)\(threads).", "Try --latency 40.")
    } else {
      add(subject, .good, "It works\(id): \(facts)\(threads).")
    }
  }

  private mutating func judgeLevel(_ level: LevelMeter.Reading) {
    let peak = LevelBar.decibelText(level.peak)
    if level.peak == -.infinity {
      add(
        "level", .warning, "The microphone gives nothing but zeros.",
        "It may be muted, by a key of its own or in the sound settings; real microphones always hiss a little.")
    } else if level.peak > -0.5 {
      add("level", .warning, "The microphone clips (peak \(peak)).", "Turn its gain down in the sound settings.")
    } else {
      add("level", .good, "Peak \(peak).")
    }
  }

  private func advice(for error: AudioDeviceError, _ direction: AudioDirection) -> String? {
    switch error.code {
    case .deviceBusy: "Find out who holds it with 'fuser -v /dev/snd/*', or use the sound server."
    case .deviceNotFound: "See which there are with 'audio-device list'."
    case .permissionDenied: "Add the user to the group 'audio', and log in again."
    case .formatNotSupported: "Try --rate 48000 --channels \(direction == .capture ? 1 : 2)."
    default: nil
    }
  }
}

/// Listens to the microphone, and gives silence or a soft tone to the speaker.
private final class DoctorBus: AudioBus, @unchecked Sendable {
  // Unchecked: `phase` belongs to the rendering audio thread.

  let meter: LevelMeter
  private let format: AudioFormat
  private let isAudible: Bool
  private var phase = 0

  init(format: AudioFormat, isAudible: Bool) {
    self.format = format
    self.isAudible = isAudible
    meter = LevelMeter(channelCount: format.channelCount)
  }

  /// Audio thread: neither blocks nor allocates.
  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) { meter.add(samples) }

  /// Audio thread: neither blocks nor allocates. A triangle of 480 Hz, which needs no table and no sine.
  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int {
    let length = format.sampleRate / 480
    var index = 0
    while index < samples.count {
      let ramp = abs(phase * 4 - length * 2) - length
      let value = isAudible ? Int16(truncatingIfNeeded: ramp * 2000 / length) : 0
      for channel in index..<min(index + format.channelCount, samples.count) { samples[channel] = value }
      phase = phase + 1 < length ? phase + 1 : 0
      index += format.channelCount
    }
    return samples.count / format.channelCount
  }
}

extension AudioDeviceStatistics.Direction {
  /// What was counted since an earlier look.
  fileprivate func difference(from earlier: Self) -> Self {
    var difference = self
    difference.frames -= earlier.frames
    difference.silentFrames -= earlier.silentFrames
    difference.xruns -= earlier.xruns
    difference.lostFrames -= earlier.lostFrames
    return difference
  }
}
