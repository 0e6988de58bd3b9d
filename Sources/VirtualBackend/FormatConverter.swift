internal import AudioDeviceCore

/// Converts interleaved 16-bit sound from one format to another: first channels, then rate, then the rest of channels.
///
/// Channels: one goes to all; many become one by their mean; otherwise each keeps its place, surplus ones are dropped
/// and missing ones are silent. Rates: see ``SincResampler``. Between equal formats it is the identity, bit for bit.
///
/// Only the initialiser allocates. For one thread at a time.
struct FormatConverter: ~Copyable {
  /// Input frames behind its own position that an output frame needs.
  var lookahead: Int { resampler.lookahead }

  private let inputChannels: Int
  private let outputChannels: Int
  private let filteredChannels: Int
  private var resampler: SincResampler

  /// Makes a converter. Allocates.
  ///
  /// - Parameters:
  ///   - input: The format of what is pushed.
  ///   - output: The format of what is pulled.
  ///   - maximumInput: The most frames that are pushed before they are pulled.
  init(from input: AudioFormat, to output: AudioFormat, maximumInput: Int) {
    inputChannels = input.channelCount
    outputChannels = output.channelCount
    filteredChannels = min(inputChannels, outputChannels)
    resampler = SincResampler(
      inputRate: input.sampleRate, outputRate: output.sampleRate, channelCount: filteredChannels,
      maximumInput: maximumInput)
  }

  /// Forgets all input: the next frame that is pushed is the first.
  mutating func reset() { resampler.reset() }

  /// How many frames must be pushed before a number of frames can be pulled.
  func inputNeeded(forOutput count: Int) -> Int { resampler.inputNeeded(forOutput: count) }

  /// Appends frames. Takes no more than the promised maximum.
  ///
  /// - Parameters:
  ///   - input: Interleaved.
  ///   - count: Frames.
  mutating func push(_ input: UnsafePointer<Int16>, count: Int) {
    let channels = inputChannels
    let isMixed = filteredChannels == 1 && channels > 1
    for frame in 0..<min(count, resampler.availableInput) {
      let samples = input + frame * channels
      resampler.push { channel in
        guard isMixed else { return Float(samples[channel]) }
        var sum = 0
        for index in 0..<channels { sum += Int(samples[index]) }
        return Float(sum) / Float(channels)
      }
    }
  }

  /// Gives what can be given of a number of frames, rounded to the nearest and saturated.
  ///
  /// - Parameters:
  ///   - output: Interleaved room.
  ///   - count: Frames at the most.
  /// - Returns: Frames that were given.
  mutating func pull(_ output: UnsafeMutablePointer<Int16>, count: Int) -> Int {
    let available = min(count, resampler.availableOutput)
    let channels = outputChannels
    let filtered = filteredChannels
    resampler.pull(available) { frame, channel, sample in
      let samples = output + frame * channels
      let value = Int16(min(max(sample.rounded(), -32_768), 32_767))
      samples[channel] = value
      guard channel == filtered - 1, channels > filtered else { return }
      for rest in filtered..<channels { samples[rest] = filtered == 1 ? value : 0 }
    }
    return available
  }
}
