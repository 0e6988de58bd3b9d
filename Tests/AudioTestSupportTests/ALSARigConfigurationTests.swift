#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import CALSA
  import Foundation
  import Testing

  @Suite struct ALSARigConfigurationTests {
    @Test func listsItsDevices() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let names = hints()
      for name in [
        rig.speakers.name, rig.microphone.name, rig.secondSpeakers.name, rig.secondMicrophone.name, rig.pairName,
        rig.nullName, rig.fileName,
      ] {
        #expect(names.contains(name))
      }
      #expect(!names.contains(rig.pulseName))
    }

    @Test func rigsDoNotDisturbEachOther() throws {
      let first = try ALSARig.start()
      let second = try ALSARig.start()
      defer { second.stop() }
      #expect(first.speakers.name != second.speakers.name)
      let handle = try Handle(second.speakers.name, SND_PCM_STREAM_PLAYBACK)
      first.stop()
      #expect(!hints().contains(first.speakers.name))
      #expect(throws: ALSAError(number: ENOENT)) { try Handle(first.speakers.name, SND_PCM_STREAM_PLAYBACK) }
      #expect(handle.set() == 0)
      #expect(!FileManager.default.fileExists(atPath: first.folder))
    }

    @Test func hasADefaultForOneRigAtATime() throws {
      var configuration = ALSARig.Configuration()
      configuration.definesDefault = true
      configuration.speakers.sampleRates = 48_000...48_000
      let rig = try ALSARig.start(configuration)
      #expect(throws: RigError.self) { try ALSARig.start(configuration) }
      // Converted on the way.
      #expect(try Handle("default", SND_PCM_STREAM_PLAYBACK).set(rate: 16_000) == 0)
      #expect(rig.speakers.parameters?.sampleRate == 48_000)
      rig.stop()
      #expect(throws: ALSAError.self) { try Handle("default", SND_PCM_STREAM_PLAYBACK) }
    }

    @Test func playsInBothDirectionsThroughThePair() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let playback = try Handle(rig.pairName, SND_PCM_STREAM_PLAYBACK)
      let capture = try Handle(rig.pairName, SND_PCM_STREAM_CAPTURE)
      #expect(playback.set() == 0 && capture.set() == 0)
      #expect(rig.speakers.isOpen && rig.microphone.isOpen)
    }

    @Test func writesAFile() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      do {
        let handle = try Handle(rig.fileName, SND_PCM_STREAM_PLAYBACK)
        #expect(handle.set() == 0)
        #expect(handle.write([1, 2, 3]) == 3)
        #expect(snd_pcm_drain(handle.pcm) == 0)
      }
      let data = try #require(FileManager.default.contents(atPath: rig.filePath))
      #expect(Signal(littleEndian: Array(data), format: .voice).samples == [1, 2, 3])
    }

    @Test func reachesAPulseServer() throws {
      let server = try PulseServer.start()
      defer { server.stop() }
      var configuration = ALSARig.Configuration()
      configuration.pulseServer = server.serverString
      let rig = try ALSARig.start(configuration)
      defer { rig.stop() }
      let handle = try Handle(rig.pulseName, SND_PCM_STREAM_PLAYBACK)
      #expect(handle.set() == 0)
      #expect(handle.write([Int16](repeating: 0, count: 1_920)) == 1_920)
      #expect(snd_pcm_start(handle.pcm) == 0)
      #expect(try eventually { try server.sinkInputs(ofProcess: getpid()).contains { $0.deviceName == "spk" } })
    }

    @Test(.enabled(if: HeapCalls.areCounted, "a plug-in with a sanitizer in it needs a program with one"))
    func servesOtherPrograms() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let signal = IndexCode.signal(.milliseconds(200))
      let bytes = signal.samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      let output = try Subprocess.run(
        ["aplay", "-D", rig.speakers.name, "-t", "raw", "-f", "S16_LE", "-r", "48000", "-c", "1", "-"],
        environment: rig.environment, input: bytes)
      #expect(output.status == .exited(0), "\(output.errorText)")
      // aplay fills the last period with silence.
      let played = try #require(rig.speakers.output)
      #expect(played.firstOccurrence(of: signal) == 0, "\(IndexCode.examine(played))")
    }
  }
#endif
