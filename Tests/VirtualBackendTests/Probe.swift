import AudioDeviceCore
import AudioTestSupport
import Foundation
import Synchronization
import Testing
import VirtualBackend
import WaveFile

/// A client that plays given samples and keeps all it is told.
final class Probe: AudioStreamClient {
  struct State {
    var captured: [Int16] = []
    /// What the client was told of each period, and the clock at that moment.
    var captureTimes: [(captured: AudioInstant, delivered: AudioInstant)] = []
    var renderTimes: [AudioInstant] = []
    var notices: [AudioStreamNotice] = []
    var toPlay: [Int16] = []
    var played = 0
  }
  private let state: Locked<State>
  private let clock: any PeriodClock
  /// Called in every period, before anything else.
  private let onPeriod: @Sendable () -> Void

  init(
    _ clock: any PeriodClock, playing samples: [Int16] = [], onPeriod: @escaping @Sendable () -> Void = {}
  ) {
    self.clock = clock
    self.onPeriod = onPeriod
    state = Locked(State(toPlay: samples))
  }

  var now: State { state.withLock { $0 } }
  var captured: [Int16] { state.withLock { $0.captured } }
  var notices: [AudioStreamNotice] { state.withLock { $0.notices } }
  var losses: [AudioDeviceError] {
    notices.compactMap { notice in
      guard case .lost(let error) = notice else { return nil }
      return error
    }
  }
  var renderCount: Int { state.withLock { $0.renderTimes.count } }
  var captureCount: Int { state.withLock { $0.captureTimes.count } }

  func streamDidCapture(_ samples: inout MutableSpan<Int16>, capturedAt time: AudioInstant) {
    onPeriod()
    state.withLock { state in
      state.captureTimes.append((time, clock.now))
      samples.withUnsafeBufferPointer { state.captured.append(contentsOf: $0) }
    }
  }

  func streamWillRender(_ samples: inout MutableSpan<Int16>) {
    onPeriod()
    state.withLock { state in
      state.renderTimes.append(clock.now)
      for index in samples.indices where state.played < state.toPlay.count {
        samples[index] = state.toPlay[state.played]
        state.played += 1
      }
    }
  }

  func streamDidNotice(_ notice: AudioStreamNotice) { state.withLock { $0.notices.append(notice) } }
}

/// Counts, from any thread.
final class Count: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int { count.load(ordering: .sequentiallyConsistent) }
  @discardableResult
  func add() -> Int { count.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }
}

extension AudioFormat {
  init(_ sampleRate: Int, _ channelCount: Int) throws {
    try self.init(sampleRate: sampleRate, channelCount: channelCount)
  }
}

extension AudioStreamConfiguration {
  static func capture(
    _ format: AudioFormat = .voice, _ deviceID: String? = nil, latency: Duration? = nil
  ) -> AudioStreamConfiguration {
    AudioStreamConfiguration(direction: .capture, format: format, deviceID: deviceID, latency: latency)
  }

  static func render(
    _ format: AudioFormat = .voice, _ deviceID: String? = nil, latency: Duration? = nil,
    role: AudioStreamRole = .phone
  ) -> AudioStreamConfiguration {
    AudioStreamConfiguration(direction: .render, format: format, deviceID: deviceID, latency: latency, role: role)
  }
}

extension TemporaryFolder {
  func write(_ samples: [Int16], _ format: AudioFormat, _ name: String = "in.wav") throws -> String {
    var writer = try WaveWriter(path: path(name), format: format)
    try writer.write(samples.span)
    try writer.close()
    return path(name)
  }
}

func samples(ofFile path: String) throws -> [Int16] {
  var reader = try WaveReader(path: path)
  var samples = [Int16](repeating: 0, count: reader.frameCount * reader.format.channelCount)
  var span = samples.mutableSpan
  #expect(try reader.read(into: &span) == reader.frameCount)
  return samples
}

extension [Int16] {
  /// A part; shorter where there is no more.
  func part(_ range: Range<Int>) -> [Int16] { Array(self[range.clamped(to: indices)]) }

  /// The part from an index on.
  func part(from index: Int) -> [Int16] { Array(dropFirst(index)) }

  /// The first index from which on samples are not those expected there, or nil.
  func firstDifference(from expected: [Int16], at index: Int) -> Int? {
    (index..<index + expected.count).first { !indices.contains($0) || self[$0] != expected[$0 - index] }
  }

  /// The first index in a range at which there is not a certain value, or nil.
  func firstOther(than value: Int16, in range: Range<Int>) -> Int? {
    range.first { !indices.contains($0) || self[$0] != value }
  }

  /// The first index from an index on at which there is not a certain value, or nil. There must be one sample.
  func firstOther(than value: Int16, from index: Int) -> Int? {
    firstOther(than: value, in: index..<Swift.max(count, index + 1))
  }
}

/// Numbers that differ from their neighbours and are never zero.
func numbers(_ count: Int, seed: Int = 0) -> [Int16] {
  (0..<count).map { Int16(truncatingIfNeeded: ($0 + seed) &* 7_919 % 20_011 + 1) }
}

/// One channel of interleaved samples.
func channel(_ index: Int, of samples: [Int16], _ format: AudioFormat) -> [Int16] {
  Signal(samples, format: format).channel(index)
}

/// The sine of a frequency that fits samples best, and what is left when it is taken away.
struct SineFit {
  /// Of the peak, in dBFS.
  var level: Double
  /// In turns; 0 for a sine that begins at zero.
  var phase: Double
  /// Of the sine's power to that of the rest, in decibels.
  var signalToNoise: Double

  init(_ frequency: Double, _ samples: [Int16], rate: Int) {
    var (sine, cosine) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let angle = 2 * .pi * frequency * Double(index) / Double(rate)
      sine += Double(sample) * sin(angle)
      cosine += Double(sample) * cos(angle)
    }
    let scale = 2 / Double(max(samples.count, 1))
    (sine, cosine) = (sine * scale, cosine * scale)
    var noise = 0.0
    for (index, sample) in samples.enumerated() {
      let angle = 2 * .pi * frequency * Double(index) / Double(rate)
      let rest = Double(sample) - sine * sin(angle) - cosine * cos(angle)
      noise += rest * rest
    }
    level = 10 * log10((sine * sine + cosine * cosine) / (32_767 * 32_767))
    phase = atan2(cosine, sine) / (2 * .pi)
    signalToNoise = 10 * log10((sine * sine + cosine * cosine) / 2 * Double(samples.count) / max(noise, 1e-9))
  }
}

/// The code that an operation throws, or nil.
func code(_ body: () throws -> Void) -> AudioDeviceError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? AudioDeviceError)?.code
  }
}
