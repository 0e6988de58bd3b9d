import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing
import VirtualBackend
import WaveFile

/// Where the sound of virtual speakers goes.
@Suite struct OutputTests {
  let clock: ManualPeriodClock
  let folder: TemporaryFolder
  let path: String

  init() throws {
    clock = try ManualPeriodClock()
    folder = try TemporaryFolder()
    path = folder.path("out.wav")
  }

  private func backend(_ format: AudioFormat = .voice, clock: (any PeriodClock)? = nil) throws -> VirtualBackend {
    try VirtualBackend(
      configuration: .init(speakers: [.init(format: format, target: .file(path: path))], microphones: []),
      clock: clock ?? self.clock)
  }

  @Test func recordsWhatSounded() throws {
    let backend = try backend()
    let stream = try backend.openStream(.render(), client: Probe(clock, playing: numbers(4_800)))
    #expect(clock.advance(by: .milliseconds(25)))
    try stream.start()
    #expect(clock.advance(by: .milliseconds(203)))
    try backend.finishOutput(ofSpeaker: "speaker")
    try backend.finishOutput(ofSpeaker: "speaker")
    let recorded = try samples(ofFile: path)
    // From the opening to the finish, the last and shorter period included.
    #expect(recorded.count == 48 * 228)
    let offset = 48 * (25 + 10 + 40)
    #expect(recorded.firstOther(than: 0, in: 0..<offset) == nil)
    #expect(recorded.firstDifference(from: numbers(4_800), at: offset) == nil)
    #expect(recorded.firstOther(than: 0, from: offset + 4_800) == nil)
    #expect(try backend.outputStatistics(ofSpeaker: "speaker").frames == recorded.count)
    #expect(try backend.outputStatistics(ofSpeaker: "speaker").lostFrames == 0)
    // The stream goes on without the file.
    #expect(clock.advance(by: .milliseconds(100)))
    stream.close()
    #expect(stream.statistics.frames == 30 * 480)
    #expect(try samples(ofFile: path) == recorded)
  }

