import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing
import VirtualBackend

/// What a speaker sounds, as a microphone hears it.
@Suite struct LoopbackTests {
  let clock: ManualPeriodClock

  init() throws { clock = try ManualPeriodClock() }

  private func backend(_ format: AudioFormat, delay: Duration = .zero) throws -> VirtualBackend {
    try VirtualBackend(
      configuration: .init(
        speakers: [.init(format: format)],
        microphones: [.init(source: .loopback(speakerID: "speaker", delay: delay))]), clock: clock)
  }

  /// The round trip of a sample, told by the streams and measured by the clients, to the sample.
  @Test(arguments: [20, 40, 73, 500], [0, 20, 33, 1_000])
  func takesExactlyAsLongAsIsTold(latency: Int, delay: Int) throws {
    let backend = try backend(.voice, delay: .milliseconds(delay))
    let sent = numbers(480 * 20)
    let (capturing, rendering) = (Probe(clock), Probe(clock, playing: sent))
    let capture = try backend.openStream(.capture(), client: capturing)
    let render = try backend.openStream(.render(latency: .milliseconds(latency)), client: rendering)
    try capture.start()
    try render.start()
    #expect(clock.advance(by: .milliseconds(latency + delay + 300)))
    #expect(render.latency == .milliseconds(latency))
    #expect(capture.latency == .milliseconds(10))
    // Asked for at 10 ms, heard one latency and one delay later, sample for sample.
    let offset = 48 * (10 + latency + delay)
    let heard = capturing.captured
    #expect(heard.firstOther(than: 0, in: 0..<offset) == nil)
    #expect(heard.firstDifference(from: sent, at: offset) == nil)
    #expect(heard.firstOther(than: 0, from: offset + sent.count) == nil)
    // The same by the clocks of the clients.
    let given = try #require(rendering.now.renderTimes.first)
    let times = capturing.now.captureTimes
    try #require(times.count > offset / 480)
    let period = times[offset / 480]
    let captured = period.captured + AudioFormat.voice.duration(ofFrames: offset % 480)
    #expect(captured - given == render.latency + .milliseconds(delay))
    if offset % 480 == 0 {
      #expect(period.delivered - given == render.latency + capture.latency + .milliseconds(delay))
    }
    capture.close()
    render.close()
  }

  @Test func clampsTheLatencyThatIsWished() throws {
    let backend = try backend(.voice)
    let wishes: [(Duration?, Duration)] = [
      (nil, .milliseconds(40)), (.zero, .milliseconds(20)), (.seconds(-5), .milliseconds(20)),
      (.seconds(1_000_000_000_000), .milliseconds(500)), (.microseconds(30_015), .milliseconds(30)),
    ]
    for (wish, told) in wishes {
      let stream = try backend.openStream(.render(latency: wish), client: Probe(clock))
      #expect(stream.latency == told)
      stream.close()
    }
  }

  /// A stream that starts in the middle of another's period is heard where it should be, to the sample.
  @Test(arguments: [1, 3, 9]) func keepsToTheGridOfEachStream(milliseconds: Int) throws {
    let backend = try backend(.voice)
    let capturing = Probe(clock)
    let capture = try backend.openStream(.capture(), client: capturing)
    try capture.start()
    #expect(clock.advance(by: .milliseconds(100 + milliseconds)))
    let render = try backend.openStream(.render(), client: Probe(clock, playing: numbers(480)))
    try render.start()
    #expect(clock.advance(by: .milliseconds(100)))
    let offset = 48 * (100 + milliseconds + 10 + 40)
    #expect(capturing.captured.firstDifference(from: numbers(480), at: offset) == nil)
    #expect(capturing.captured.firstOther(than: 0, in: 0..<offset) == nil)
    capture.close()
    render.close()
  }

