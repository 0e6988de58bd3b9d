#if PulseAudio
  import AudioDeviceKit
  import AudioTestSupport
  import Foundation
  import PulseBackend
  import Testing

  /// A call on a private server, whose client hears itself over the sink `micfeed` and the source `mic`.
  final class ServerCall: FaultCall, @unchecked Sendable {
    let server: any SoundServer

    init(
      _ server: any SoundServer, input: AudioRoute = .device("mic"), output: AudioRoute = .device("micfeed")
    ) throws {
      self.server = server
      try super.init(.custom(PulseBackend(server: server.serverString)), input: input, output: output)
    }

    /// Starts the call and waits until the client hears itself as late as it will stay.
    func start() throws {
      for direction in AudioDirection.allCases { try start(direction) }
      #expect(waitForSound(within: .seconds(10)))
      #expect(waitForPeriods(150))
    }

    /// Ends the call and its server.
    override func end() {
      super.end()
      server.stop()
    }

    /// Expects that a server which hung goes on: two seconds later the delay is what it was.
    ///
    /// - Parameters:
    ///   - roundTrip: The delay before.
    ///   - statistics: What was counted before.
    ///   - limit: How far the delay may be off.
    /// - Throws: `ExpectationFailedError` when there is no sound.
    func expectItIsAsBefore(
      _ roundTrip: Duration, _ statistics: AudioDeviceStatistics, within limit: Duration = .milliseconds(12)
    ) throws {
      let resumed = AudioInstant.now
      #expect(waitForSound(within: .seconds(2)), "\(story)")
      #expect(eventually { AudioInstant.now - resumed > .seconds(2) })
      let after = try settledRoundTrip()
      #expect(max(after - roundTrip, roundTrip - after) < limit, "\(roundTrip), then \(after): \(story)")
      // A stream that hung for so long that it was given up has lost nothing itself: silence stood in.
      let (now, then) = (manager.statistics.capture, statistics.capture)
      #expect(now.lostFrames + now.silentFrames > then.lostFrames + then.silentFrames)
      for direction in AudioDirection.allCases {
        #expect(count("lost", direction) == count("recovered", direction), "\(story)")
      }
    }

    /// Expects that the devices are watched.
    ///
    /// - Throws: ``AudioTestSupport/RigError`` when the server makes no device.
    func expectNewDevicesAreTold() throws {
      try server.loadModule("module-null-sink", "sink_name=late")
      let isTold = eventually {
        log.events.contains { event in
          if case .devices(.appeared(let device)) = event.kind { device.id == "late" } else { false }
        }
      }
      #expect(isTold, "\(story)")
    }

    /// The devices that our streams are on, as the server sees it.
    func positions() throws -> (output: [String?], input: [String?]) {
      let snapshot = try server.snapshot()
      let own = ProcessInfo.processInfo.processIdentifier
      return (
        snapshot.sinkInputs.filter { $0.processID == own }.map(\.deviceName),
        snapshot.sourceOutputs.filter { $0.processID == own }.map(\.deviceName)
      )
    }

    /// The devices that our streams of a direction are on.
    func positions(_ direction: AudioDirection) throws -> [String?] {
      let positions = try positions()
      return direction == .capture ? positions.input : positions.output
    }
  }
#endif
