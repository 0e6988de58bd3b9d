#if PulseAudio
  import AudioDeviceKit
  import AudioTestSupport
  import Foundation
  import PulseBackend
  import RealtimeSupport
  import Testing

  /// A call on a private server, whose client hears itself over the sink `micfeed` and the source `mic`.
  final class FaultCall: Sendable {
    /// Whether what takes long is tested as well: `Tests/run --faults`.
    static let isFull = ProcessInfo.processInfo.environment["AUDIODEVICEKIT_FAULTS"] != nil

    let server: any SoundServer
    let manager = AudioDeviceManager()
    let bus = LoopBus()
    let device: DefaultAudioDevice
    private let log: EventLog

    init(
      _ server: any SoundServer, input: AudioRoute = .device("mic"), output: AudioRoute = .device("micfeed")
    ) throws {
      self.server = server
      var configuration = DefaultAudioDevice.Configuration()
      configuration.backend = .custom(PulseBackend(server: server.serverString))
      configuration.inputRoute = input
      configuration.outputRoute = output
      device = DefaultAudioDevice(configuration)
      log = EventLog(manager)
      try manager.setAudioBus(bus)
      try manager.setAudioDevice(device)
    }

    /// Starts the call and waits until the client hears itself as late as it will stay.
    func start() throws {
      try manager.startCapture()
      try manager.startRendering()
      #expect(waitForSound(within: .seconds(10)))
      #expect(waitForPeriods(150))
    }

    /// Ends the call and what belongs to it. Each direction stops within 200 ms, whatever the server does.
    func end() {
      for stop in [manager.stopCapture, manager.stopRendering] {
        let start = AudioInstant.now
        stop()
        // What the machine itself holds up is not the call's.
        #expect(AudioInstant.now - start < .milliseconds(400))
      }
      try? manager.setAudioDevice(nil)
      log.end()
      server.stop()
    }

    // MARK: What happened

    /// Forgets the events so far.
    func forgetEvents() { log.clear() }

    /// How many events there are of a name and a direction since the last look.
    func count(_ name: String, _ direction: AudioDirection? = nil) -> Int { log.count(name, direction) }

    /// All events since the last look, for messages.
    var story: String { log.story }

    /// Waits for sound through both directions.
    func waitForSound(within limit: Duration) -> Bool { eventually(within: limit) { bus.isLive() } }

    /// Waits for periods, whatever is in them.
    func waitForPeriods(_ count: Int) -> Bool {
      let before = bus.periods.count
      return eventually(within: .seconds(10)) { bus.periods.count >= before + count }
    }

    /// Waits for periods that are rendered.
    func waitForRendering(_ count: Int) -> Bool {
      let before = bus.reads
      return eventually(within: .seconds(10)) { bus.reads >= before + count }
    }

    /// The round trip once it has settled.
    func settledRoundTrip() throws -> Duration {
      #expect(waitForPeriods(100))
      return try #require(bus.roundTrip(last: 80), "no sound: \(story)")
    }

    /// Expects that the client is fed at the pace while something is wrong.
    ///
    /// - Parameters:
    ///   - duration: How long to look.
    ///   - slack: What may be missing: how long the silence takes to stand in.
    func expectPace(for duration: Duration, slack: Duration = .milliseconds(350)) {
      let (start, periods, reads) = (AudioInstant.now, bus.periods.count, bus.reads)
      #expect(eventually(within: duration * 3) { AudioInstant.now - start >= duration })
      let expected = Int((AudioInstant.now - start) / .milliseconds(10))
      let least = expected - Int(slack / .milliseconds(10)) - expected / 20
      for (what, count) in [("captured", bus.periods.count - periods), ("rendered", bus.reads - reads)] {
        #expect((least...expected + expected / 20 + 5).contains(count), "\(what) \(count) of \(expected) periods")
      }
    }

    /// The processor's share of this process while a body runs.
    func processorShare(_ body: () -> Void) throws -> Double {
      let (start, before) = (AudioInstant.now, try ProcessSnapshot().processorTime)
      body()
      return (try ProcessSnapshot().processorTime - before) / (AudioInstant.now - start)
    }

    // MARK: The server's view

    /// The devices that our streams are on.
    func positions() throws -> (output: [String?], input: [String?]) {
      let snapshot = try server.snapshot()
      let own = ProcessInfo.processInfo.processIdentifier
      return (
        snapshot.sinkInputs.filter { $0.processID == own }.map(\.deviceName),
        snapshot.sourceOutputs.filter { $0.processID == own }.map(\.deviceName)
      )
    }
  }

  /// All that break servers run one after the other: they measure times.
  @Suite(.serialized, .timeLimit(.minutes(5))) enum FaultTests {}
#endif
