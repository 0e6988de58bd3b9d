#if ALSA
  import AudioDeviceKit
  import AudioTestSupport
  import RealtimeSupport
  import Testing

  /// A call on ALSA devices of a name each.
  final class ALSACall: Sendable {
    let manager = AudioDeviceManager()
    let bus = LoopBus()
    let device: DefaultAudioDevice
    let log: EventLog

    init(input: AudioRoute = .systemDefault, output: AudioRoute = .systemDefault, latency: Duration? = nil) throws {
      var configuration = DefaultAudioDevice.Configuration()
      configuration.backend = .alsa
      configuration.inputRoute = input
      configuration.outputRoute = output
      configuration.latency = latency
      device = DefaultAudioDevice(configuration)
      log = EventLog(manager)
      try manager.setAudioBus(bus)
      try manager.setAudioDevice(device)
    }

    func end() {
      manager.stopCapture()
      manager.stopRendering()
      try? manager.setAudioDevice(nil)
      log.end()
    }

    /// Frames that the device itself took or gave, which no silence stands in for.
    func frames(_ direction: AudioDirection) -> Int { device.statistics[direction].frames }

    /// Waits until the device takes or gives frames.
    func flows(_ direction: AudioDirection, frames count: Int = 9_600, within limit: Duration) -> Bool {
      let before = frames(direction)
      return eventually(within: limit) { frames(direction) > before + count }
    }

    /// Periods that went over the client's bus, silence included.
    func periods(_ direction: AudioDirection) -> Int { direction == .capture ? bus.periods.count : bus.reads }
  }
#endif
