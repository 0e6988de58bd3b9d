public import AudioDeviceCore

/// Speakers and microphones made of software, paced by a clock.
///
/// Where there is no sound system it is the sound system: calls run at their pace, a speaker can be recorded into a
/// file or given to a function, a microphone can hear a file, a tone, a function or what a speaker sounds. With a
/// ``RealtimeSupport/ManualPeriodClock`` it is the device of tests: what takes minutes runs in milliseconds, sample for
/// sample the same each time, and everything that can go wrong with a device can be made to.
///
/// ## Time
///
/// A stream's `n`-th period is due exactly `n` periods after ``AudioDeviceCore/AudioStream/start()``. In it a capture
/// stream gives the frames that were captured since the one before: the ``AudioDeviceCore/AudioStream/latency`` of
/// capture is one period. A render stream asks for frames that will sound one latency later: 40 ms, or the wish of the
/// configuration within 20 … 500 ms. Frames rendered are heard by a loopback microphone with no delay but that of its
/// source, so that the round trip of a frame is the latency of the render stream, the source's delay and the latency of
/// the capture stream, exactly. A device whose clock drifts does all that by its own clock. Where formats differ a converter stands between, which delays nothing: it looks ahead
/// within the latency.
///
/// A stream that comes late on the machine's clock catches up as long as a device's buffer would have held out: the
/// latency for render (5 to 10 ms less, for the converters), 40 ms for capture. When it is later, the periods missed
/// are lost, an xrun is counted, and it goes on with the period that is due. Threads that touch files take part in the
/// clock as well: a manual clock does not move on before they are done.
///
/// All functions may be called from any thread but an audio thread.
public final class VirtualBackend: AudioBackend {
  /// What paces all streams.
  public let clock: any PeriodClock

  /// When the clocks of all devices show what ``clock`` does.
  private let epoch: AudioInstant
  let registry = StreamRegistry()
  let faults = Locked(Faults())
  private let devicesState: Locked<VirtualDevices>
  private let watches = WatchList()

  /// A backend with the devices of ``Configuration/standard``.
  ///
  /// - Parameter clock: What paces all streams.
  public init(clock: any PeriodClock = SystemPeriodClock.shared) {
    self.clock = clock
    epoch = clock.now
    devicesState = Locked(VirtualDevices())
  }

  /// A backend with devices of one's own. Opens nothing.
  ///
  /// - Parameters:
  ///   - configuration: Which devices there are.
  ///   - clock: What paces all streams.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `invalidArgument` when two devices of a direction
  ///   share an id, or a source or a clock cannot be.
  public init(
    configuration: Configuration, clock: any PeriodClock = SystemPeriodClock.shared
  ) throws(AudioDeviceError) {
    self.clock = clock
    epoch = clock.now
    devicesState = Locked(try VirtualDevices(configuration))
  }

  // MARK: AudioBackend

  /// `virtual`.
  public var name: String { "virtual" }

  /// True, unless ``setAvailable(_:)`` said otherwise.
  public var isAvailable: Bool { faults.withLock { $0.isAvailable } }

  /// The speakers, then the microphones, in the order they were configured and added.
  ///
  /// - Returns: The devices.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `serverUnavailable` after ``setAvailable(_:)``.
  public func devices() throws(AudioDeviceError) -> [AudioDeviceInfo] {
    try checkAvailable()
    return devicesState.withLock { $0.list }
  }

  /// Watches for devices that are added, removed or made the default.
  ///
  /// - Parameter onChange: Called on the watch's own thread; changes in quick succession may come as one.
  /// - Returns: The watch.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the system has no thread or descriptor left.
  public func watchDevices(
    onChange: @escaping @Sendable () -> Void
  ) throws(AudioDeviceError) -> any AudioDeviceWatch {
    try checkAvailable()
    return try watches.add(onChange)
  }

  /// Opens a stream, without starting it. Blocks on the disk where the device is a file.
  ///
  /// - Parameters:
  ///   - configuration: Direction, format, device and wishes.
  ///   - client: Called on the stream's audio thread.
  /// - Returns: The stream.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `deviceNotFound`, what the device's file has to say,
  ///   or what ``failOpens(_:of:with:)`` ordered.
  public func openStream(
    _ configuration: AudioStreamConfiguration, client: any AudioStreamClient
  ) throws(AudioDeviceError) -> any AudioStream {
    try passFaults(configuration.direction)
    try checkAvailable()
    return switch configuration.direction {
    case .capture: try openCapture(configuration, client)
    case .render: try openRender(configuration, client)
    }
  }

