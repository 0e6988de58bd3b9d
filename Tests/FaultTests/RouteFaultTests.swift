#if PulseAudio
  import AudioDeviceKit
  import AudioTestSupport
  import Glibc
  import PulseBackend
  import RealtimeSupport
  import Testing

  extension FaultTests {
    /// Devices go, come, are held back, and the default changes.
    @Suite struct RouteFaults {
      private static let second = ["module-null-sink sink_name=other rate=48000 channels=1 norewinds=1"]

      private func startServer() throws -> PulseServer {
        var configuration = PulseServer.Configuration()
        configuration.modules = Self.second
        return try PulseServer.start(configuration)
      }

      @Test(arguments: SoundServerKind.allCases)
      func theWishedDeviceGoesAndComesBack(kind: SoundServerKind) throws {
        let call = try ServerCall(kind.start(), output: .device("usb"))
        defer { call.end() }
        func plugIn() throws -> Int {
          try call.server.loadModule(
            "module-null-sink", "sink_name=usb", "rate=48000", kind == .pulseAudio ? "norewinds=1" : "channels=2")
        }
        var module = try plugIn()
        try call.manager.startRendering()
        #expect(eventually { (try? call.positions().output) == ["usb"] })
        for _ in 0..<2 {
          call.forgetEvents()
          try call.server.unloadModule(module)
          #expect(eventually(within: .seconds(1)) { (try? call.positions().output) == ["spk"] }, "\(call.story)")
          module = try plugIn()
          #expect(eventually(within: .seconds(1)) { (try? call.positions().output) == ["usb"] }, "\(call.story)")
          #expect(eventually { call.count("moved") == 2 }, "\(call.story)")
          #expect(call.count("lost") == 0, "\(call.story)")
        }
      }

      /// Where the default may not stand in, the server's own move to it is undone: the direction is lost, nothing of
      /// it is at the default, and it is back with the device.
      @Test(arguments: SoundServerKind.allCases, AudioDirection.allCases)
      func theWishedDeviceAloneWillDo(kind: SoundServerKind, direction: AudioDirection) throws {
        let route = AudioRoute.device("usb", orDefault: false)
        let call = try ServerCall(kind.start(), input: route, output: route)
        defer { call.end() }
        func plugIn() throws -> Int {
          switch (kind, direction) {
          case (.pulseAudio, .capture): try call.server.loadModule("module-null-source", "source_name=usb")
          case (.pulseAudio, .render):
            try call.server.loadModule("module-null-sink", "sink_name=usb", "rate=48000", "norewinds=1")
          case (.pipeWire, _):
            try call.server.loadModule(
              "module-null-sink", "sink_name=usb", "rate=48000",
              direction == .render ? "channels=2" : "media.class=Audio/Source/Virtual")
          }
        }
        var module = try plugIn()
        try call.start(direction)
        #expect(eventually { (try? call.positions(direction)) == ["usb"] })
        for _ in 0..<(FaultCall.isFull ? 2 : 1) {
          call.forgetEvents()
          try call.server.unloadModule(module)
          #expect(eventually(within: .seconds(1)) { call.count("lost", direction) == 1 }, "\(call.story)")
          #expect(eventually(within: .seconds(1)) { (try? call.positions(direction)) == [] }, "\(call.story)")
          call.expectPace(for: .seconds(1), slack: .milliseconds(50), [direction])
          for _ in 0..<5 {
            #expect(try call.positions(direction) == [])
            #expect(call.waitForPeriods(20, direction))
          }
          #expect(call.isWished(direction))
          module = try plugIn()
          #expect(eventually(within: .seconds(1)) { (try? call.positions(direction)) == ["usb"] }, "\(call.story)")
          #expect(call.flows(direction, within: .seconds(2)), "\(call.story)")
          call.expectOneLoss([direction])
        }
      }

      /// What comes and goes is told once, and soon after the server itself has told it.
      @Test(arguments: SoundServerKind.allCases) func hotPlugIsTold(kind: SoundServerKind) throws {
        let call = try ServerCall(kind.start())
        defer { call.end() }
        try call.start(.render)
        let server = try ServerEvents(of: call.server)
        defer { server.stop() }
        var delays: [Duration] = []
        func expectOne(_ name: String, _ direction: AudioDirection, _ serverEvent: String, _ act: () throws -> Void)
          throws
        {
          call.forgetEvents()
          let start = AudioInstant.now
          try act()
          #expect(eventually(within: .seconds(2)) { call.count(name, direction) == 1 }, "\(call.story)")
          let facility = direction == .render ? "sink" : "source"
          let text = "'\(serverEvent)' on \(facility) #"
          #expect(eventually { server.time(of: text, since: start) != nil })
          // Nothing more comes, but for a sink's monitor.
          #expect(call.waitForRendering(30))
          let changes = call.log.events.filter { event in
            guard case .devices(let change) = event.kind else { return false }
            switch change {
            case .appeared(let device), .disappeared(let device): return device.kind != .monitor
            case .changed, .defaultChanged: return true
            }
          }
          #expect(changes.count == 1 && changes.first?.kind.name == name, "\(call.story)")
          #expect(changes.first?.kind.direction == direction && call.story.contains("\"usb\""))
          if let told = server.time(of: text, since: start), let change = changes.first {
            delays.append(change.time - told)
          }
        }
        for _ in 0..<(FaultCall.isFull ? 5 : 2) {
          for (direction, arguments) in [
            (AudioDirection.render, ["module-null-sink", "sink_name=usb"]),
            (.capture, ["module-remap-source", "source_name=usb", "master=micfeed.monitor"]),
          ] {
            var module = 0
            try expectOne("deviceAppeared", direction, "new") { module = try call.server.loadModule(arguments) }
            try expectOne("deviceDisappeared", direction, "remove") { try call.server.unloadModule(module) }
          }
        }
        // The goal is 200 ms; a busy machine takes its time.
        let median = try #require(delays.sorted().dropFirst(delays.count / 2).first)
        #expect(median < .seconds(1), "\(delays)")
      }

      @Test func aFollowedDefaultIsFollowed() throws {
        let call = try ServerCall(startServer(), input: .systemDefault, output: .systemDefault)
        defer { call.end() }
        try call.manager.startRendering()
        #expect(eventually { (try? call.positions().output) == ["spk"] })
        for name in ["other", "spk", "other"] {
          call.forgetEvents()
          try call.server.setDefaultSink(name)
          #expect(eventually(within: .seconds(1)) { (try? call.positions().output) == [name] }, "\(call.story)")
          #expect(eventually { call.count("moved") == 1 }, "\(call.story)")
          #expect(call.device.renderDeviceID == name)
        }
        // Nothing more comes.
        #expect(call.waitForRendering(100))
        #expect(call.count("moved") == 1, "\(call.story)")
      }

      @Test func aPinnedDeviceStaysWhenTheDefaultChanges() throws {
        let call = try ServerCall(startServer(), output: .device("spk"))
        defer { call.end() }
        try call.manager.startRendering()
        #expect(eventually { (try? call.positions().output) == ["spk"] })
        // The stream is on the default of now, from which the server takes it along.
        try call.server.setDefaultSink("other")
        #expect(eventually { call.count("moved") == 2 }, "\(call.story)")
        #expect(eventually(within: .seconds(1)) { (try? call.positions().output) == ["spk"] }, "\(call.story)")
        #expect(call.waitForRendering(100))
        #expect(call.count("moved") == 2, "\(call.story)")
        #expect(try call.positions().output == ["spk"])
        // Once it is not the default, the server leaves it alone.
        call.forgetEvents()
        try call.server.setDefaultSink("hdmi")
        #expect(call.waitForRendering(100))
        #expect(call.count("moved") == 0, "\(call.story)")
      }

      @Test(arguments: [AudioRoute.systemDefault, .device("spk")]) func theUsersOwnMoveIsRespected(route: AudioRoute)
        throws
      {
        let call = try ServerCall(startServer(), output: route)
        defer { call.end() }
        try call.manager.startRendering()
        #expect(eventually { (try? call.positions().output) == ["spk"] })
        let stream = try #require(try call.server.snapshot().sinkInputs.first)
        try call.server.moveSinkInput(stream.index, to: "other")
        #expect(eventually { (try? call.positions().output) == ["other"] })
        #expect(call.waitForRendering(150))
        #expect(try call.positions().output == ["other"], "\(call.story)")
        // Over a restart of the stream too.
        try call.server.moveSinkInput(stream.index, to: "micfeed")
        #expect(eventually { call.device.renderDeviceID == "micfeed" })
        #expect(call.waitForRendering(100))
        call.manager.stopRendering()
        try call.manager.startRendering()
        #expect(try call.positions().output == ["micfeed"], "\(call.story)")
        // Until another route is set.
        call.device.setRoute(.device("spk"), for: .render)
        #expect(eventually(within: .seconds(1)) { (try? call.positions().output) == ["spk"] }, "\(call.story)")
      }

      /// The first thing that happens is a move to the default, which is no change of the default.
      @Test func theUsersMoveToTheDefaultIsRespected() throws {
        let call = try ServerCall(startServer(), output: .device("other"))
        defer { call.end() }
        try call.start(.render)
        #expect(call.waitForRendering(50))
        let stream = try #require(try call.server.snapshot().sinkInputs.first { $0.deviceName == "other" })
        try call.server.moveSinkInput(stream.index, to: "spk")
        #expect(eventually { call.count("moved") == 1 }, "\(call.story)")
        #expect(call.waitForRendering(100))
        #expect(try call.positions().output == ["spk"], "\(call.story)")
      }

      @Test func aSuspendedSinkDoesNotStopTheCall() throws {
        let call = try ServerCall(PulseServer.start())
        defer { call.end() }
        try call.start()
        let before = try call.settledRoundTrip()
        try call.server.suspendSink("micfeed", true)
        call.expectPace(for: FaultCall.isFull ? .seconds(10) : .seconds(2))
        try call.server.suspendSink("micfeed", false)
        #expect(call.waitForSound(within: .seconds(1)), "\(call.story)")
        #expect(call.waitForPeriods(200))
        let after = try call.settledRoundTrip()
        #expect(abs((after - before) / .milliseconds(1)) < 5, "\(before), then \(after)")
      }

      @Test func anotherRateSoundsRight() throws {
        let call = try ServerCall(startServer(), output: .systemDefault)
        defer { call.end() }
        try call.manager.setAudioBus(ToneBus())
        try call.manager.startRendering()
        try call.server.setDefaultSink("hdmi")
        #expect(eventually { (try? call.positions().output) == ["hdmi"] })
        let heard = try call.server.record(from: "hdmi.monitor", for: .seconds(2))
        let frequency = try #require(heard.dominantFrequency())
        #expect(abs(frequency - 1000) < 5, "\(frequency)")
      }

      @Test func theLastDeviceGoesAndOneComes() throws {
        var configuration = PulseServer.Configuration.empty
        configuration.devices = ["module-null-sink sink_name=only rate=48000 channels=1 norewinds=1"]
        let server = try PulseServer.start(configuration)
        let call = try ServerCall(server, output: .systemDefault)
        defer { call.end() }
        try call.manager.startRendering()
        call.forgetEvents()
        let module = try #require(try server.modules(named: "module-null-sink").first)
        try server.unloadModule(module)
        #expect(eventually { call.count("lost", .render) == 1 }, "\(call.story)")
        _ = try server.loadModule("module-null-sink", "sink_name=fresh", "rate=48000", "norewinds=1")
        #expect(eventually(within: .seconds(2)) { (try? call.positions().output) == ["fresh"] }, "\(call.story)")
        #expect(eventually { call.count("recovered", .render) == 1 }, "\(call.story)")
      }

      @Test func devicesOfTheSameNameAreListedApart() throws {
        let server = try PulseServer.start()
        defer { server.stop() }
        let backend = PulseBackend(server: server.serverString)
        for name in ["twin_one", "twin_two"] {
          _ = try server.loadModule(
            "module-null-sink", "sink_name=\(name)", "norewinds=1", "sink_properties=device.description=Twin")
        }
        let twins = { try backend.devices().filter { $0.name == "Twin" && $0.direction == .render }.map(\.id) }
        #expect(try eventually(within: .seconds(2)) { try twins() == ["twin_one", "twin_two"] })
      }
    }
  }
#endif
