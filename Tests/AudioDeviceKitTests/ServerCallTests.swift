#if PulseAudio && MP3
  import AudioDeviceKit
  import AudioTestSupport
  import Foundation
  import PulseBackend
  import Testing

  /// The package's main job on real sound servers, looked at from the server's side.
  @Suite(.serialized) struct ServerCallTests {
    @Test(arguments: SoundServerKind.allCases)
    func ringsThenTalks(kind: SoundServerKind) throws {
      let server = try kind.start()
      defer { server.stop() }
      let ringtone = try RingtoneAudioDeviceTests.Ringtone()
      var configuration = DefaultAudioDevice.Configuration()
      configuration.backend = .custom(PulseBackend(server: server.serverString))
      let device = RingtoneAudioDevice(ringtone: ringtone.url, configuration: configuration)
      let manager = AudioDeviceManager()
      let bus = MirrorBus()
      try manager.setAudioBus(bus)
      try manager.setAudioDevice(device)
      let speech = try server.startPlaying(Signal.tone(440, for: .seconds(60)), on: "micfeed")
      defer { speech.stop() }

      try manager.startCapture()
      try manager.startRendering()
      try expectCall(server, bus)

      try device.startRingtone()
      // The microphone is released: the server knows of no recording stream of this process.
      let ringing = try ownStreams(server)
      #expect(ringing.inputs.map(\.mediaName) == ["Ringtone"])
      #expect(ringing.inputs.first?.mediaRole == "phone")
      #expect(ringing.outputs.isEmpty)
      _ = bus.take()
      let rung = try server.record(from: "spk.monitor", for: .seconds(2))
      #expect(abs((rung.dominantFrequency() ?? 0) - 660) < 6.6)
      #expect(rung.toneLevel(at: 1000) < -60, "the call is heard while it rings")
      #expect(rung.toneLevel(at: 440) < -60)
      let silence = bus.take()
      #expect(silence.writes > 150)
      #expect(silence.signal.isSilent())

      device.stopRingtone()
      let talking = try ownStreams(server)
      #expect(talking.inputs.map(\.mediaName) == ["Call"])
      #expect(talking.outputs.count == 1)
      try expectCall(server, bus)

      manager.stopCapture()
      manager.stopRendering()
      let ended = try ownStreams(server)
      #expect(ended.inputs.isEmpty && ended.outputs.isEmpty)
    }

    @Test(arguments: SoundServerKind.allCases)
    func silenceKeepsThePaceWhileRinging(kind: SoundServerKind) throws {
      let server = try kind.start()
      defer { server.stop() }
      let ringtone = try RingtoneAudioDeviceTests.Ringtone()
      var configuration = DefaultAudioDevice.Configuration()
      configuration.backend = .custom(PulseBackend(server: server.serverString))
      let device = RingtoneAudioDevice(ringtone: ringtone.url, configuration: configuration)
      let manager = AudioDeviceManager()
      let bus = MirrorBus()
      try manager.setAudioBus(bus)
      try manager.setAudioDevice(device)
      try manager.startCapture()
      try device.startRingtone()
      _ = bus.take()
      let start = AudioInstant.now
      _ = try server.record(from: "spk.monitor", for: .seconds(3))
      let writes = bus.take().writes
      let elapsed = AudioInstant.now - start
      // 100 ± 2 a second, over whatever time the recording took.
      let expected = Double(elapsed.wholeNanoseconds) / 10_000_000
      #expect(abs(Double(writes) - expected) < 2 + expected * 0.02, "\(writes) periods in \(elapsed)")
      device.stopRingtone()
    }

    /// The microphone's tone reaches the client, and the client's tone the speaker.
    private func expectCall(_ server: any SoundServer, _ bus: MirrorBus) throws {
      let heard = try server.record(from: "spk.monitor", for: .seconds(1))
      #expect(abs((heard.dominantFrequency() ?? 0) - 1000) < 10)
      #expect(heard.toneLevel(at: 660) < -60)
      _ = bus.take()
      let enough = eventually(within: .seconds(5)) { bus.pending >= 48_000 }
      #expect(enough)
      #expect(abs((bus.take().signal.dominantFrequency() ?? 0) - 440) < 4.4)
    }

    private func ownStreams(
      _ server: any SoundServer
    ) throws -> (inputs: [ServerSnapshot.Stream], outputs: [ServerSnapshot.Stream]) {
      let snapshot = try server.snapshot()
      let own = ProcessInfo.processInfo.processIdentifier
      return (
        snapshot.sinkInputs.filter { $0.processID == own }, snapshot.sourceOutputs.filter { $0.processID == own }
      )
    }
  }
#endif
