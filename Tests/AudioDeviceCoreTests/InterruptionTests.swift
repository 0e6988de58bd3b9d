import AudioDeviceCore
import Testing

@Suite struct InterruptionTests {
  /// A call in both directions, and what is told of it.
  private func call() throws -> (Bench, AudioSessionManager, any AudioDeviceHost, AsyncStream<AudioDeviceEvent>) {
    let bench = try Bench()
    try bench.manager.startCapture()
    try bench.manager.startRendering()
    return (bench, bench.manager.audioSessionManager, try #require(bench.device.host), bench.manager.events())
  }

  /// The names of what was told, up to and with a name that ends it.
  private func told(_ events: AsyncStream<AudioDeviceEvent>, upTo last: String) async -> [String] {
    var names: [String] = []
    for await event in events {
      names.append(event.kind.name)
      if event.kind.name == last { break }
    }
    return names
  }

  @Test func sleepClosesBothAndItsEndOpensThem() async throws {
    let (bench, session, _, events) = try call()
    session.beginInterruption(.sleep)
    session.beginInterruption(.sleep)
    #expect(eventually { !bench.device.isCapturing && !bench.device.isRendering })
    _ = bench.bus.takeCaptured()
    bench.clock.advance(by: .milliseconds(200))
    #expect(eventually { bench.bus.takeCaptured().contains(0) })
    #expect(bench.manager.gates.captureIsWished)
    session.endInterruption(.sleep)
    #expect(eventually { bench.device.isCapturing && bench.device.isRendering })
    #expect(!bench.manager.gates.isInterrupted)
    let names = await told(events, upTo: "resumed")
    #expect(names.filter { $0 == "interrupted" || $0 == "resumed" } == ["interrupted", "resumed"])
  }

  @Test func itIsOverWhenEveryReasonIs() async throws {
    let (bench, session, _, events) = try call()
    session.beginInterruption(.sleep)
    session.beginInterruption(.otherAudio)
    session.endInterruption(.sleep)
    #expect(bench.manager.gates.isInterrupted)
    #expect(eventually { !bench.device.isCapturing })
    session.endInterruption(.otherAudio)
    #expect(eventually { bench.device.isCapturing && bench.device.isRendering })
    #expect(await told(events, upTo: "resumed").filter { $0 == "resumed" }.count == 1)
  }

  @Test func anEndWithoutABeginningIsNothing() throws {
    let (bench, session, host, _) = try call()
    session.endInterruption(.sleep)
    session.applicationDidBecomeActive()
    host.setHeld(.render, .otherAudio, false)
    #expect(!bench.manager.gates.isInterrupted && bench.device.isCapturing && bench.device.isRendering)
    #expect(bench.device.log == ["startCapture", "startRendering"])
  }

  @Test func whatAnotherStreamTookIsHeldAndTheMicrophoneCloses() throws {
    let (bench, _, host, _) = try call()
    host.setHeld(.render, .otherAudio, true)
    #expect(eventually { !bench.device.isCapturing })
    #expect(bench.device.isRendering, "the stream waits at the server to be asked back")
    #expect(bench.manager.gates.decision == AudioDecision(capture: .silent, render: .held))
    _ = bench.bus.takeReads()
    bench.clock.advance(by: .milliseconds(200))
    #expect(eventually { bench.bus.takeReads() > 0 }, "the client is drained without the device")
    host.setHeld(.render, .otherAudio, false)
    #expect(eventually { bench.device.isCapturing })
    #expect(!bench.device.log.contains("stopRendering"))
    #expect(bench.manager.gates.decision == AudioDecision(capture: .live, render: .live))
  }

  @Test func theClientIsFedAtOnceWhileADirectionIsHeld() throws {
    let (bench, _, host, _) = try call()
    bench.device.capture(7)
    #expect(bench.bus.takeCaptured().last == 7)
    host.setHeld(.capture, .deviceSuspended, true)
    #expect(eventually { bench.manager.gates.decision.capture == .held })
    // Less than the patience with which a device that says nothing is waited for.
    bench.clock.advance(by: .milliseconds(100))
    #expect(eventually { bench.bus.takeCaptured().contains(0) })
    host.setHeld(.capture, .deviceSuspended, false)
    bench.device.capture(9)
    #expect(bench.bus.takeCaptured().contains(9))
  }

  @Test func aSuspendedDeviceLeavesTheOtherDirectionAlone() throws {
    let (bench, _, host, _) = try call()
    host.setHeld(.render, .deviceSuspended, true)
    #expect(eventually { bench.manager.gates.renderIsHeld })
    #expect(bench.manager.gates.decision == AudioDecision(capture: .live, render: .held))
    bench.device.capture(5)
    #expect(bench.bus.takeCaptured().last == 5)
    host.setHeld(.render, .deviceSuspended, false)
    #expect(bench.manager.gates.decision.render == .live)
    #expect(bench.device.log == ["startCapture", "startRendering"])
  }

  @Test func sleepClosesWhatIsHeldAsWell() throws {
    let (bench, session, host, _) = try call()
    host.setHeld(.render, .otherAudio, true)
    session.beginInterruption(.sleep)
    #expect(eventually { !bench.device.isRendering && !bench.device.isCapturing })
  }

  @Test(arguments: ["resume", "applicationDidBecomeActive"])
  func anEndThatNeverComesIsHealed(by: String) throws {
    let (bench, session, host, _) = try call()
    host.setHeld(.render, .otherAudio, true)
    #expect(eventually { !bench.device.isCapturing })
    by == "resume" ? session.resume() : session.applicationDidBecomeActive()
    #expect(eventually { bench.device.isCapturing })
    // What was held waits for a word that will not come: it is opened anew.
    #expect(eventually { bench.device.log.filter { $0 == "startRendering" }.count == 2 && bench.device.isRendering })
    #expect(!bench.manager.gates.isInterrupted && !bench.manager.gates.renderIsHeld)
  }

  @Test func inTheModeTheAppBecomingActiveDoesNotActivateTheSession() throws {
    let bench = try Bench()
    bench.manager.audioSessionManager.enableCallingServicesMode()
    try bench.manager.startCapture()
    bench.manager.audioSessionManager.beginInterruption(.sleep)
    bench.manager.audioSessionManager.applicationDidBecomeActive()
    #expect(bench.manager.gates.decision.capture == .silent)
    bench.manager.audioSessionManager.resume()
    #expect(eventually { bench.device.isCapturing })
  }

  @Test func anotherDeviceIsNotHeldByWhatTheFormerOneTold() async throws {
    let (bench, _, host, events) = try call()
    host.setHeld(.render, .otherAudio, true)
    let device = ScriptedDevice()
    try bench.manager.setAudioDevice(device)
    #expect(eventually { device.isCapturing && device.isRendering })
    #expect(await told(events, upTo: "resumed").contains("resumed"))
  }

  @Test func aDeviceInstalledDuringSleepOpensAfterIt() throws {
    let (bench, session, _, _) = try call()
    session.beginInterruption(.sleep)
    let device = ScriptedDevice()
    try bench.manager.setAudioDevice(device)
    #expect(!device.isCapturing && !device.isRendering)
    session.endInterruption(.sleep)
    #expect(eventually { device.isCapturing && device.isRendering })
  }

  /// However long something else has the audio, the client is fed and the call comes back.
  @Test func aLongLossOfTheAudioEndsNothing() throws {
    let (bench, _, host, _) = try call()
    host.setHeld(.render, .otherAudio, true)
    #expect(eventually { !bench.device.isCapturing })
    _ = bench.bus.takeCaptured()
    for _ in 0..<60 { bench.clock.advance(by: .seconds(1)) }
    #expect((5_990...6_010).contains(bench.bus.takeCaptured().count))
    host.setHeld(.render, .otherAudio, false)
    #expect(eventually { bench.device.isCapturing })
    #expect(bench.device.isRendering && !bench.device.log.contains("stopRendering"))
  }
}
