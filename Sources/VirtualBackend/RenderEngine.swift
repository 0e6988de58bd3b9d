internal import AudioDeviceCore
internal import Synchronization

/// Asks the client for periods and mixes them into a speaker's timeline, a fixed time ahead of now.
final class RenderEngine: PeriodEngine {
  let latency: Duration
  let tolerance: Duration

  /// The latency without a wish: four periods of 10 ms.
  static let defaultLatency = Duration.milliseconds(40)
  /// What a wish is clamped to. The least leaves room for two converters, each of which looks at most 5 ms ahead.
  static let latencyRange = Duration.milliseconds(20)...Duration.milliseconds(500)

  private let speaker: VirtualSpeaker
  private let timeline: SpeakerTimeline
  private let frameCount: Int
  private let period: UnsafeMutableBufferPointer<Int16>
  private let converted: UnsafeMutableBufferPointer<Int16>
  private let convertedFrameCount: Int
  private var converter: FormatConverter?
  private var recent: RecentFrames
  /// Whether what comes next follows what was mixed in last.
  private var isAligned = false

  /// - Parameters:
  ///   - speaker: Whose timeline it is.
  ///   - timeline: Where to mix.
  ///   - format: Of the client.
  ///   - wish: The wished latency.
  init(_ speaker: VirtualSpeaker, _ timeline: SpeakerTimeline, format: AudioFormat, latency wish: Duration?) {
    self.speaker = speaker
    self.timeline = timeline
    frameCount = format.framesPerPeriod
    let wished = min(max(wish ?? Self.defaultLatency, Self.latencyRange.lowerBound), Self.latencyRange.upperBound)
    let device = timeline.format
    latency = device.duration(ofFrames: device.frames(in: wished))
    period = .allocate(capacity: format.samplesPerPeriod)
    period.initialize(repeating: 0)
    var lookahead = Duration.zero
    if format == device {
      convertedFrameCount = 0
    } else {
      let converter = FormatConverter(from: format, to: device, maximumInput: frameCount)
      convertedFrameCount = frameCount * device.sampleRate / format.sampleRate + 2
      lookahead = format.duration(ofFrames: converter.lookahead)
      self.converter = consume converter
    }
    tolerance = latency - lookahead - LoopbackSource.maximumLookahead
    converted = .allocate(capacity: convertedFrameCount * device.channelCount)
    converted.initialize(repeating: 0)
    recent = RecentFrames(
      minimumCount: device.frames(in: latency) + 2 * device.framesPerPeriod + convertedFrameCount,
      channelCount: device.channelCount)
  }

  deinit {
    period.deallocate()
    converted.deallocate()
  }

  func exchange(_ client: any AudioStreamClient, _ pace: PeriodPace) -> Int {
    period.update(repeating: 0)
    var span = period.mutableSpan
    client.streamWillRender(&span)
    guard speaker.isHeard.load(ordering: .relaxed), let samples = period.baseAddress else {
      isAligned = false
      return 0
    }
    if !isAligned {
      // When the first frame of this period is to sound; never again where something of this stream sounds already.
      recent.moveEnd(to: timeline.position(at: pace.due + latency))
      converter?.reset()
      isAligned = true
    }
    if converter == nil {
      mix(samples, count: frameCount)
    } else if let output = converted.baseAddress {
      converter?.push(samples, count: frameCount)
      let count = converter?.pull(output, count: convertedFrameCount) ?? 0
      mix(output, count: count)
    }
    return 0
  }

  func skip(_ count: Int) { isAligned = false }

  /// Takes out what was mixed in for a time that has not come: a stream that is closed sounds no more.
  func end(at now: AudioInstant) {
    recent.forEach(from: timeline.position(at: now)) { samples, count, position in
      timeline.mix(samples, count: count, at: position, isAdded: false)
    }
  }

  private func mix(_ samples: UnsafePointer<Int16>, count: Int) {
    timeline.mix(samples, count: count, at: recent.end)
    recent.append(samples, count: count)
  }
}
