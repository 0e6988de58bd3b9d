#if PulseAudio
  import AudioDeviceKit
  import AudioTestSupport
  import Glibc
  import PulseBackend
  import RealtimeSupport
  import Testing

  /// Calls on PulseAudio, on a real card that is pulled out and put back. The guest has no udev, so its part is played
  /// here: the module of a sink is loaded when the card is there.
  @Suite(.enabled(if: KernelCard.isLane), .serialized) struct KernelPulseTests {
    private static let sink = [
      "module-alsa-sink", "device=hw:CARD=HDA,DEV=0", "sink_name=card", "rate=48000", "tsched=0",
    ]
    private static let source = [
      "module-alsa-source", "device=hw:CARD=HDA,DEV=0", "source_name=cardmic", "rate=48000", "tsched=0",
    ]

    private func startServer() throws -> PulseServer {
      var configuration = PulseServer.Configuration.empty
      configuration.devices = [
        "module-null-sink sink_name=spk rate=48000 norewinds=1",
        "module-null-source source_name=silence rate=48000",
      ]
      configuration.modules = [Self.sink, Self.source].map { $0.joined(separator: " ") }
      configuration.defaultSink = "spk"
      configuration.defaultSource = "silence"
      return try PulseServer.start(configuration)
    }

    private func putBack(_ server: PulseServer) async throws {
      try KernelCard.hda.replug()
      #expect(await becomesTrue(within: .seconds(20)) { KernelCard.hda.isPresent })
      for module in [Self.sink, Self.source] {
        // The card can be opened a little later than it is there.
        #expect(
          await becomesTrue(within: .seconds(20)) {
            (try? server.loadModule(module[0], module[1], module[2], module[3], module[4])) != nil
          })
      }
    }

    @Test(arguments: [true, false]) func theCardIsPulledUnderACall(defaultStandsIn: Bool) async throws {
      let server = try startServer()
      defer { server.stop() }
      let call = try PulseCall(server, orDefault: defaultStandsIn)
      defer { call.end() }
      try call.manager.startCapture()
      try call.manager.startRendering()
      #expect(await call.runsBoth(), "\(call.log.story)")
      #expect(call.positions == ["cardmic", "card"])
      for _ in 0..<(KernelCard.isFull ? 5 : 1) {
        call.log.clear()
        let silent = call.manager.statistics
        // The server closes the card by itself, and unplugging waits for that.
        let unplugging = Task.detached { try KernelCard.hda.unplug() }
        if defaultStandsIn {
          let hasFallenBack = await becomesTrue(within: .seconds(20)) { call.positions == ["silence", "spk"] }
          #expect(hasFallenBack, "\(call.positions): \(call.log.story)")
        } else {
          #expect(await becomesTrue(within: .seconds(20)) { call.log.count("lost") == 2 }, "\(call.log.story)")
          // The client is fed.
          let periods = call.bus.periods.count
          #expect(await becomesTrue(within: .seconds(20)) { call.bus.periods.count > periods + 100 })
        }
        try await unplugging.value
        try await putBack(server)
        let back = await becomesTrue(within: .seconds(20)) { call.positions == ["cardmic", "card"] }
        #expect(back, "\(call.positions): \(call.log.story)")
        #expect(await call.runsBoth(), "\(call.log.story)")
        for direction in AudioDirection.allCases {
          if defaultStandsIn {
            #expect(call.log.count("moved", direction) == 2, "\(call.log.story)")
            #expect(call.log.count("lost", direction) == 0, "\(call.log.story)")
          } else {
            #expect(call.log.count("lost", direction) == 1, "\(call.log.story)")
            #expect(call.log.count("recovered", direction) == 1, "\(call.log.story)")
            #expect(call.manager.statistics[direction].silentFrames > silent[direction].silentFrames)
          }
        }
        #expect(call.log.count("failed") == 0, "\(call.log.story)")
      }
    }
  }

  /// A call on the card of a private server.
  private final class PulseCall: Sendable {
    let manager = AudioDeviceManager()
    let bus = LoopBus()
    let device: DefaultAudioDevice
    let log: EventLog

    init(_ server: PulseServer, orDefault: Bool) throws {
      var configuration = DefaultAudioDevice.Configuration()
      configuration.backend = .custom(PulseBackend(server: server.serverString))
      configuration.inputRoute = .device("cardmic", orDefault: orDefault)
      configuration.outputRoute = .device("card", orDefault: orDefault)
      configuration.latency = .milliseconds(200)
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

    /// The devices that the streams are on.
    var positions: [String?] { [device.captureDeviceID, device.renderDeviceID] }

    func runsBoth() async -> Bool {
      let before = device.statistics
      return await becomesTrue(within: .seconds(20)) {
        let now = self.device.statistics
        return AudioDirection.allCases.allSatisfy { now[$0].frames > before[$0].frames + 24_000 }
      }
    }
  }
#endif
