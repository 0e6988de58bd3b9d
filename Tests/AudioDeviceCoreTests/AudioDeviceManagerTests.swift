import AudioDeviceCore
import Synchronization
import Testing

@Suite struct AudioDeviceManagerTests {
  let busy = AudioDeviceError(.deviceBusy, "Busy.")

  @Test func aWishNeedsADeviceAndABus() throws {
    let manager = AudioDeviceManager()
    #expect { try manager.startCapture() } throws: { ($0 as? AudioDeviceError)?.code == .invalidState }
    try manager.setAudioDevice(ScriptedDevice())
    #expect { try manager.startRendering() } throws: { ($0 as? AudioDeviceError)?.code == .invalidState }
    #expect(manager.gates.captureIsWished == false)
  }

  @Test func startAndStopAreIdempotentAndReachTheBus() throws {
    let bench = try Bench()
    try bench.manager.startCapture()
    try bench.manager.startCapture()
    try bench.manager.startRendering()
    #expect(bench.device.log == ["startCapture", "startRendering"])
    bench.device.capture(5)
    #expect(bench.bus.takeCaptured().last == 5)
    #expect(bench.device.render()?.allSatisfy { $0 == 77 } == true)
    bench.manager.stopCapture()
    bench.manager.stopCapture()
    bench.manager.stopRendering()
    #expect(bench.device.log == ["startCapture", "startRendering", "stopCapture", "stopRendering"])
    bench.clock.advance(by: .seconds(1))
    #expect(bench.bus.takeCaptured() == [])
  }