  private func openRender(
    _ configuration: AudioStreamConfiguration, _ client: any AudioStreamClient
  ) throws(AudioDeviceError) -> VirtualStream {
    let speaker = try speaker(configuration.deviceID)
    let id = speaker.description.id
    let clock = deviceClock(speaker.description.clockDrift)
    let timeline = try speaker.open(clock) { [registry] error in
      // On the output's thread, when the speaker's file cannot be written on.
      for runner in registry.runners(where: { $0.deviceID == id && $0.direction == .render }) {
        runner.post(.lost(error))
      }
    }
    let engine = RenderEngine(speaker, timeline, format: configuration.format, latency: configuration.latency)
    return try stream(configuration, id, engine, client, clock) { (devices) throws(AudioDeviceError) in
      if let failure = speaker.failure { throw failure }
      _ = try devices.speaker(id)
    }
  }

  private func openCapture(
    _ configuration: AudioStreamConfiguration, _ client: any AudioStreamClient
  ) throws(AudioDeviceError) -> VirtualStream {
    let format = configuration.format
    let microphone = try devicesState.withLock { (devices) throws(AudioDeviceError) in
      try devices.microphone(configuration.deviceID)
    }
    var clock = deviceClock(microphone.clockDrift)
    var feed: FileFeed?
    let source: any PeriodSource
    switch microphone.source {
    case .silence: source = SilenceSource()
    case .tone(let frequency, let level):
      source = try ToneSource(frequency: frequency, level: level, format: format)
    case .file(let path, let repeats):
      let file = try FileFeed(path: path, repeats: repeats, format: format)
      feed = file
      source = FileSource(file, format: format)
    case .loopback(let speakerID, let delay):
      let speaker = try speaker(speakerID)
      clock = deviceClock(speaker.description.clockDrift)
      source = LoopbackSource(try speaker.timeline(clock), delay: delay, format: format)
    case .function(let function): source = FunctionSource(format: format, clock: clock, function)
    }
    let engine = CaptureEngine(source, format: format, clock: clock)
    return try stream(configuration, microphone.id, engine, client, clock, feed) { (devices) throws(AudioDeviceError) in
      _ = try devices.microphone(microphone.id)
    }
  }

  private func stream(
    _ configuration: AudioStreamConfiguration, _ deviceID: String, _ engine: sending any PeriodEngine,
    _ client: any AudioStreamClient, _ clock: DeviceClock, _ feed: FileFeed? = nil,
    confirm: (VirtualDevices) throws(AudioDeviceError) -> Void
  ) throws(AudioDeviceError) -> VirtualStream {
    let identity = StreamIdentity(key: registry.makeKey(), configuration: configuration, deviceID: deviceID)
    let runner = StreamRunner(identity, engine: engine, client: client, clock: clock, registry: registry)
    let stream = VirtualStream(runner, feed: feed, clock: clock, registry: registry)
    // From now on the stream is told when its device goes. Whether it went while the stream was opened has to be asked.
    do throws(AudioDeviceError) {
      try checkAvailable()
      try confirm(devicesState.withLock { $0 })
    } catch {
      stream.close()
      throw error
    }
    return stream
  }

  private func deviceClock(_ drift: Double) -> DeviceClock { DeviceClock(clock, epoch: epoch, drift: drift) }

  // MARK: For the extensions

  func speaker(_ id: String?) throws(AudioDeviceError) -> VirtualSpeaker {
    try devicesState.withLock { (devices) throws(AudioDeviceError) in try devices.speaker(id) }
  }

  func changeDevices<Result: Sendable>(
    _ body: (inout VirtualDevices) throws(AudioDeviceError) -> Result
  ) throws(AudioDeviceError) -> Result {
    let result = try devicesState.withLock { (devices) throws(AudioDeviceError) in try body(&devices) }
    watches.tell()
    return result
  }
}