  /// A call, the ringtone of another in a format of its own, a pause, and the next call: one timeline.
  @Test func mixesStreamsOnOneTimeline() throws {
    let backend = try backend(.stereo)
    let tone = try AudioFormat(44_100, 2)
    let speech = Signal.tone(500, level: -6, for: .milliseconds(500)).samples
    let call = try backend.openStream(.render(), client: Probe(clock, playing: speech))
    try call.start()
    #expect(clock.advance(by: .milliseconds(200)))
    let ringing = Signal.tone(2_000, level: -6, for: .seconds(1), format: tone).samples
    let ringtone = try backend.openStream(
      .render(tone, role: .music), client: Probe(clock, playing: ringing))
    try ringtone.start()
    #expect(backend.openStreams.map(\.role) == [.phone, .music])
    #expect(clock.advance(by: .milliseconds(800)))
    call.close()
    #expect(clock.advance(by: .milliseconds(400)))
    ringtone.close()
    #expect(clock.advance(by: .seconds(1)))
    let next = try backend.openStream(.render(), client: Probe(clock, playing: numbers(480)))
    try next.start()
    #expect(clock.advance(by: .milliseconds(100)))
    try backend.finishOutput(ofSpeaker: "speaker")
    next.close()
    let recorded = try samples(ofFile: path)
    #expect(recorded.count == 96 * 2_500)
    let left = channel(0, of: recorded, .stereo)
    #expect(left == channel(1, of: recorded, .stereo))
    // The call sounds from 50 to 550 ms, the ringtone from 250 to 1250 ms.
    let alone = SineFit(500, left.part((48 * 50)..<(48 * 240)), rate: 48_000)
    #expect(abs(alone.level + 6) < 0.01 && alone.signalToNoise > 75 && abs(alone.phase) < 0.001)
    let both = left.part((48 * 260)..<(48 * 540))
    for frequency in [500.0, 2_000] { #expect(abs(SineFit(frequency, both, rate: 48_000).level + 6) < 0.01) }
    let rest = SineFit(2_000, left.part((48 * 560)..<(48 * 1_240)), rate: 48_000)
    #expect(abs(rest.level + 6) < 0.01 && rest.signalToNoise > 65)
    #expect(left.firstOther(than: 0, in: (48 * 1_260)..<(48 * 2_450)) == nil)
    #expect(left.firstDifference(from: numbers(480), at: (48 * 2_450)) == nil)
  }

  @Test func copiesAFileBitForBit() throws {
    let format = try AudioFormat(16_000, 2)
    let sound = numbers(32_000 * 2)
    let source = try folder.write(sound, format)
    let backend = try VirtualBackend(
      configuration: .init(
        speakers: [.init(format: format, target: .file(path: path))],
        microphones: [.init(source: .file(path: source, repeats: false))]), clock: clock)
    let ring = SampleRing<Int16>(minimumCapacity: 100_000)
    let copier = Copier(ring)
    let capture = try backend.openStream(.capture(format), client: copier)
    let render = try backend.openStream(.render(format), client: copier)
    try capture.start()
    #expect(clock.advance(by: .milliseconds(10)))
    try render.start()
    #expect(clock.advance(by: .seconds(3)))
    render.close()
    capture.close()
    try backend.finishOutput(ofSpeaker: "speaker")
    let recorded = try samples(ofFile: path)
    let offset = 32 * (10 + 10 + 40)
    #expect(recorded.firstDifference(from: sound, at: offset) == nil)
  }

  @Test func isCompleteWhenTheBackendGoes() throws {
    do {
      let backend = try backend()
      let stream = try backend.openStream(.render(), client: Probe(clock, playing: numbers(480)))
      try stream.start()
      #expect(clock.advance(by: .milliseconds(100)))
      stream.close()
    }
    let recorded = try samples(ofFile: path)
    #expect(recorded.count == 4_800)
    #expect(recorded.firstDifference(from: numbers(480), at: 2_400) == nil)
    #expect(clock.advance(by: .seconds(1), limit: .seconds(5)))
  }

  @Test func recordsOnTheMachinesClock() throws {
    let backend = try backend(clock: SystemPeriodClock.shared)
    let probe = Probe(backend.clock, playing: [Int16](repeating: 1_000, count: 480 * 30))
    let stream = try backend.openStream(.render(), client: probe)
    try stream.start()
    #expect(eventually { probe.renderCount >= 40 })
    stream.close()
    try backend.finishOutput(ofSpeaker: "speaker")
    let recorded = try samples(ofFile: path)
    let lost = stream.statistics.lostFrames
    // All that was played is there, in one piece but for what a stall of the machine may have cost.
    #expect(recorded.filter { $0 == 1_000 }.count >= 480 * 30 - lost)
    #expect(recorded.count >= 480 * 40)
  }

  @Test func callsAFunctionPeriodByPeriod() throws {
    struct Call: Sendable {
      var time: AudioInstant
      var samples: [Int16]
    }
    let calls = Locked<[Call]>([])
    let clock = clock
    let start = clock.now
    let target = VirtualBackend.RenderTarget.function { samples, format in
      #expect(format == .stereo)
      calls.withLock { $0.append(Call(time: clock.now, samples: samples.indices.map { samples[$0] })) }
    }
    let backend = try VirtualBackend(
      configuration: .init(speakers: [.init(target: target)], microphones: []), clock: clock)
    #expect(clock.advance(by: .milliseconds(100)))
    #expect(calls.withLock { $0.isEmpty })
    let stream = try backend.openStream(.render(), client: Probe(clock, playing: numbers(480)))
    try stream.start()
    #expect(clock.advance(by: .milliseconds(100)))
    stream.close()
    #expect(clock.advance(by: .milliseconds(20)))
    let all = calls.withLock { $0 }
    #expect(all.map(\.time) == (1...12).map { start + .milliseconds(100 + 10 * $0) })
    let silence = [Int16](repeating: 0, count: 960)
    try #require(all.count > 5)
    #expect(channel(0, of: all[5].samples, .stereo) == numbers(480))
    for (index, call) in all.enumerated() where index != 5 { #expect(call.samples == silence) }
    try backend.finishOutput(ofSpeaker: "speaker")
    #expect(clock.advance(by: .milliseconds(100)))
    #expect(calls.withLock { $0.count } == 12)
  }

  // MARK: Failures

  @Test func tellsThatThereIsNoPlace() throws {
    let places: [(String, AudioDeviceError.Code)] = [
      ("/dev/full", .fileNotWritable), (folder.path("no/out.wav"), .fileNotFound),
    ]
    for (place, expected) in places {
      let backend = try VirtualBackend(
        configuration: .init(speakers: [.init(target: .file(path: place))], microphones: []), clock: clock)
      #expect(code { _ = try backend.openStream(.render(), client: Probe(clock)) } == expected)
      #expect(backend.openStreams.isEmpty)
    }
    #expect(clock.advance(by: .seconds(1), limit: .seconds(5)))
  }

  @Test func losesItsStreamsWhenTheDiskIsFull() throws {
    let backend = try backend()
    let (call, ringtone) = (Probe(clock), Probe(clock))
    let first = try backend.openStream(.render(), client: call)
    let second = try backend.openStream(.render(), client: ringtone)
    try first.start()
    try second.start()
    #expect(clock.advance(by: .milliseconds(100)))
    try fillDisk()
    #expect(clock.advance(by: .seconds(1)))
    // The output's thread hands the streams the loss; they tell it before the clock can go on.
    for (stream, probe) in [(first, call), (second, ringtone)] {
      #expect(probe.losses.map(\.code) == [.fileNotWritable])
      #expect(probe.losses.first?.number == Int(ENOSPC))
      let count = probe.renderCount
      #expect(count < 100)
      #expect(clock.advance(by: .milliseconds(50)))
      #expect(probe.renderCount == count)
      stream.close()
    }
    #expect(backend.openStreams.isEmpty)
    #expect(code { _ = try backend.openStream(.render(), client: call) } == .fileNotWritable)
    #expect(code { try backend.finishOutput(ofSpeaker: "speaker") } == .fileNotWritable)
    #expect(try backend.outputStatistics(ofSpeaker: "speaker").failure?.code == .fileNotWritable)
  }

  @Test func tellsAtTheFinishThatTheDiskIsFull() throws {
    let backend = try backend()
    let stream = try backend.openStream(.render(), client: Probe(clock))
    try stream.start()
    #expect(clock.advance(by: .milliseconds(100)))
    try fillDisk()
    #expect(code { try backend.finishOutput(ofSpeaker: "speaker") } == .fileNotWritable)
    stream.close()
  }

  /// Puts a full device in the place of the open recording.
  private func fillDisk() throws {
    let folder = "/proc/self/fd"
    let number = try FileManager.default.contentsOfDirectory(atPath: folder).first {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
    }
    let full = open("/dev/full", O_WRONLY)
    #expect(dup2(full, Int32(try #require(number)) ?? -1) >= 0)
    close(full)
  }
}

/// Plays what it captures.
private final class Copier: AudioStreamClient {
  private let ring: SampleRing<Int16>
  init(_ ring: SampleRing<Int16>) { self.ring = ring }
  func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
    _ = ring.write(samples.span)
  }
  func streamWillRender(_ samples: inout MutableSpan<Int16>) { _ = ring.read(into: &samples) }
}