  @Test func aStartThatMaySucceedLaterThrowsAndKeepsTheWish() throws {
    let bench = try Bench()
    bench.device.script.withLock { $0.captureFailures = Array(repeating: busy, count: 2) }
    #expect(throws: busy) { try bench.manager.startCapture() }
    #expect(bench.manager.gates.captureIsWished && bench.manager.gates.captureIsLost)
    // The client is fed meanwhile.
    bench.clock.advance(by: .milliseconds(500))
    #expect(bench.bus.takeCaptured().count >= 48)
    #expect(eventually { bench.device.isCapturing })
    bench.manager.stopCapture()
    // Whoever asks again is answered at once.
    bench.device.script.withLock { $0.captureFailures = Array(repeating: busy, count: 3) }
    for _ in 0..<2 { #expect(throws: busy) { try bench.manager.startCapture() } }
    bench.device.script.withLock { $0.captureFailures = [] }
    try bench.manager.startCapture()
    #expect(bench.device.isCapturing)
  }

  /// So that a device that is let go is the call's within two seconds.
  @Test func whatIsBusyIsTriedEverySecond() async throws {
    let bench = try Bench()
    bench.device.script.withLock { $0.captureFailures = .init(repeating: busy, count: 1000) }
    #expect(throws: busy) { try bench.manager.startCapture() }
    // Five tries in the first second and a half, then one a second: 5.6 s. With two seconds between them it is 9.2 s.
    let limit = AudioInstant.now + .seconds(8)
    while bench.device.log.count < 10, AudioInstant.now < limit { try await Task.sleep(for: .milliseconds(20)) }
    #expect(bench.device.log.count >= 10)
    bench.manager.stopCapture()
  }

  @Test func aStartThatCannotSucceedThrowsAndWishesNothing() throws {
    let bench = try Bench()
    let impossible = AudioDeviceError(.formatNotSupported, "Not that one.")
    bench.device.script.withLock { $0.captureFailures = [impossible] }
    #expect(throws: impossible) { try bench.manager.startCapture() }
    #expect(!bench.manager.gates.captureIsWished)
    bench.clock.advance(by: .seconds(1))
    #expect(bench.bus.takeCaptured() == [])
    // The same call can be made again.
    try bench.manager.startCapture()
    #expect(bench.device.isCapturing)
  }

  @Test func ringingHaltsBothDirectionsAndKeepsTheClientFed() throws {
    let bench = try Bench()
    try bench.manager.startCapture()
    try bench.manager.startRendering()
    let host = try #require(bench.device.host)
    host.setRinging(true)
    #expect(!bench.device.isCapturing && !bench.device.isRendering)
    _ = (bench.bus.takeCaptured(), bench.bus.takeReads())
    bench.clock.advance(by: .seconds(1))
    let silence = bench.bus.takeCaptured()
    #expect((98...102).contains(silence.count), "\(silence.count) silent periods in a second")
    #expect(silence.allSatisfy { $0 == 0 })
    #expect((98...102).contains(bench.bus.takeReads()))
    host.setRinging(false)
    #expect(bench.device.isCapturing && bench.device.isRendering)
    let counted = bench.manager.statistics
    #expect(counted.capture.silentFrames >= silence.count * 480)
    #expect(counted.render.silentFrames >= 98 * 480)
  }

  @Test func wishesMadeWhileRingingAreRememberedAndNoOthers() throws {
    let bench = try Bench()
    let host = try #require(bench.device.host)
    host.setRinging(true)
    try bench.manager.startRendering()
    #expect(bench.device.log == [])
    host.setRinging(false)
    // The microphone was never wished, so it stays closed.
    #expect(bench.device.log == ["startRendering"])
    host.setRinging(false)
    #expect(bench.device.log == ["startRendering"])
    host.setRinging(true)
    bench.manager.stopRendering()
    host.setRinging(false)
    #expect(!bench.device.isRendering)
  }

  @Test func theClientIsFedWhileADeviceOpensSlowly() throws {
    let bench = try Bench()
    let clock = bench.clock
    bench.device.openGate.withLock { $0 = { clock.advance(by: .milliseconds(500)) } }
    try bench.manager.startCapture()
    #expect(bench.bus.takeCaptured().count >= 48)
    bench.device.capture(3)
    // The device's first period ends the silence.
    clock.advance(by: .milliseconds(200))
    #expect(bench.bus.takeCaptured().filter { $0 == 0 }.count <= 1)
  }

  @Test func theSoftMuteSendsZerosAtTheDevicesPace() throws {
    let bench = try Bench()
    try bench.manager.startCapture()
    bench.device.capture(9)
    _ = bench.bus.takeCaptured()
    bench.manager.setAudioSoftMute(true)
    for _ in 0..<7 { bench.device.capture(9) }
    #expect(bench.bus.takeCaptured() == [0, 0, 0, 0, 0, 0, 0])
    #expect(bench.device.log == ["startCapture"])
    bench.manager.setAudioSoftMute(false)
    bench.device.capture(9)
    #expect(bench.bus.takeCaptured() == [9])
  }

  @Test func theHardMuteClosesTheMicrophoneAloneAndKeepsTheSoftOne() throws {
    let bench = try Bench()
    try bench.manager.startCapture()
    try bench.manager.startRendering()
    bench.manager.setAudioSoftMute(true)
    try bench.manager.setAudioHardMute(true)
    #expect(!bench.device.isCapturing)
    #expect(bench.device.isRendering)
    _ = bench.bus.takeCaptured()
    bench.clock.advance(by: .seconds(1))
    #expect(bench.bus.takeCaptured() == [])
    try bench.manager.setAudioHardMute(false)
    #expect(bench.device.isCapturing)
    bench.device.capture(9)
    #expect(bench.bus.takeCaptured().allSatisfy { $0 == 0 })
    #expect(bench.manager.isAudioSoftMuted)
    #expect(bench.device.log == ["startCapture", "startRendering", "stopCapture", "startCapture"])
  }

  @Test func anUnmuteThatFailsStaysMutedAndCanBeRepeated() throws {
    let bench = try Bench()
    try bench.manager.startCapture()
    try bench.manager.setAudioHardMute(true)
    bench.device.script.withLock { $0.captureFailures = [busy] }
    #expect(throws: busy) { try bench.manager.setAudioHardMute(false) }
    #expect(bench.manager.isAudioHardMuted)
    try bench.manager.setAudioHardMute(false)
    #expect(bench.device.isCapturing)
  }

  @Test func aNewDeviceTakesOverTheWishesDuringACall() throws {
    let bench = try Bench()
    try bench.manager.startCapture()
    try bench.manager.startRendering()
    let other = ScriptedDevice()
    try bench.manager.setAudioDevice(other)
    #expect(!bench.device.isCapturing && !bench.device.isRendering)
    #expect(bench.device.script.withLock { $0.bus == nil && $0.host == nil })
    #expect(other.isCapturing && other.isRendering)
    other.capture(4)
    #expect(bench.bus.takeCaptured().last == 4)
    // Without a device the client gets silence and the wishes stay.
    try bench.manager.setAudioDevice(nil)
    _ = bench.bus.takeCaptured()
    bench.clock.advance(by: .seconds(1))
    #expect(bench.bus.takeCaptured().count >= 98)
    try bench.manager.setAudioDevice(bench.device)
    #expect(bench.device.isCapturing && bench.device.isRendering)
  }

  @Test func aDeviceOfAnotherFormatIsRefusedAndTheCallGoesOn() throws {
    let bench = try Bench()
    let bus = RecordingBus(accepts: .voice)
    try bench.manager.setAudioBus(bus)
    try bench.manager.startCapture()
    #expect { try bench.manager.setAudioDevice(ScriptedDevice(format: .stereo)) } throws: {
      ($0 as? AudioDeviceError)?.code == .formatNotSupported
    }
    #expect(bench.manager.currentAudioDevice === bench.device)
    #expect(bench.device.isCapturing)
    bench.device.capture(6)
    #expect(bus.takeCaptured().last == 6)
  }

