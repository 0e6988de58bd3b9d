import AudioDeviceCore
import Foundation

/// A call on three clocks, in simulated time: a microphone, a client that gives back what it gets, and a speaker.
///
/// The microphone hears a tone of 997 Hz at -6 dBFS, in true time. What the speaker plays is looked at every 10 ms: the
/// phase of the tone tells by how much the delay has changed since the start, and what is left without the tone is what
/// the bus added.
struct DriftBench {
  /// How fast the clocks of microphone and speaker run against the client's, in parts per million.
  var captureDrift = 0.0
  var renderDrift = 0.0
  var format = AudioFormat.voice
  var duration = 600.0
  /// How much the client works on at once, and how much it writes at once.
  var clientFrames = Duration.milliseconds(20)
  var writtenFrames = Duration.milliseconds(10)
  /// How much the speaker reads at once.
  var readFrames = Duration.milliseconds(10)
  /// Every twentieth period of the microphone, and turn of the client, is late by up to so many seconds.
  var captureLateness = 0.0
  var clientLateness = 0.0
  /// When the client stands still, and for how long, in seconds.
  var stall: (at: Double, for: Double)?
  var targetBacklog = Duration.milliseconds(10)
  var rateCorrector: (any AudioRateCorrector.Type)?

  /// What the speaker played, and what the bus counted.
  struct Outcome {
    /// Change of the delay since the tone was first heard in full, in seconds, and the rest without the tone against
    /// the tone, in dB; one for each 10 ms.
    var windows: [(time: Double, delay: Double, rest: Double)] = []
    /// What waited in both directions together, by the bus: the most in each second, in seconds.
    var backlogs: [Double] = []
    /// Frames dropped or short after the first second, in which both directions fill.
    var lost = 0

    func delays(after time: Double = 0) -> ClosedRange<Double> {
      let delays = windows.lazy.filter { $0.time >= time }.map(\.delay)
      return (delays.min() ?? 0)...(delays.max() ?? 0)
    }
    var loudestRest: Double { windows.lazy.map(\.rest).max() ?? 0 }
  }

  static let frequency = 997.0

  func run() throws -> Outcome {
    let clock = try ManualPeriodClock()
    let start = clock.now
    let bus = BufferedAudioBus(
      .init(
        captureFormat: format, renderFormat: format, targetBacklog: targetBacklog, rateCorrector: rateCorrector),
      clock: clock)
    let period = format.framesPerPeriod
    let client = format.frames(in: clientFrames)
    let part = format.frames(in: writtenFrames)
    let captureRate = Double(format.sampleRate) * (1 + captureDrift * 1e-6)
    let renderRate = Double(format.sampleRate) * (1 + renderDrift * 1e-6)
    var tone = Tone(step: 2 * .pi * Self.frequency / captureRate)
    var chance = Chance()
    var captured = [Int16](repeating: 0, count: period * format.channelCount)
    var given = [Int16](repeating: 0, count: client * format.channelCount)
    let read = format.frames(in: readFrames)
    var played = [Int16](repeating: 0, count: read * format.channelCount)
    var analysis = Analysis(step: 2 * .pi * Self.frequency / renderRate)
    var outcome = Outcome()

    // The next turn of each: when it is due, when it comes, and how many there were. They begin at odd moments.
    var captureAt = 0.0101
    var captures = 1
    var clientAt = 0.0137
    var turns = 0
    var renderAt = 0.0172
    var renders = 0
    while renderAt < duration {
      let now = min(captureAt, clientAt, renderAt)
      clock.advance(by: start + .nanoseconds(Int64(now * 1e9)) - clock.now)
      if now == captureAt {
        tone.fill(&captured, channels: format.channelCount)
        bus.writeCaptureData(captured.span, capturedAt: clock.now)
        captures += 1
        captureAt = max(now, 0.0001 + Double(captures * period) / captureRate + chance.lateness(captureLateness))
      } else if now == clientAt {
        var span = given.mutableSpan
        let frames = bus.readCapturedFrames(into: &span)
        for index in frames * format.channelCount..<given.count { given[index] = 0 }
        var written = 0
        while written < client {
          let next = min(written + part, client)
          bus.writeRenderedFrames(
            given.span.extracting(written * format.channelCount..<next * format.channelCount))
          written = next
        }
        turns += 1
        var due = 0.0137 + Double(turns * client) / Double(format.sampleRate)
        if let stall, due > stall.at { due += stall.for }
        clientAt = max(now, due + chance.lateness(clientLateness))
      } else {
        var span = played.mutableSpan
        let frames = bus.readRenderData(into: &span)
        for index in frames * format.channelCount..<played.count { played[index] = 0 }
        analysis.add(played, channels: format.channelCount)
        renders += 1
        renderAt = 0.0172 + Double(renders * read) / renderRate
        let backlog = Double((bus.captureBacklog + bus.renderBacklog).wholeNanoseconds) * 1e-9
        if outcome.backlogs.count == Int(now) { outcome.backlogs.append(0) }
        outcome.backlogs[outcome.backlogs.count - 1] = max(outcome.backlogs[outcome.backlogs.count - 1], backlog)
        // What is lost before the call runs is the start, when both rings fill.
        if now < 1 { outcome.lost = -bus.lost }
      }
    }
    outcome.lost += bus.lost
    outcome.windows = analysis.windows(seconds: Double(read) / renderRate)
    return outcome
  }
}

