internal import AudioDeviceKit
internal import Synchronization
internal import WaveFile

/// A microphone that hears a WAV file, over and over.
final class FileMicrophone: @unchecked Sendable {
  // Unchecked: `position` and `period` belong to the thread that writes periods; the rest is constant or atomic.

  /// A minute of stereo takes 11 MB. A microphone that hears hours is better read ahead on a thread of its own.
  private static let longest = Duration.seconds(600)

  let format: AudioFormat
  private let sound: UnsafeMutableBufferPointer<Int16>
  private let period: UnsafeMutableBufferPointer<Int16>
  private var position = 0
  private let frames = Atomic<Int>(0)

  /// Reads the file into memory, since a disk has no place on an audio thread.
  ///
  /// - Parameter path: A WAVE file of at most ten minutes.
  /// - Throws: ``AudioDeviceError`` that names the file.
  init(path: String) throws(AudioDeviceError) {
    var file = try WaveReader(path: path)
    format = file.format
    guard file.frameCount > 0, file.frameCount <= format.frames(in: Self.longest) else {
      throw AudioDeviceError(
        .fileFormatNotSupported, "'\(path)' is empty or longer than ten minutes; give a shorter one.")
    }
    sound = .allocate(capacity: file.frameCount * format.channelCount)
    sound.initialize(repeating: 0)
    period = .allocate(capacity: format.samplesPerPeriod)
    period.initialize(repeating: 0)
    var samples = sound.mutableSpan
    _ = try file.read(into: &samples)
  }

  deinit {
    sound.deallocate()
    period.deallocate()
  }

  /// Frames that were heard.
  var frameCount: Int { frames.load(ordering: .relaxed) }

  /// Gives the next period to a bus. Audio thread: neither blocks nor allocates.
  ///
  /// - Parameters:
  ///   - bus: Who wants it.
  ///   - time: When its first frame was heard.
  func writePeriod(to bus: any AudioBus, capturedAt time: AudioInstant) {
    for index in period.indices {
      period[index] = sound[position]
      position = position + 1 < sound.count ? position + 1 : 0
    }
    frames.wrappingAdd(format.framesPerPeriod, ordering: .relaxed)
    bus.writeCaptureData(period.span, capturedAt: time)
  }
}