  @Test func aFormerDeviceCannotTouchTheGates() throws {
    let bench = try Bench()
    let former = try #require(bench.device.host)
    former.setRinging(true)
    try bench.manager.setAudioDevice(ScriptedDevice())
    #expect(!bench.manager.gates.isRinging)
    former.setRinging(true)
    former.setHeld(.capture, .otherAudio, true)
    #expect(!bench.manager.gates.isRinging && !bench.manager.gates.isInterrupted)
  }

  @Test func aLostDirectionIsStartedAgainUntilThatSucceeds() async throws {
    let bench = try Bench()
    let events = bench.manager.events()
    try bench.manager.startCapture()
    try bench.manager.startRendering()
    bench.device.script.withLock { script in script.captureFailures = [busy, busy] }
    let gone = AudioDeviceError(.deviceLost, "Gone.")
    let host = try #require(bench.device.host)
    host.didLose(.capture, gone)
    host.didLose(.capture, gone)
    #expect(eventually { !bench.device.isCapturing })
    bench.clock.advance(by: .milliseconds(500))
    #expect(bench.bus.takeCaptured().allSatisfy { $0 == 0 })
    #expect(eventually { bench.device.isCapturing })
    #expect(bench.device.isRendering)
    #expect(!bench.device.log.contains("stopRendering"))
    // One event when it breaks and one when it is back.
    var seen: [AudioDeviceEvent.Kind] = []
    for await event in events {
      seen.append(event.kind)
      if event.kind == .recovered(.capture) { break }
    }
    #expect(
      seen == [
        .started(.capture, deviceID: nil), .started(.render, deviceID: nil), .lost(.capture, gone),
        .recovered(.capture),
      ])
  }

  /// Tries that fail come after 50 ms, 100 ms and so on up to 1 s; a word that the device may be back begins anew.
  @Test func triesBecomeRareUntilTheDeviceMayBeBack() async throws {
    let bench = try Bench()
    try bench.manager.startCapture()
    bench.device.script.withLock { $0.captureFailures = .init(repeating: busy, count: 1000) }
    let tries = Locked<[AudioInstant]>([])
    bench.device.openGate.withLock { $0 = { tries.withLock { $0.append(.now) } } }
    let host = try #require(bench.device.host)
    host.didLose(.capture, AudioDeviceError(.deviceLost, "Gone."))
    #expect(await becomesTrue { tries.withLock { $0.count } >= 8 })
    let seen = tries.withLock { $0 }
    for (index, wait) in [100, 200, 400, 800, 1_000, 1_000, 1_000].enumerated() {
      let gap = seen[index + 1] - seen[index]
      #expect(gap > .milliseconds(wait * 9 / 10), "\(index): \(gap)")
    }
    // Four tries take 350 ms then, and 3 s without the word. A busy machine may sleep through one word, not through all.
    var quickest = Duration.seconds(60)
    for _ in 0..<4 where quickest > .seconds(2) {
      let word = AudioInstant.now
      host.mayBeBack(.capture)
      func triesAfterTheWord() -> [AudioInstant] { tries.withLock { $0.filter { $0 >= word } } }
      #expect(await becomesTrue { triesAfterTheWord().count >= 4 })
      quickest = min(quickest, triesAfterTheWord()[3] - word)
    }
    #expect(quickest < .seconds(2))
    bench.manager.stopCapture()
  }

  @Test func whatIsLostIsNotOpenedOnceItIsWishedNoMore() throws {
    let bench = try Bench()
    try bench.manager.startCapture()
    bench.device.script.withLock { $0.captureFailures = .init(repeating: busy, count: 1000) }
    try #require(bench.device.host).didLose(.capture, AudioDeviceError(.deviceLost, "Gone."))
    #expect(eventually { bench.device.log.count > 3 })
    bench.manager.stopCapture()
    #expect(!bench.manager.gates.captureIsLost)
    bench.device.script.withLock { script in
      script.captureFailures = []
      script.log = []
    }
    // A start of the other direction comes after any retry that was under way.
    try bench.manager.startRendering()
    bench.manager.stopCapture()
    #expect(bench.device.log == ["startRendering"])
  }
}
