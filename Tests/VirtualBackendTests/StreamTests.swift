import AudioDeviceCore
import AudioTestSupport
import Foundation
import Synchronization
import Testing
import VirtualBackend

@Suite struct StreamTests {
  let clock: ManualPeriodClock
  let start: AudioInstant

  init() throws {
    clock = try ManualPeriodClock()
    start = clock.now
  }

  // MARK: Pace

  @Test(arguments: [8_000, 22_050, 44_100, 48_000, 192_000], [1, 2])
  func callsTheClientPeriodByPeriod(rate: Int, channels: Int) throws {
    let backend = VirtualBackend(clock: clock)
    let format = try AudioFormat(rate, channels)
    let (capturing, rendering) = (Probe(clock), Probe(clock))
    let capture = try backend.openStream(.capture(format), client: capturing)
    let render = try backend.openStream(.render(format), client: rendering)
    try capture.start()
    try render.start()
    #expect(clock.advance(by: .seconds(1)))
    // One second holds 100 periods of a rate that is a multiple of 100; 22050 Hz has periods of 220 frames.
    let periods = rate / format.framesPerPeriod
    #expect(capturing.captureCount == periods)
    #expect(rendering.renderCount == periods)
    #expect(capturing.captured.count == periods * format.samplesPerPeriod)
    for stream in [capture, render] {
      #expect(stream.statistics.frames == periods * format.framesPerPeriod)
      #expect(stream.statistics.xruns == 0 && stream.statistics.lostFrames == 0)
    }
    for (index, times) in capturing.now.captureTimes.enumerated() {
      #expect(times.captured == start + format.duration(ofFrames: index * format.framesPerPeriod))
      #expect(times.delivered == start + format.duration(ofFrames: (index + 1) * format.framesPerPeriod))
    }
    for (index, time) in rendering.now.renderTimes.enumerated() {
      #expect(time == start + format.duration(ofFrames: (index + 1) * format.framesPerPeriod))
    }
    #expect(capture.latency == format.periodDuration)
    #expect(render.latency == .milliseconds(40))
    render.close()
    capture.close()
  }

  @Test func doesNotDriftInTwoMinutes() throws {
    let backend = VirtualBackend(clock: clock)
    let format = try AudioFormat(11_025, 1)
    let client = Counter()
    let stream = try backend.openStream(.capture(format), client: client)
    try stream.start()
    #expect(clock.advance(by: .seconds(120)))
    #expect(client.frames == 120 * 11_025 / 110 * 110)
    stream.close()
  }

  // MARK: Life

  @Test func startsAndClosesAsOftenAsOneLikes() throws {
    let backend = VirtualBackend(clock: clock)
    let probe = Probe(clock)
    let stream = try backend.openStream(.capture(), client: probe)
    #expect(stream.schedulingClass == .normal)
    try stream.start()
    try stream.start()
    #expect(clock.advance(by: .milliseconds(30)))
    #expect(probe.captureCount == 3)
    stream.close()
    stream.close()
    #expect(clock.advance(by: .milliseconds(30)))
    #expect(probe.captureCount == 3)
    #expect(code { try stream.start() } == .invalidState)
    let unstarted = try backend.openStream(.render(), client: probe)
    unstarted.close()
    #expect(code { try unstarted.start() } == .invalidState)
    #expect(backend.openStreams.isEmpty)
  }

  /// With a clock that stands still, a close that waited for the next period would wait for ever.
  @Test(arguments: ["microphone", "tone:440", "loopback:speaker", "file", "speaker"])
  func closesWhileTheClockStands(deviceID: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(numbers(1_000), .voice)
    let backend = VirtualBackend(clock: clock)
    try backend.addMicrophone(.init(id: "file", source: .file(path: path, repeats: true)))
    let direction: AudioDirection = deviceID == "speaker" ? .render : .capture
    let stream = try backend.openStream(
      AudioStreamConfiguration(direction: direction, format: .voice, deviceID: deviceID), client: Probe(clock))
    try stream.start()
    #expect(clock.advance(by: .milliseconds(25)))
    let before = AudioInstant.now
    stream.close()
    #expect(AudioInstant.now - before < .seconds(2))
    // Nobody is left whom the clock would wait for.
    #expect(clock.advance(by: .seconds(1), limit: .seconds(5)))
  }

