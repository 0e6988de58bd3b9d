internal import AudioDeviceCore

/// Hears what sounds at a speaker, a settable time later.
///
/// Where it converts, it looks ahead of its period: what will sound within the least latency of a stream is there
/// already.
final class LoopbackSource: PeriodSource {
  /// The most that a converter to any format looks ahead.
  static let maximumLookahead = Duration.milliseconds(5)

  private let timeline: SpeakerTimeline
  private let delay: Duration
  private let channelCount: Int
  /// Frames of the speaker, to be converted.
  private let heard: UnsafeMutableBufferPointer<Int16>
  private let heardFrameCount: Int
  private var converter: FormatConverter?
  private var position = 0
  /// Whether what comes next follows what was read last.
  private var isAligned = false

  /// - Parameters:
  ///   - timeline: Of the speaker.
  ///   - delay: From the speaker to the microphone; zero or more.
  ///   - format: Of the stream.
  init(_ timeline: SpeakerTimeline, delay: Duration, format: AudioFormat) {
    self.timeline = timeline
    self.delay = delay
    channelCount = format.channelCount
    let device = timeline.format
    if format == device {
      heardFrameCount = 0
    } else {
      let count = format.framesPerPeriod * device.sampleRate / format.sampleRate + 2
      let converter = FormatConverter(from: device, to: format, maximumInput: count)
      heardFrameCount = count + converter.lookahead
      self.converter = consume converter
    }
    heard = .allocate(capacity: heardFrameCount * device.channelCount)
    heard.initialize(repeating: 0)
  }

  deinit { heard.deallocate() }

  func fill(_ period: UnsafeMutableBufferPointer<Int16>, capturedAt time: AudioInstant) -> Int {
    if !isAligned {
      position = timeline.position(at: time + (.zero - delay))
      converter?.reset()
      isAligned = true
    }
    guard let output = period.baseAddress else { return 0 }
    let wanted = period.count / channelCount
    if converter == nil {
      timeline.read(output, count: wanted, at: position)
      position += wanted
      return 0
    }
    guard let input = heard.baseAddress else { return wanted }
    let needed = min(converter?.inputNeeded(forOutput: wanted) ?? 0, heardFrameCount)
    timeline.read(input, count: needed, at: position)
    position += needed
    converter?.push(input, count: needed)
    return wanted - (converter?.pull(output, count: wanted) ?? 0)
  }

  func skip(_ count: Int) { isAligned = false }
}
