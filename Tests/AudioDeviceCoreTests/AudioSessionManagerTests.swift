import AudioDeviceCore
import Synchronization
import Testing

@Suite struct AudioSessionManagerTests {
  @Test func theModeKeepsDevicesClosedUntilTheSessionIsActive() throws {
    let bench = try Bench()
    let session = bench.manager.audioSessionManager
    session.enableCallingServicesMode()
    session.preconfigureAudioSessionForCall(mode: .videoChat)
    try bench.manager.startCapture()
    try bench.manager.startRendering()
    bench.clock.advance(by: .seconds(1))
    #expect(bench.device.log == [])
    #expect((98...102).contains(bench.bus.takeCaptured().count))
    session.audioSessionDidActivate()
    #expect(eventually { bench.device.isCapturing && bench.device.isRendering })
    #expect(session.session?.mode == .videoChat)
    session.audioSessionDidDeactivate()
    #expect(eventually { !bench.device.isCapturing && !bench.device.isRendering })
    #expect(bench.manager.gates.captureIsWished && bench.manager.gates.renderingIsWished)
    session.resume()
    #expect(eventually { bench.device.isCapturing && bench.device.isRendering })
  }

  @Test func outsideTheModeNoticesChangeNothing() throws {
    let bench = try Bench()
    try bench.manager.startCapture()
    bench.manager.audioSessionManager.audioSessionDidDeactivate()
    bench.manager.audioSessionManager.audioSessionDidActivate()
    #expect(bench.device.log == ["startCapture"])
    #expect(!bench.manager.gates.sessionIsInactive)
  }

  @Test func aNoticeDoesNotWaitForASlowDevice() throws {
    let bench = try Bench()
    let isOpening = try WakeEvent()
    let mayOpen = try WakeEvent()
    bench.device.openGate.withLock {
      $0 = {
        isOpening.signal()
        _ = mayOpen.wait(limit: .seconds(10))
      }
    }
    let session = bench.manager.audioSessionManager
    session.enableCallingServicesMode()
    try bench.manager.startCapture()
    // Both return although the device cannot open before they have.
    session.audioSessionDidActivate()
    #expect(isOpening.wait(limit: .seconds(5)))
    session.audioSessionDidDeactivate()
    mayOpen.signal()
    #expect(eventually { bench.device.log == ["startCapture", "stopCapture"] })
  }

  @Test func anActivationThatNeverComesIsTold() async throws {
    let bench = try Bench()
    let events = bench.manager.events()
    let session = bench.manager.audioSessionManager
    session.activationLimit = .milliseconds(20)
    session.enableCallingServicesMode()
    session.preconfigureAudioSessionForCall()
    for await event in events where event.kind == .sessionActivationOverdue { return }
    Issue.record("the events ended")
  }
}