  @Test func letsGoOfTheClient() throws {
    let backend = VirtualBackend(clock: clock)
    var probe: Probe? = Probe(clock)
    weak let weakProbe = probe
    let stream = try backend.openStream(.capture(), client: try #require(probe))
    probe = nil
    try stream.start()
    #expect(clock.advance(by: .milliseconds(10)))
    #expect(weakProbe?.captureCount == 1)
    stream.close()
    #expect(weakProbe == nil)
    #expect(stream.statistics.frames == 480)
  }

  @Test func endsAForgottenStream() throws {
    let backend = VirtualBackend(clock: clock)
    let probe = Probe(clock)
    do {
      let stream = try backend.openStream(.capture(), client: probe)
      try stream.start()
      #expect(clock.advance(by: .milliseconds(10)))
      #expect(backend.openStreams.count == 1)
    }
    #expect(backend.openStreams.isEmpty)
    #expect(clock.advance(by: .milliseconds(50)))
    #expect(probe.captureCount == 1)
  }

  @Test func outlivesItsBackend() throws {
    var backend: VirtualBackend? = VirtualBackend(clock: clock)
    let probe = Probe(clock)
    let stream = try #require(backend).openStream(.render(), client: probe)
    try stream.start()
    backend = nil
    #expect(clock.advance(by: .milliseconds(50)))
    #expect(probe.renderCount == 5)
    stream.close()
  }

  @Test func closesFromItsOwnThread() throws {
    let backend = VirtualBackend(clock: clock)
    let closer = Closer()
    let opened = try backend.openStream(.capture(), client: closer)
    closer.stream.withLock { $0 = opened }
    try opened.start()
    #expect(clock.advance(by: .milliseconds(50)))
    #expect(closer.calls == 1)
    #expect(backend.openStreams.isEmpty)
    opened.close()
  }

  /// Whoever's close returns, be it first or last, finds a stream that calls nobody.
  @Test func isSilentAfterEveryClose() throws {
    let backend = VirtualBackend()
    for _ in 0..<8 {
      let (entered, closed, late) = (Count(), Count(), Count())
      let probe = Probe(backend.clock) {
        if closed.value > 0 { late.add() }
        entered.add()
        usleep(30_000)
        if closed.value > 0 { late.add() }
      }
      let stream = try backend.openStream(.render(), client: probe)
      try stream.start()
      // The streams are closed while the client is called.
      #expect(eventually { entered.value > 0 })
      let threads = try (0..<3).map { _ in
        try RealtimeThread(name: "closer", scheduling: .normal) {
          stream.close()
          closed.add()
        }
      }
      for thread in threads { thread.join() }
      #expect(late.value == 0)
    }
  }

  @Test(arguments: ["speaker", "recorder", "microphone", "file", "loopback:speaker"], [false, true])
  func leaksNoThreadAndNoDescriptor(deviceID: String, isManual: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(numbers(1_000), .voice)
    let clock: any PeriodClock = isManual ? clock : SystemPeriodClock.shared
    let backend = VirtualBackend(clock: clock)
    try backend.addMicrophone(.init(id: "file", source: .file(path: path, repeats: true)))
    try backend.addSpeaker(.init(id: "recorder", target: .file(path: folder.path("out.wav"))))
    let direction: AudioDirection = ["speaker", "recorder"].contains(deviceID) ? .render : .capture
    let configuration = AudioStreamConfiguration(direction: direction, format: .voice, deviceID: deviceID)
    let before = try ProcessSnapshot()
    for index in 0..<200 {
      let stream = try backend.openStream(configuration, client: Probe(clock))
      if index % 2 == 0 { try stream.start() }
      if isManual { self.clock.advance(by: .milliseconds(10)) }
      stream.close()
    }
    #expect(backend.openStreams.isEmpty)
    #expect(backend.openedCount(direction) == 200)
    // Tests that run beside this one have some dozens of threads and descriptors; a leak has 100 or more.
    #expect(
      try eventually {
        let now = try ProcessSnapshot()
        return now.descriptors.count < before.descriptors.count + 70 && now.threads.count < before.threads.count + 70
      })
  }

