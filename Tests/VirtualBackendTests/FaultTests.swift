import AudioDeviceCore
import AudioTestSupport
import Testing
import VirtualBackend

@Suite struct FaultTests {
  let clock: ManualPeriodClock
  let backend: VirtualBackend
  let busy = AudioDeviceError(.deviceBusy, "Somebody else has it.")

  init() throws {
    clock = try ManualPeriodClock()
    backend = VirtualBackend(clock: clock)
  }

  private func open(_ direction: AudioDirection) -> AudioDeviceError.Code? {
    code {
      try backend.openStream(AudioStreamConfiguration(direction: direction, format: .voice), client: Probe(clock))
        .close()
    }
  }

  @Test func failsTheNextOpens() {
    backend.failOpens(2, of: .capture, with: busy)
    backend.failOpens(1, with: AudioDeviceError(.permissionDenied, "No."))
    #expect(open(.capture) == .deviceBusy)
    #expect(open(.render) == .permissionDenied)
    #expect(open(.render) == nil)
    #expect(open(.capture) == .deviceBusy)
    #expect(open(.capture) == nil)
    #expect(backend.openedCount(.capture) == 1 && backend.openedCount(.render) == 1)
    backend.failOpens(.max, with: busy)
    for _ in 0..<10 { #expect(open(.render) == .deviceBusy) }
    backend.clearFaults()
    #expect(open(.render) == nil)
    backend.failOpens(0, with: busy)
    #expect(open(.render) == nil)
  }

  @Test func takesItsTimeOnTheClock() throws {
    backend.delayOpens(by: .seconds(5), of: .capture)
    let start = clock.now
    let opened = Locked<(time: AudioInstant, stream: any AudioStream)?>(nil)
    let (backend, clock) = (backend, clock)
    let thread = try RealtimeThread(name: "opener", scheduling: .normal) {
      let stream = try? backend.openStream(.capture(), client: Probe(clock))
      opened.withLock { opened in opened = stream.map { (clock.now, $0) } }
    }
    // Renders are not delayed.
    #expect(open(.render) == nil)
    // The clock may be moved before the thread has asked it: step until the thread is through.
    #expect(
      eventually {
        clock.advance(by: .milliseconds(100))
        return opened.withLock { $0 != nil }
      })
    thread.join()
    let result = try #require(opened.withLock { $0 })
    #expect(result.time - start >= .seconds(5))
    result.stream.close()
    backend.clearFaults()
    #expect(open(.capture) == nil)
  }

  @Test func takesItsTimeOnAnotherClock() {
    backend.delayOpens(by: .milliseconds(50), of: .render, on: SystemPeriodClock.shared)
    backend.failOpens(1, of: .render, with: busy)
    let before = AudioInstant.now
    #expect(open(.render) == .deviceBusy)
    #expect(AudioInstant.now - before >= .milliseconds(50))
    backend.delayOpens(by: .zero, of: .render)
    #expect(open(.render) == nil)
  }

  @Test(arguments: AudioDirection.allCases) func losesARunningStream(direction: AudioDirection) throws {
    let (probe, other) = (Probe(clock), Probe(clock))
    let stream = try backend.openStream(AudioStreamConfiguration(direction: direction, format: .voice), client: probe)
    let rest = try backend.openStream(
      AudioStreamConfiguration(direction: direction, format: .voice, role: .music), client: other)
    try stream.start()
    try rest.start()
    #expect(clock.advance(by: .milliseconds(30)))
    let error = AudioDeviceError(.deviceLost, "Unplugged.")
    #expect(backend.send(.lost(error)) { $0.role == .phone } == 1)
    // The notice does not wait for the next period.
    #expect(clock.advance(by: .zero))
    #expect(probe.notices == [.lost(error)])
    #expect(backend.openStreams.map(\.role) == [.music])
    #expect(clock.advance(by: .milliseconds(30)))
    #expect(probe.captureCount + probe.renderCount == 3)
    #expect(other.captureCount + other.renderCount == 6)
    #expect(code { try stream.start() } == .deviceLost)
    stream.close()
    #expect(probe.notices.count == 1)
    rest.close()
  }

  @Test func losesAStreamThatWasNotStarted() throws {
    let probe = Probe(clock)
    let stream = try backend.openStream(.capture(), client: probe)
    backend.send(.lost(busy))
    #expect(code { try stream.start() } == .deviceBusy)
    #expect(code { try stream.start() } == .deviceBusy)
    #expect(backend.openStreams.isEmpty)
    #expect(probe.notices.isEmpty)
    stream.close()
    #expect(code { try stream.start() } == .invalidState)
  }

  @Test func suspendsAndResumes() throws {
    let probe = Probe(clock, playing: numbers(48_000))
    let stream = try backend.openStream(.render(), client: probe)
    try stream.start()
    #expect(clock.advance(by: .milliseconds(50)))
    backend.send(.suspended(true))
    #expect(clock.advance(by: .seconds(10)))
    #expect(probe.renderCount == 5)
    backend.send(.suspended(false))
    #expect(clock.advance(by: .milliseconds(50)))
    #expect(probe.renderCount == 10)
    #expect(probe.notices == [.suspended(true), .suspended(false)])
    #expect(stream.statistics.lostFrames == 0 && stream.statistics.xruns == 0)
    backend.send(.suspended(true))
    stream.close()
  }

  @Test func passesNoticesOnInOrder() throws {
    let probe = Probe(clock)
    let stream = try backend.openStream(.capture(), client: probe)
    try stream.start()
    let notices: [AudioStreamNotice] = [
      .corkRequested(true), .moved(deviceID: "elsewhere"), .xrun, .corkRequested(false),
    ]
    for notice in notices { backend.send(notice) }
    #expect(clock.advance(by: .milliseconds(10)))
    #expect(probe.notices == notices)
    #expect(probe.captureCount == 1)
    #expect(stream.deviceID == "elsewhere")
    #expect(backend.openStreams.map(\.deviceID) == ["elsewhere"])
    #expect(stream.statistics.xruns == 1 && stream.statistics.lostFrames == 0)
    stream.close()
    #expect(backend.send(.xrun) == 0)
  }

  @Test func becomesUnavailable() throws {
    let probe = Probe(clock)
    let stream = try backend.openStream(.capture(), client: probe)
    try stream.start()
    #expect(backend.isAvailable)
    backend.setAvailable(false)
    #expect(!backend.isAvailable)
    #expect(clock.advance(by: .zero))
    #expect(probe.notices.count == 1)
    #expect(code { _ = try backend.devices() } == .serverUnavailable)
    #expect(code { _ = try backend.watchDevices {} } == .serverUnavailable)
    #expect(open(.render) == .serverUnavailable)
    stream.close()
    backend.setAvailable(true)
    #expect(open(.render) == nil)
    #expect(try backend.devices().count == 4)
  }
}
