internal import Glibc

/// Converts between two sample rates by a windowed-sinc, polyphase low-pass filter.
///
/// The filter has 32 zero crossings of the sinc on each side under a Kaiser window: some 80 dB of stop-band
/// attenuation, flat up to 0.85 of the lower Nyquist frequency. Frames are counted in whole numbers, so that the ratio
/// is exact for ever, and output frame `k` lies exactly at input frame `k · inputRate / outputRate`: the filter looks
/// ahead instead of delaying. At equal rates it is the identity, bit for bit.
///
/// Only the initialiser allocates. For one thread at a time.
struct SincResampler: ~Copyable {
  /// Input frames behind its own position that an output frame needs.
  let lookahead: Int

  private static let zeroCrossings = 32
  private static let kaiserBeta = 0.1102 * (80 - 8.7)
  /// Where the filter is at half amplitude, of the lower Nyquist frequency; at 1 it then is in the stop band.
  private static let cutoff = 0.92
  /// A ratio that needs more phases interpolates between this many; the error lies below 16 bits.
  private static let maximumPhaseCount = 1024

  private let channelCount: Int
  private let inputRate: Int
  private let outputRate: Int
  private let tapCount: Int
  private let phaseCount: Int
  /// `phaseCount + 1` rows of `tapCount` coefficients.
  private let taps: UnsafeMutablePointer<Float>
  /// One row of `capacity` frames for each channel.
  private let history: UnsafeMutablePointer<Float>
  private let capacity: Int
  private var filled = 0
  /// The first frame of the history under the filter, and how far the output lies behind it, in `1 / outputRate`.
  private var start = 0
  private var fraction = 0

  /// Makes a resampler. Allocates, and computes its table of coefficients.
  ///
  /// - Parameters:
  ///   - inputRate: In hertz, positive.
  ///   - outputRate: In hertz, positive.
  ///   - channelCount: Channels, each filtered by itself.
  ///   - maximumInput: The most frames that are pushed before they are pulled.
  init(inputRate: Int, outputRate: Int, channelCount: Int, maximumInput: Int) {
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.channelCount = channelCount
    let isIdentity = inputRate == outputRate
    let bandwidth = min(1, Double(outputRate) / Double(inputRate))
    // Whole vectors of taps on each side.
    let half = isIdentity ? 0 : (Int((Double(Self.zeroCrossings) / bandwidth).rounded(.up)) + 3) & ~3
    lookahead = half
    tapCount = isIdentity ? 1 : 2 * half
    phaseCount = min(outputRate / Self.greatestCommonDivisor(inputRate, outputRate), Self.maximumPhaseCount)
    capacity = tapCount + 1 + maximumInput
    taps = .allocate(capacity: (phaseCount + 1) * tapCount)
    history = .allocate(capacity: capacity * channelCount)
    history.initialize(repeating: 0, count: capacity * channelCount)
    for phase in 0...phaseCount {
      Self.design(
        taps + phase * tapCount, count: tapCount, half: half, offset: Double(phase) / Double(phaseCount),
        cutoff: bandwidth * Self.cutoff)
    }
    reset()
  }

  deinit {
    taps.deallocate()
    history.deallocate()
  }

  /// Forgets all input: the next frame that is pushed is the first.
  mutating func reset() {
    // Silence before the first frame, as far as the filter looks back.
    filled = max(lookahead - 1, 0)
    history.update(repeating: 0, count: capacity * channelCount)
    start = 0
    fraction = 0
  }

  /// How many frames must be pushed before a number of frames can be pulled.
  func inputNeeded(forOutput count: Int) -> Int {
    guard count > 0 else { return 0 }
    let lastStart = start + (fraction + (count - 1) * inputRate) / outputRate
    return max(0, lastStart + tapCount - filled)
  }

  /// How many frames can be pulled now.
  var availableOutput: Int {
    let reach = filled - tapCount - start
    return reach < 0 ? 0 : ((reach + 1) * outputRate - fraction + inputRate - 1) / inputRate
  }

  /// How many frames can be pushed now.
  var availableInput: Int { capacity - filled }

  /// Appends one frame. There must be room for it.
  ///
  /// - Parameter sample: The value of a channel.
  mutating func push(_ sample: (_ channel: Int) -> Float) {
    for channel in 0..<channelCount { history[channel * capacity + filled] = sample(channel) }
    filled += 1
  }

  /// Gives the next frames. As many must be available.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - take: Called for every frame and channel, in order.
  mutating func pull(_ count: Int, _ take: (_ frame: Int, _ channel: Int, _ sample: Float) -> Void) {
    for frame in 0..<count {
      let (row, rest) = (fraction * phaseCount).quotientAndRemainder(dividingBy: outputRate)
      let first = taps + row * tapCount
      for channel in 0..<channelCount {
        let input = history + channel * capacity + start
        var sample = Self.dotProduct(first, input, tapCount)
        if rest != 0 {
          let next = Self.dotProduct(first + tapCount, input, tapCount)
          sample += (next - sample) * Float(rest) / Float(outputRate)
        }
        take(frame, channel, sample)
      }
      let (whole, part) = (fraction + inputRate).quotientAndRemainder(dividingBy: outputRate)
      start += whole
      fraction = part
    }
    // The next output may begin behind all input there is.
    let used = min(start, filled)
    for channel in 0..<channelCount {
      let row = history + channel * capacity
      row.update(from: row + used, count: filled - used)
    }
    filled -= used
    start -= used
  }

  private static func dotProduct(
    _ taps: UnsafePointer<Float>, _ input: UnsafePointer<Float>, _ count: Int
  ) -> Float {
    guard count > 1 else { return taps[0] * input[0] }
    // Four sums, which a vector unit can keep side by side: floating-point addition may not be reordered for it.
    var (a, b, c, d): (Float, Float, Float, Float) = (0, 0, 0, 0)
    var tap = 0
    while tap < count {
      a += taps[tap] * input[tap]
      b += taps[tap &+ 1] * input[tap &+ 1]
      c += taps[tap &+ 2] * input[tap &+ 2]
      d += taps[tap &+ 3] * input[tap &+ 3]
      tap &+= 4
    }
    return (a + b) + (c + d)
  }

  /// One phase: the filter seen from a position `offset` behind the middle. Scaled so that a constant stays as it is.
  private static func design(
    _ row: UnsafeMutablePointer<Float>, count: Int, half: Int, offset: Double, cutoff: Double
  ) {
    guard count > 1 else { return row.initialize(to: 1) }
    func value(_ tap: Int) -> Double {
      let x = Double(tap - half + 1) - offset
      let position = x / Double(half)
      guard abs(position) < 1 else { return 0 }
      let angle = Double.pi * cutoff * x
      return (x == 0 ? 1 : sin(angle) / angle) * bessel(kaiserBeta * (1 - position * position).squareRoot())
    }
    var sum = 0.0
    for tap in 0..<count {
      let value = value(tap)
      (row + tap).initialize(to: Float(value))
      sum += value
    }
    for tap in 0..<count { row[tap] *= Float(1 / sum) }
  }

  /// The modified Bessel function of order zero, by its series.
  private static func bessel(_ x: Double) -> Double {
    var sum = 1.0
    var term = 1.0
    var index = 1.0
    while term > sum * 1e-16 {
      term *= (x / (2 * index)) * (x / (2 * index))
      sum += term
      index += 1
    }
    return sum
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