  // MARK: The machine's clock

  @Test func keepsThePaceOfTheMachine() throws {
    let backend = VirtualBackend()
    let (capturing, rendering) = (Probe(backend.clock), Probe(backend.clock))
    let capture = try backend.openStream(.capture(), client: capturing)
    let render = try backend.openStream(.render(), client: rendering)
    try capture.start()
    try render.start()
    let begin = AudioInstant.now
    #expect(eventually { capturing.captureCount >= 40 && rendering.renderCount >= 40 })
    let least = Int((AudioInstant.now - begin) / .milliseconds(10))
    capture.close()
    render.close()
    let most = Int((AudioInstant.now - begin) / .milliseconds(10))
    for stream in [capture, render] {
      // Every period that became due was exchanged or counted as lost, but for the last ones on a machine that stalls.
      let accounted = (stream.statistics.frames + stream.statistics.lostFrames) / 480
      #expect(accounted <= most + 1 && accounted >= least - 20)
    }
    for times in capturing.now.captureTimes { #expect(times.delivered - times.captured >= .milliseconds(10)) }
  }

  @Test(arguments: AudioDirection.allCases) func losesWhatAStallCosts(direction: AudioDirection) throws {
    let backend = VirtualBackend()
    let periods = Count()
    let probe = Probe(backend.clock) {
      // The fifth period holds the thread up for 150 ms, more than the buffer of 40 ms.
      if periods.add() == 5 { usleep(150_000) }
    }
    let stream = try backend.openStream(
      AudioStreamConfiguration(direction: direction, format: .voice), client: probe)
    try stream.start()
    #expect(eventually { periods.value >= 10 })
    stream.close()
    #expect(probe.notices.contains(.xrun))
    #expect(stream.statistics.xruns >= 1)
    #expect(stream.statistics.lostFrames >= 13 * 480)
    #expect(stream.statistics.lostFrames % 480 == 0)
  }

  @Test func asksForARealTimeThread() throws {
    let backend = VirtualBackend()
    let granted = Locked<SchedulingClass?>(nil)
    let probe = Probe(backend.clock) { granted.withLock { $0 = .current } }
    let stream = try backend.openStream(.capture(), client: probe)
    try stream.start()
    #expect(eventually { probe.captureCount > 0 })
    #expect(granted.withLock { $0 } == stream.schedulingClass)
    // What any thread of this process would be granted.
    let thread = try RealtimeThread(name: "reference") {}
    #expect(stream.schedulingClass == thread.schedulingClass)
    thread.join()
    stream.close()
  }
}

/// Counts frames and keeps none.
private final class Counter: AudioStreamClient {
  private let count = Atomic<Int>(0)
  var frames: Int { count.load(ordering: .relaxed) }
  func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
    count.wrappingAdd(samples.count, ordering: .relaxed)
  }
}

/// Closes its stream in the first period.
private final class Closer: AudioStreamClient {
  private let count = Atomic<Int>(0)
  let stream = Locked<(any AudioStream)?>(nil)
  var calls: Int { count.load(ordering: .relaxed) }
  func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
    count.wrappingAdd(1, ordering: .relaxed)
    stream.withLock { $0.take() }?.close()
  }
}
