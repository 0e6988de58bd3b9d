import AudioDeviceCore
import Foundation

extension Signal {
  /// The frequency of the strongest tone, good to 0.1 % when a channel has 4096 frames or more of a steady tone.
  ///
  /// - Parameter channel: Which channel.
  /// - Returns: Hertz; nil for silence and for fewer than 256 frames.
  public func dominantFrequency(channel: Int = 0) -> Double? {
    let values = self.channel(channel)
    guard values.count >= 256 else { return nil }
    // The largest power of two, from the middle: the beginning and the end of a recording are often not steady.
    let size = min(1 << 15, 1 << (Int.bitWidth - 1 - values.count.leadingZeroBitCount))
    let first = (values.count - size) / 2
    var real = (0..<size).map { index in
      Double(values[first + index]) * 0.5 * (1 - cos(2 * Double.pi * Double(index) / Double(size)))
    }
    var imaginary = [Double](repeating: 0, count: size)
    transform(&real, &imaginary)
    let magnitudes = (0...size / 2).map { hypot(real[$0], imaginary[$0]) }
    guard let peak = (1..<size / 2).max(by: { magnitudes[$0] < magnitudes[$1] }), magnitudes[peak] > 0 else {
      return nil
    }
    // Under a Hann window the ratio of the two largest lines tells exactly where between them a tone is.
    let isRight = magnitudes[peak + 1] > magnitudes[peak - 1]
    let ratio = (isRight ? magnitudes[peak + 1] : magnitudes[peak - 1]) / magnitudes[peak]
    let offset = (2 * ratio - 1) / (ratio + 1)
    return (Double(peak) + (isRight ? offset : -offset)) * Double(format.sampleRate) / Double(size)
  }

  /// The level of a tone of a known frequency among others.
  ///
  /// - Parameters:
  ///   - frequency: In hertz.
  ///   - channel: Which channel.
  /// - Returns: Its peak in dBFS, as ``tone(_:level:for:format:)`` takes it; negative infinity when there is none.
  public func toneLevel(at frequency: Double, channel: Int = 0) -> Double {
    let values = self.channel(channel)
    let step = 2 * Double.pi * frequency / Double(format.sampleRate)
    var real = 0.0
    var imaginary = 0.0
    for (index, value) in values.enumerated() {
      let weighted = Double(value) * (1 - cos(2 * Double.pi * Double(index) / Double(values.count)))
      real += weighted * cos(step * Double(index))
      imaginary += weighted * sin(step * Double(index))
    }
    guard !values.isEmpty else { return -.infinity }
    return 20 * log10(2 * hypot(real, imaginary) / Double(values.count) / 32_767)
  }

  /// Whether a tone, and no stronger one, is heard somewhere for 100 ms without a hole: its frequency to 0.1 %, its
  /// level to 0.5 dB. For recordings on machines where a busy processor tears holes elsewhere.
  ///
  /// - Parameters:
  ///   - frequency: In hertz.
  ///   - level: Its peak in dBFS.
  ///   - channel: Which channel.
  /// - Returns: Whether that is so.
  public func hasTone(_ frequency: Double, level: Double, channel: Int = 0) -> Bool {
    let length = format.frames(in: .milliseconds(100))
    return stride(from: 0, through: frameCount - length, by: length).contains { frame in
      let part = frames(frame..<frame + length)
      guard abs(part.toneLevel(at: frequency, channel: channel) - level) < 0.5,
        let found = part.dominantFrequency(channel: channel)
      else { return false }
      return abs(found / frequency - 1) < 0.001
    }
  }

  /// Frames at which a steady tone is broken: a sample was lost, repeated or changed.
  ///
  /// A sine goes on as its last two samples say; what deviates from that is a click.
  ///
  /// - Parameters:
  ///   - frequency: The tone's, in hertz; by default the dominant one.
  ///   - tolerance: The deviation that is no click, in sample steps; rounding and a volume ramp make a few.
  ///   - channel: Which channel.
  /// - Returns: The first frame of each disturbance; disturbances less than 1 ms apart count as one.
  public func clicks(inTone frequency: Double? = nil, tolerance: Double = 64, channel: Int = 0) -> [Int] {
    guard let frequency = frequency ?? dominantFrequency(channel: channel) else { return [] }
    let values = self.channel(channel)
    let coefficient = 2 * cos(2 * Double.pi * frequency / Double(format.sampleRate))
    let distance = format.frames(in: .milliseconds(1))
    var found: [Int] = []
    var last = -distance - 1
    for index in values.indices.dropFirst(2) {
      let expected = coefficient * Double(values[index - 1]) - Double(values[index - 2])
      guard abs(Double(values[index]) - expected) > tolerance else { continue }
      if index - last > distance { found.append(index) }
      last = index
    }
    return found
  }
}

/// A fast Fourier transform in place (radix 2).
///
/// - Parameters:
///   - real: Real parts; the count is a power of two.
///   - imaginary: Imaginary parts, as many.
private func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
  let count = real.count
  var reversed = 0
  for index in 1..<count {
    var bit = count >> 1
    while reversed & bit != 0 {
      reversed ^= bit
      bit >>= 1
    }
    reversed |= bit
    if index < reversed {
      real.swapAt(index, reversed)
      imaginary.swapAt(index, reversed)
    }
  }
  var size = 2
  while size <= count {
    let half = size / 2
    let factors = (0..<half).map { index in
      let angle = -2 * Double.pi * Double(index) / Double(size)
      return (real: cos(angle), imaginary: sin(angle))
    }
    for block in stride(from: 0, to: count, by: size) {
      for index in 0..<half {
        let (upper, lower) = (block + index, block + index + half)
        let factor = factors[index]
        let r = real[lower] * factor.real - imaginary[lower] * factor.imaginary
        let i = real[lower] * factor.imaginary + imaginary[lower] * factor.real
        (real[lower], imaginary[lower]) = (real[upper] - r, imaginary[upper] - i)
        (real[upper], imaginary[upper]) = (real[upper] + r, imaginary[upper] + i)
      }
    }
    size *= 2
  }
}
