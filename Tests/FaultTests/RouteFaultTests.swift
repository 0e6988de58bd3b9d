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
        let call = try FaultCall(kind.start(), output: .device("usb"))
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

      @Test func aFollowedDefaultIsFollowed() throws {
        let call = try FaultCall(startServer(), input: .systemDefault, output: .systemDefault)
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
        let call = try FaultCall(startServer(), output: .device("spk"))
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
        let call = try FaultCall(startServer(), output: route)
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

      @Test func aSuspendedSinkDoesNotStopTheCall() throws {
        let call = try FaultCall(PulseServer.start())
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
        let call = try FaultCall(startServer(), output: .systemDefault)
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
        let call = try FaultCall(server, output: .systemDefault)
        defer { call.end() }
        try call.manager.startRendering()
        call.forgetEvents()
        let module = try #require(try server.modules(named: "module-null-sink").first)
        try server.unloadModule(module)
        #expect(eventually { call.count("lost", .render) == 1 }, "\(call.story)")
        _ = try server.loadModule("module-null-sink", "sink_name=fresh", "rate=48000", "norewinds=1")
        #expect(eventually(within: .seconds(2)) { (try? call.positions().output) == ["fresh"] }, "\(call.story)")
        #expect(call.count("recovered", .render) == 1, "\(call.story)")
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
