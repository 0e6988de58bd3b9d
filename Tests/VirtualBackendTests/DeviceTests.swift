import AudioDeviceCore
import AudioTestSupport
import Glibc
import Testing
import VirtualBackend

@Suite struct DeviceTests {
  let clock: ManualPeriodClock
  let backend: VirtualBackend

  init() throws {
    clock = try ManualPeriodClock()
    backend = VirtualBackend(clock: clock)
  }

  @Test func listsItsDevices() throws {
    #expect(backend.name == "virtual" && backend.isAvailable)
    let devices = try backend.devices()
    #expect(devices.map(\.id) == ["speaker", "microphone", "tone:440", "loopback:speaker"])
    #expect(devices.map(\.direction) == [.render, .capture, .capture, .capture])
    #expect(devices.map(\.isDefault) == [true, true, false, false])
    #expect(devices.allSatisfy { $0.kind == .virtual })
    #expect(devices.map(\.nativeFormat) == [.stereo, nil, nil, .stereo])
  }

  @Test func opensTheDefaultAndTheNamedOnes() throws {
    let probe = Probe(clock)
    let streams = [
      try backend.openStream(.capture(), client: probe), try backend.openStream(.render(), client: probe),
      try backend.openStream(.capture(.voice, "tone:440"), client: probe),
    ]
    #expect(streams.map(\.deviceID) == ["microphone", "speaker", "tone:440"])
    for id in ["nothing", "", "speaker"] {
      #expect(code { _ = try backend.openStream(.capture(.voice, id), client: probe) } == .deviceNotFound)
    }
    #expect(code { _ = try backend.openStream(.render(.voice, "microphone"), client: probe) } == .deviceNotFound)
    let error = #expect(throws: AudioDeviceError.self) {
      _ = try backend.openStream(.capture(.voice, "mic"), client: probe)
    }
    #expect(error?.message.contains("microphone, tone:440, loopback:speaker") == true)
    for stream in streams { stream.close() }
    let empty = try VirtualBackend(configuration: .init(speakers: [], microphones: []), clock: clock)
    #expect(try empty.devices().isEmpty)
    #expect(code { _ = try empty.openStream(.capture(), client: probe) } == .deviceNotFound)
  }

  @Test func refusesWhatCannotBe() {
    func code(
      _ speakers: [VirtualBackend.Speaker], _ microphones: [VirtualBackend.Microphone]
    ) -> AudioDeviceError.Code? {
      VirtualBackendTests.code {
        _ = try VirtualBackend(configuration: .init(speakers: speakers, microphones: microphones), clock: clock)
      }
    }
    #expect(code([.init()], [.init(id: "speaker")]) == nil)
    #expect(code([.init(), .init()], []) == .invalidArgument)
    #expect(code([], [.init(), .init()]) == .invalidArgument)
    #expect(code([.init(id: "")], []) == .invalidArgument)
    #expect(code([], [.init(source: .loopback(speakerID: "speaker", delay: .zero))]) == .invalidArgument)
    for delay in [Duration.milliseconds(-1), .milliseconds(1_001)] {
      #expect(code([.init()], [.init(source: .loopback(speakerID: "speaker", delay: delay))]) == .invalidArgument)
    }
    for (frequency, level) in [(0, 0), (-1, 0), (.nan, 0), (1e9, 0), (440, 0.1), (440, .nan)] as [(Double, Double)] {
      #expect(code([], [.init(source: .tone(frequency: frequency, level: level))]) == .invalidArgument)
    }
  }

  @Test func pullsADeviceOut() throws {
    let (first, second) = (Probe(clock), Probe(clock))
    let stream = try backend.openStream(.capture(), client: first)
    let other = try backend.openStream(.capture(.voice, "tone:440"), client: second)
    try stream.start()
    try other.start()
    try backend.removeDevice("microphone", .capture)
    #expect(clock.advance(by: .milliseconds(20)))
    #expect(first.losses.map(\.code) == [.deviceLost])
    #expect(first.captureCount == 0)
    #expect(second.captureCount == 2 && second.notices.isEmpty)
    #expect(try backend.devices().filter(\.isDefault).map(\.id) == ["speaker", "tone:440"])
    #expect(code { _ = try backend.openStream(.capture(.voice, "microphone"), client: first) } == .deviceNotFound)
    #expect(code { try backend.removeDevice("microphone", .capture) } == .deviceNotFound)
    try backend.addMicrophone(.init())
    let again = try backend.openStream(.capture(.voice, "microphone"), client: first)
    for stream in [stream, other, again] { stream.close() }
  }

  @Test func endsTheOutputOfASpeakerThatIsPulledOut() throws {
    let folder = try TemporaryFolder()
    try backend.addSpeaker(.init(id: "recorder", format: .voice, target: .file(path: folder.path("out.wav"))))
    let stream = try backend.openStream(.render(.voice, "recorder"), client: Probe(clock))
    try stream.start()
    #expect(clock.advance(by: .milliseconds(100)))
    try backend.removeDevice("recorder", .render)
    #expect(try samples(ofFile: folder.path("out.wav")).count == 4_800)
    #expect(clock.advance(by: .seconds(1), limit: .seconds(5)))
    stream.close()
  }

  @Test func changesTheDefault() throws {
    try backend.setDefaultDevice("tone:440", .capture)
    #expect(try backend.devices().filter(\.isDefault).map(\.id) == ["speaker", "tone:440"])
    let stream = try backend.openStream(.capture(), client: Probe(clock))
    #expect(stream.deviceID == "tone:440")
    stream.close()
    #expect(code { try backend.setDefaultDevice("speaker", .capture) } == .deviceNotFound)
    try backend.removeDevice("tone:440", .capture)
    #expect(try backend.devices().filter(\.isDefault).map(\.id) == ["speaker", "microphone"])
  }

  @Test func tellsWhoWatches() throws {
    let (first, second) = (Count(), Count())
    let watch = try backend.watchDevices { first.add() }
    var forgotten: (any AudioDeviceWatch)? = try backend.watchDevices { second.add() }
    let changes: [() throws -> Void] = [
      { try self.backend.addMicrophone(.init(id: "headset")) },
      { try self.backend.addSpeaker(.init(id: "headset")) },
      { try self.backend.setDefaultDevice("headset", .render) },
      { try self.backend.removeDevice("headset", .render) },
    ]
    for (index, change) in changes.enumerated() {
      try change()
      #expect(eventually { first.value == index + 1 && second.value == index + 1 })
    }
    // What changes nothing is not told.
    #expect(code { try backend.removeDevice("headset", .render) } == .deviceNotFound)
    forgotten = nil
    _ = forgotten
    watch.cancel()
    watch.cancel()
    try backend.removeDevice("headset", .capture)
    #expect(first.value == 4 && second.value == 4)
  }

  @Test func doesNotTellAfterTheCancel() throws {
    for index in 0..<8 {
      let (entered, over, late) = (Count(), Count(), Count())
      let watch = try backend.watchDevices {
        entered.add()
        usleep(30_000)
        if over.value > 0 { late.add() }
      }
      try backend.setDefaultDevice(index % 2 == 0 ? "tone:440" : "microphone", .capture)
      // The watch is cancelled while its handler runs.
      #expect(eventually { entered.value > 0 })
      watch.cancel()
      over.add()
      usleep(40_000)
      #expect(late.value == 0)
    }
  }

  @Test func cancelsAWatchFromItsHandler() throws {
    let calls = Count()
    let canceller = Canceller()
    canceller.watch.withLock { watch in
      watch = try? backend.watchDevices {
        calls.add()
        canceller.watch.withLock { $0.take() }?.cancel()
      }
    }
    try backend.setDefaultDevice("tone:440", .capture)
    #expect(eventually { calls.value == 1 && canceller.watch.withLock { $0 == nil } })
    try backend.setDefaultDevice("microphone", .capture)
    #expect(calls.value == 1)
  }

  // MARK: Who holds what

  @Test func tellsWhoHoldsADevice() throws {
    #expect(backend.openStreams.isEmpty)
    let call = AudioStreamConfiguration(direction: .capture, format: .voice, role: .phone, name: "Call with Ada")
    let stream = try backend.openStream(call, client: Probe(clock))
    let ringtone = try backend.openStream(.render(.stereo, role: .music), client: Probe(clock))
    try stream.start()
    #expect(clock.advance(by: .milliseconds(20)))
    let open = backend.openStreams
    #expect(open.map(\.direction) == [.capture, .render])
    #expect(open.map(\.deviceID) == ["microphone", "speaker"])
    #expect(open.map(\.role) == [.phone, .music])
    #expect(open.map(\.name) == ["Call with Ada", "Call"])
    #expect(open.map(\.format) == [.voice, .stereo])
    #expect(open.map(\.isRunning) == [true, false])
    #expect(open.map(\.statistics.frames) == [960, 0])
    #expect(Set(open.map(\.id)).count == 2)
    stream.close()
    #expect(backend.openStreams.map(\.direction) == [.render])
    ringtone.close()
    #expect(backend.openStreams.isEmpty)
    #expect(backend.openedCount(.capture) == 1 && backend.openedCount(.render) == 1)
    #expect(code { _ = try backend.outputStatistics(ofSpeaker: "x") } == .deviceNotFound)
    #expect(try backend.outputStatistics(ofSpeaker: "speaker").frames == 0)
  }
}

private final class Canceller: Sendable {
  let watch = Locked<(any AudioDeviceWatch)?>(nil)
}
