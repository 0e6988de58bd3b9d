internal import Glibc
internal import Synchronization

/// Measures the level of what goes by. One thread adds, an audio thread as a rule; another takes.
package final class LevelMeter: Sendable {
  /// What went by in a while, in decibels of full scale; -infinity for digital silence and for nothing at all.
  package struct Reading: Sendable {
    /// How many frames went by.
    package var frames = 0
    /// Of the largest sample, for each channel.
    package var peaks: [Double]
    /// The mean (RMS) level, for each channel; 0 for a square wave of full scale.
    package var means: [Double]

    /// Of the loudest channel.
    package var peak: Double { peaks.max() ?? -.infinity }
    /// Of the loudest channel.
    package var mean: Double { means.max() ?? -.infinity }
    /// Of the loudest channel, as a power: 1 for 0 dB.
    package var meanPower: Double { pow(10, mean / 10) }
  }

  private let channelCount: Int
  private let frames = Atomic<Int>(0)
  private let peaks = InlineArray<8, Atomic<Int>> { _ in Atomic(0) }
  private let squares = InlineArray<8, Atomic<Int>> { _ in Atomic(0) }

  /// A meter that has seen nothing.
  ///
  /// - Parameter channelCount: Channels of the samples, 1 … 8.
  package init(channelCount: Int) { self.channelCount = min(max(channelCount, 1), 8) }

  /// Measures a period. Neither blocks nor allocates.
  ///
  /// - Parameter samples: Interleaved, whole frames.
  package func add(_ samples: borrowing Span<Int16>) {
    for channel in 0..<channelCount {
      var peak = 0
      var sum = 0
      var index = channel
      while index < samples.count {
        let value = Int(samples[index])
        peak = max(peak, abs(value))
        sum &+= value * value
        index += channelCount
      }
      peaks[channel].max(peak, ordering: .relaxed)
      squares[channel].wrappingAdd(sum, ordering: .relaxed)
    }
    frames.wrappingAdd(samples.count / channelCount, ordering: .relaxed)
  }

  /// What was measured since the last call; the measuring begins anew.
  package func take() -> Reading {
    let frames = frames.exchange(0, ordering: .relaxed)
    var reading = Reading(frames: frames, peaks: [], means: [])
    for channel in 0..<channelCount {
      let peak = Double(peaks[channel].exchange(0, ordering: .relaxed)) / 32_768
      // A period may be added between the exchanges; what is divided by then only has to be no zero.
      let square = Double(squares[channel].exchange(0, ordering: .relaxed)) / Double(max(frames, 1))
      reading.peaks.append(decibels(power: peak * peak))
      reading.means.append(min(decibels(power: square / (32_768 * 32_768)), 0))
    }
    return reading
  }
}

/// Decibels of a power, 0 for 1.
package func decibels(power: Double) -> Double { 10 * log10(power) }
