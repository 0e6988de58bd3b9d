#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import Testing

  @testable import PulseBackend

  extension PulseTests {
    /// What a call changes at the server beside its streams.
    @Suite struct Session {
      private func level(_ sink: String, _ rig: PulseRig) throws -> String {
        try rig.server.pactl("get-sink-volume", sink)
      }

      @Test(arguments: SoundServerKind.allCases) func aLevelIsRaisedAndPutBack(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        _ = try rig.server.pactl("set-sink-volume", "spk", "20%", "40%")
        let before = try level("spk", rig)
        let preparation = try #require(try rig.backend.raiseLevel(of: "spk", to: 0.8))
        let raised = try level("spk", rig)
        // The balance stays.
        #expect(raised.contains("40%") && raised.contains("80%"), "\(raised)")
        preparation.end()
        #expect(try level("spk", rig) == before)
        // Once.
        _ = try rig.server.pactl("set-sink-volume", "spk", "80%")
        preparation.end()
        #expect(try level("spk", rig).contains("80%"))
      }

      @Test func whatTheUserChangesMeanwhileStays() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        _ = try rig.server.pactl("set-sink-volume", "spk", "20%")
        let preparation = try #require(try rig.backend.raiseLevel(of: "spk", to: 0.8))
        _ = try rig.server.pactl("set-sink-volume", "spk", "55%")
        preparation.end()
        #expect(try level("spk", rig).contains("55%"))
      }

      @Test func whatIsLoudEnoughStays() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        _ = try rig.server.pactl("set-sink-volume", "spk", "90%")
        #expect(try rig.backend.raiseLevel(of: "spk", to: 0.8) == nil)
        #expect(try level("spk", rig).contains("90%"))
      }

      @Test func aSinkThatIsNotThereIsAnError() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let error = #expect(throws: AudioDeviceError.self) { try rig.backend.raiseLevel(of: "nothing", to: 0.8) }
        #expect(error?.code == .deviceNotFound)
      }

      @Test(arguments: SoundServerKind.allCases) func withoutACardThereIsNothingToPrepare(kind: SoundServerKind) throws
      {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        #expect(try rig.backend.prepare(for: AudioSession(mode: .voiceChat)) == nil)
      }
    }
  }
#endif
