import Testing

@testable import AudioDeviceCore

@Suite struct CallingServicesStateTests {
  @Test func outsideTheModeNoticesAreIgnoredAndTheGateIsOpen() {
    var state = CallingServicesState()
    #expect(state.activate(AudioSession()) == .ignored)
    #expect(state.deactivate() == .ignored)
    #expect(!state.gateIsClosed)
    #expect(state == CallingServicesState())
  }

  @Test func oneCallAfterAnother() {
    var state = CallingServicesState()
    #expect(state.enable() == .changed)
    #expect(state.enable() == .none)
    #expect(state.gateIsClosed)
    #expect(state.prepare(.videoChat) == .changed)
    #expect(state.gateIsClosed)
    #expect(state.activate(nil) == .changed)
    #expect(state.session?.mode == .videoChat)
    #expect(!state.gateIsClosed)
    #expect(state.activate(AudioSession(mode: .voiceChat)) == .none)
    #expect(state.session?.mode == .videoChat)
    #expect(state.deactivate() == .changed)
    #expect(state.deactivate() == .none)
    #expect(state.gateIsClosed)
    // Nothing of the first call is left.
    #expect(state.activate(nil) == .activatedUnprepared)
    #expect(state.session?.mode == .voiceChat)
  }
}
