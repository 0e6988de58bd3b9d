public import AudioDeviceCore

/// Samples with their format: what tests play, record and measure.
public struct Signal: Sendable, Hashable {
  /// Interleaved.
  public var samples: [Int16]
  /// Their format.
  public let format: AudioFormat

  /// A signal of samples that somebody has.
  ///
  /// - Parameters:
  ///   - samples: Interleaved; what is left over of a last frame is dropped.
  ///   - format: Their format.
  public init(_ samples: [Int16], format: AudioFormat) {
    self.samples = samples
    self.samples.removeLast(samples.count % format.channelCount)
    self.format = format
  }

  /// A signal of raw bytes (`s16le`).
  ///
  /// - Parameters:
  ///   - bytes: Interleaved; what is left over of a last frame is dropped.
  ///   - format: Their format.
  public init(littleEndian bytes: [UInt8], format: AudioFormat) {
    let samples = [Int16](unsafeUninitializedCapacity: bytes.count / 2) { buffer, count in
      UnsafeMutableRawBufferPointer(buffer).copyBytes(from: bytes.prefix(bytes.count & ~1))
      count = bytes.count / 2
    }
    self.init(samples.map(Int16.init(littleEndian:)), format: format)
  }

  /// How many frames it has.
  public var frameCount: Int { samples.count / format.channelCount }

  /// How long it lasts.
  public var duration: Duration { format.duration(ofFrames: frameCount) }

  /// A part of it.
  ///
  /// - Parameter range: Frames; cut to what there is.
  /// - Returns: The part.
  public func frames(_ range: Range<Int>) -> Signal {
    let range = range.clamped(to: 0..<frameCount)
    let channels = format.channelCount
    return Signal(Array(samples[range.lowerBound * channels..<range.upperBound * channels]), format: format)
  }

  /// One channel of it.
  ///
  /// - Parameter index: From 0 on.
  /// - Returns: The channel's samples; all zero when there is no such channel.
  public func channel(_ index: Int) -> [Int16] {
    guard index >= 0, index < format.channelCount else { return [Int16](repeating: 0, count: frameCount) }
    return stride(from: index, to: samples.count, by: format.channelCount).map { samples[$0] }
  }

  /// One signal after another; the second must have the same format.
  public static func + (lhs: Signal, rhs: Signal) -> Signal {
    precondition(lhs.format == rhs.format, "signals of different formats")
    return Signal(lhs.samples + rhs.samples, format: lhs.format)
  }

  /// The first place where another signal occurs, sample by sample.
  ///
  /// - Parameter part: What to look for.
  /// - Returns: The frame where it begins; nil when it does not occur.
  public func firstOccurrence(of part: Signal) -> Int? {
    guard part.format == format, part.frameCount > 0, part.frameCount <= frameCount else { return nil }
    let channels = format.channelCount
    return (0...frameCount - part.frameCount).first { frame in
      part.samples.indices.allSatisfy { samples[frame * channels + $0] == part.samples[$0] }
    }
  }
}
