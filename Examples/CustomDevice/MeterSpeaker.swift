internal import AudioDeviceKit
internal import CommandLineSupport
internal import Synchronization

/// A speaker that sounds to nobody and shows how loud it would.
final class MeterSpeaker: @unchecked Sendable {
  // Unchecked: `period` belongs to the thread that renders; the rest is constant or atomic.

  let format: AudioFormat
  let meter: LevelMeter
  private let period: UnsafeMutableBufferPointer<Int16>
  private let frames = Atomic<Int>(0)
  private let missing = Atomic<Int>(0)

  /// A speaker of a format.
  init(format: AudioFormat) {
    self.format = format
    meter = LevelMeter(channelCount: format.channelCount)
    period = .allocate(capacity: format.samplesPerPeriod)
    period.initialize(repeating: 0)
  }

  deinit { period.deallocate() }

  /// Frames that were sounded.
  var frameCount: Int { frames.load(ordering: .relaxed) }
  /// Frames that the bus did not give, and that were silence.
  var missingFrameCount: Int { missing.load(ordering: .relaxed) }

  /// Takes the next period from a bus. Audio thread: neither blocks nor allocates.
  ///
  /// - Parameter bus: Who has it.
  func renderPeriod(from bus: any AudioBus) {
    var samples = period.mutableSpan
    let wanted = format.framesPerPeriod
    let given = min(max(bus.readRenderData(into: &samples), 0), wanted)
    for index in (given * format.channelCount)..<samples.count { samples[index] = 0 }
    frames.wrappingAdd(given, ordering: .relaxed)
    missing.wrappingAdd(wanted - given, ordering: .relaxed)
    meter.add(samples.span)
  }
}