extension BufferedAudioBus {
  /// Frames that were dropped or short, in both directions.
  var lost: Int {
    [captureStatistics, renderStatistics].reduce(0) { $0 + $1.droppedFrames + $1.shortfallFrames }
  }
}

/// Turns a pointer by a step: a sine without a call of `sin` per sample, which debug builds could not afford.
struct Tone {
  private var x = 1.0
  private var y = 0.0
  private let c: Double
  private let s: Double
  private let amplitude = 32_767 * 0.501_187

  init(step: Double) {
    c = cos(step)
    s = sin(step)
  }

  mutating func fill(_ samples: inout [Int16], channels: Int) {
    samples.withUnsafeMutableBufferPointer { samples in
      var index = 0
      while index < samples.count {
        let value = Int16((amplitude * y).rounded())
        for channel in 0..<channels { samples[index + channel] = value }
        index += channels
        let next = x * c - y * s
        y = x * s + y * c
        x = next
      }
    }
    // Rounding errors must not add up over millions of steps.
    let length = (x * x + y * y).squareRoot()
    x /= length
    y /= length
  }
}

/// Follows a tone: its phase in each period, then what is left without it.
struct Analysis {
  private let step: Double
  private var periods: [[Int16]] = []

  init(step: Double) { self.step = step }

  mutating func add(_ samples: [Int16], channels: Int) {
    periods.append(channels == 1 ? samples : stride(from: 0, to: samples.count, by: channels).map { samples[$0] })
  }

  private struct Fit {
    var phase = 0.0
    var energy = 0.0
    var rest = 0.0
  }

  /// The tone in the least squares sense.
  private func fit(_ samples: [Int16], step: Double) -> Fit {
    let c = cos(step)
    let s = sin(step)
    var x = 1.0
    var y = 0.0
    var (xx, xy, yy, xv, yv, vv) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    samples.withUnsafeBufferPointer { samples in
      for sample in samples {
        let value = Double(sample)
        xx += x * x
        xy += x * y
        yy += y * y
        xv += x * value
        yv += y * value
        vv += value * value
        let next = x * c - y * s
        y = x * s + y * c
        x = next
      }
    }
    let determinant = xx * yy - xy * xy
    let a = (xv * yy - yv * xy) / determinant
    let b = (yv * xx - xv * xy) / determinant
    return Fit(phase: atan2(a, b), energy: a * xv + b * yv, rest: max(vv - a * xv - b * yv, 0))
  }

  func windows(seconds: Double) -> [(time: Double, delay: Double, rest: Double)] {
    // The tone begins where the first period is as loud as it should be.
    let amplitude = 32_767 * 0.501_187
    guard let first = periods.first else { return [] }
    let full = amplitude * amplitude / 2 * Double(first.count)
    let fits = periods.map { fit($0, step: step) }
    guard let begin = fits.firstIndex(where: { $0.energy > 0.98 * full }) else { return [] }
    // A period turns the phase by so much when nothing changes.
    let turn = step * Double(first.count)
    var windows: [(time: Double, delay: Double, rest: Double)] = []
    var last = fits[begin + 1].phase
    var shift = 0.0
    for index in (begin + 1)..<(fits.count - 1) {
      let change = (fits[index].phase - last - (index > begin + 1 ? turn : 0)).remainder(dividingBy: 2 * .pi)
      last = fits[index].phase
      shift += change
      // The tone's own frequency here, from its neighbours.
      let around = (fits[index + 1].phase - fits[index - 1].phase - 2 * turn).remainder(dividingBy: 2 * .pi)
      let exact = fit(periods[index], step: step + around / Double(2 * first.count))
      windows.append(
        (
          Double(index) * seconds, -shift / (2 * .pi * DriftBench.frequency),
          10 * log10(max(exact.rest, 1) / full)
        ))
    }
    return windows
  }
}

/// The same random numbers each time.
private struct Chance {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / Double(1 << 53)
  }

  /// Mostly none, at times up to a limit.
  mutating func lateness(_ limit: Double) -> Double {
    let isLate = next() < 0.05
    let size = next()
    return isLate ? limit * size : 0
  }
}