  @Test(arguments: [(16_000, 1, 48_000, 2), (8_000, 1, 48_000, 1), (44_100, 2, 48_000, 2), (48_000, 1, 44_100, 2)])
  func convertsBothWays(rate: Int, channels: Int, deviceRate: Int, deviceChannels: Int) throws {
    let format = try AudioFormat(rate, channels)
    let backend = try backend(try AudioFormat(deviceRate, deviceChannels), delay: .milliseconds(20))
    let sent = Signal.tone(1_000, level: -6, for: .seconds(1), format: format).samples
    let (capturing, rendering) = (Probe(clock), Probe(clock, playing: sent))
    let capture = try backend.openStream(.capture(format), client: capturing)
    let render = try backend.openStream(.render(format), client: rendering)
    try capture.start()
    try render.start()
    #expect(clock.advance(by: .milliseconds(800)))
    let heard = channel(0, of: capturing.captured, format)
    let window = heard.part((rate / 5)..<(rate / 5 + rate / 2))
    let fit = SineFit(1_000, window, rate: rate)
    #expect(fit.signalToNoise > 65, "\(fit.signalToNoise) dB")
    #expect(abs(fit.level + 6) < 0.01)
    if channels == 2 { #expect(channel(1, of: capturing.captured, format) == heard) }
    // The sine began at zero when it was asked for, 10 ms after the start, and was heard one latency and one delay
    // later.
    let way = Duration.milliseconds(10) + render.latency + .milliseconds(20)
    let seconds = Double(rate / 5) / Double(rate) - Double(way.wholeNanoseconds) / 1e9
    let turns = abs((1_000 * seconds - fit.phase).truncatingRemainder(dividingBy: 1))
    #expect(min(turns, 1 - turns) < 0.001, "\(turns) turns")
    let times = capturing.now.captureTimes
    try #require(times.count > 7)
    #expect(times[7].captured - times[6].captured == format.periodDuration)
    #expect(times[7].delivered - times[7].captured == capture.latency)
    #expect(capture.latency == format.periodDuration)
    capture.close()
    render.close()
  }

  @Test func hearsTwoStreamsTogether() throws {
    let backend = try backend(.voice)
    let (call, ringtone) = (numbers(4_800), numbers(4_800, seed: 99))
    let capturing = Probe(clock)
    let capture = try backend.openStream(.capture(), client: capturing)
    let first = try backend.openStream(.render(), client: Probe(clock, playing: call))
    let second = try backend.openStream(.render(role: .music), client: Probe(clock, playing: ringtone))
    try capture.start()
    try first.start()
    #expect(clock.advance(by: .milliseconds(30)))
    try second.start()
    #expect(clock.advance(by: .milliseconds(300)))
    var expected = [Int](repeating: 0, count: capturing.captured.count)
    try #require(expected.count > 48 * 80 + 4_800)
    for (index, sample) in call.enumerated() { expected[48 * 50 + index] += Int(sample) }
    for (index, sample) in ringtone.enumerated() { expected[48 * 80 + index] += Int(sample) }
    #expect(expected.contains { $0 > 32_767 })
    #expect(capturing.captured.firstDifference(from: expected.map { Int16(clamping: $0) }, at: 0) == nil)
    for stream in [capture, first, second] { stream.close() }
  }

  @Test func isSilentFromTheMomentAStreamCloses() throws {
    let backend = try backend(.voice)
    let capturing = Probe(clock)
    let capture = try backend.openStream(.capture(), client: capturing)
    let (five, hundred) = ([Int16](repeating: 5, count: 96_000), [Int16](repeating: 100, count: 96_000))
    let other = try backend.openStream(.render(), client: Probe(clock, playing: five))
    let render = try backend.openStream(.render(), client: Probe(clock, playing: hundred))
    for stream in [capture, other, render] { try stream.start() }
    #expect(clock.advance(by: .milliseconds(200)))
    // 40 ms of it are on their way to the speaker.
    render.close()
    #expect(clock.advance(by: .milliseconds(100)))
    #expect(capturing.captured.firstOther(than: 105, in: (48 * 50)..<(48 * 200)) == nil)
    #expect(capturing.captured.firstOther(than: 5, from: 48 * 200) == nil)
    capture.close()
    other.close()
  }

  @Test func hearsWhatPlaysAlreadyWhenItOpens() throws {
    let backend = try backend(.voice, delay: .milliseconds(100))
    let render = try backend.openStream(.render(), client: Probe(clock, playing: numbers(9_600)))
    try render.start()
    #expect(clock.advance(by: .milliseconds(150)))
    let capturing = Probe(clock)
    let capture = try backend.openStream(.capture(), client: capturing)
    try capture.start()
    #expect(clock.advance(by: .milliseconds(100)))
    // The microphone's first frame, at 150 ms, left the speaker at 50 ms: the very first one.
    #expect(capturing.captured.firstDifference(from: numbers(4_800), at: 0) == nil)
    capture.close()
    render.close()
  }

  @Test func hearsAGapWhereAStreamStalled() throws {
    let backend = try backend(.voice)
    let capturing = Probe(clock)
    let rendering = Probe(clock, playing: [Int16](repeating: 100, count: 96_000))
    let capture = try backend.openStream(.capture(), client: capturing)
    let render = try backend.openStream(.render(), client: rendering)
    try capture.start()
    try render.start()
    #expect(clock.advance(by: .milliseconds(100)))
    #expect(backend.stallStreams(periods: 3) { $0.direction == .render } == 1)
    #expect(clock.advance(by: .milliseconds(200)))
    #expect(rendering.notices == [.xrun])
    #expect(render.statistics.lostFrames == 3 * 480)
    #expect(render.statistics.frames == 27 * 480)
    // Periods 11 to 13 are missing: 40 ms after they were due at 110 ms.
    let heard = capturing.captured
    #expect(heard.firstOther(than: 100, in: (48 * 50)..<(48 * 150)) == nil)
    #expect(heard.firstOther(than: 0, in: (48 * 150)..<(48 * 180)) == nil)
    #expect(heard.firstOther(than: 100, from: 48 * 180) == nil)
    capture.close()
    render.close()
  }

  /// A microphone that is plugged in later hears the speaker from then on.
  @Test func startsToMixWhenSomebodyListens() throws {
    let backend = try VirtualBackend(
      configuration: .init(speakers: [.init(format: .voice)], microphones: []), clock: clock)
    let render = try backend.openStream(.render(), client: Probe(clock, playing: numbers(48_000)))
    try render.start()
    #expect(clock.advance(by: .milliseconds(100)))
    try backend.addMicrophone(.init(source: .loopback(speakerID: "speaker", delay: .zero)))
    let capturing = Probe(clock)
    let capture = try backend.openStream(.capture(), client: capturing)
    try capture.start()
    #expect(clock.advance(by: .milliseconds(100)))
    // The period asked for at 110 ms sounds at 150 ms, 50 ms after the microphone started.
    #expect(capturing.captured.firstOther(than: 0, in: 0..<(48 * 50)) == nil)
    let rest = numbers(48_000).part((480 * 10)..<(480 * 15))
    #expect(capturing.captured.firstDifference(from: rest, at: 48 * 50) == nil)
    capture.close()
    render.close()
  }
}
