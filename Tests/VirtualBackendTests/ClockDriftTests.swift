import AudioDeviceCore
import AudioTestSupport
import Testing
import VirtualBackend

/// Devices whose clocks run fast or slow against the backend's.
@Suite struct ClockDriftTests {
  private let clock: ManualPeriodClock

  init() throws { clock = try ManualPeriodClock() }

  private func backend(speaker: Double = 0, microphone: Double = 0) throws -> VirtualBackend {
    try VirtualBackend(
      configuration: .init(
        speakers: [.init(format: .voice, clockDrift: speaker)],
        microphones: [
          .init(clockDrift: microphone),
          .init(id: "loopback", source: .loopback(speakerID: "speaker", delay: .zero)),
        ]), clock: clock)
  }

  @Test(arguments: [-500.0, 500]) func periodsComeAtTheDevicesOwnPace(drift: Double) throws {
    let backend = try backend(speaker: drift, microphone: -drift)
    let (capture, render) = (Probe(clock), Probe(clock))
    let streams = [
      try backend.openStream(.capture(), client: capture), try backend.openStream(.render(), client: render),
    ]
    for stream in streams { try stream.start() }
    #expect(clock.advance(by: .seconds(100)))
    // 10000 periods, and 500 parts per million more or less: five.
    #expect((5...6).contains(abs(capture.captureCount - 10_000)))
    #expect((5...6).contains(abs(render.renderCount - 10_000)))
    #expect((capture.captureCount > 10_000) == (drift < 0) && (render.renderCount > 10_000) == (drift > 0))
    for stream in streams {
      #expect(stream.statistics.lostFrames == 0)
      stream.close()
    }
  }

  /// The times that a client is told are those of the clock that it knows.
  @Test func timesAreTheBackendsOwn() throws {
    let backend = try backend(microphone: 10_000)
    let probe = Probe(clock)
    let stream = try backend.openStream(.capture(), client: probe)
    try stream.start()
    #expect(clock.advance(by: .seconds(51)))
    stream.close()
    let ages = probe.now.captureTimes.map { $0.delivered - $0.captured }
    #expect(ages.count > 5_100)
    #expect(ages.allSatisfy { (.microseconds(9_900) ... .microseconds(9_902)).contains($0) }, "\(ages.last as Any)")
  }

  /// A loopback is the speaker's own: bit for bit, whatever the clock.
  @Test func aLoopbackRunsByItsSpeakersClock() throws {
    let backend = try backend(speaker: 777)
    let (heard, played) = (Probe(clock), Probe(clock, playing: IndexCode.signal(.seconds(10)).samples))
    let streams = [
      try backend.openStream(.render(), client: played),
      try backend.openStream(.capture(.voice, "loopback"), client: heard),
    ]
    for stream in streams { try stream.start() }
    #expect(clock.advance(by: .seconds(9)))
    for stream in streams { stream.close() }
    let report = IndexCode.examine(Signal(heard.captured, format: .voice))
    #expect(report.isContinuous && report.codedFrames > 420_000, "\(report)")
  }

  @Test(arguments: [10_001.0, -10_001, .infinity, .nan]) func clocksThatCannotBe(drift: Double) throws {
    let backend = try backend()
    #expect(code { try backend.addSpeaker(.init(id: "other", clockDrift: drift)) } == .invalidArgument)
    #expect(code { try backend.addMicrophone(.init(id: "other", clockDrift: drift)) } == .invalidArgument)
  }

  @Test func aLoopbackHasNoClock() throws {
    let microphone = VirtualBackend.Microphone(
      id: "other", source: .loopback(speakerID: "speaker", delay: .zero), clockDrift: 1)
    #expect(code { try backend().addMicrophone(microphone) } == .invalidArgument)
  }
}
