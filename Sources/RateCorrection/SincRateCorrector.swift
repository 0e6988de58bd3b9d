#if RateCorrection
  public import AudioDeviceCore
  internal import CSampleRate

  /// Corrects the rate by windowed sincs, with libsamplerate.
  ///
  /// 16-bit samples come out as clean as they went in. What is lost is the top of the spectrum: above 80 % of half the
  /// sample rate from 44.1 kHz on, above 90 % at lower rates, where it is needed more. The delay is 0.5 ms at 48 kHz and
  /// 6 ms at 8 kHz. One thread at a time; only `init` and `deinit` call the heap.
  public final class SincRateCorrector: AudioRateCorrector {
    private let channels: Int
    private let maximumFrames: Int
    private let state: OpaquePointer
    private let capacity: Int
    private let input: UnsafeMutablePointer<Float>
    private let output: UnsafeMutablePointer<Float>
    /// Frames in `input` that the library has not taken.
    private var waiting = 0
    private var lastSpeed: Double?

    /// How many input frames beyond an output frame's own place are needed to make it: half the filter.
    public let lookahead: Int
    /// How many input frames were taken and not yet passed by the output, ``lookahead`` included.
    public private(set) var heldFrames = 0.0

    /// A corrector that holds nothing yet: `src_new`; nil when there is no memory for it. Allocates.
    ///
    /// - Parameters:
    ///   - format: Of input and output.
    ///   - maximumFrames: The most output frames that one call asks for.
    public init?(format: AudioFormat, maximumFrames: Int) {
      let quality = format.sampleRate < 44_100 ? SRC_SINC_MEDIUM_QUALITY : SRC_SINC_FASTEST
      var error: Int32 = 0
      guard let state = src_new(Int32(quality), Int32(format.channelCount), &error) else { return nil }
      self.state = state
      channels = format.channelCount
      self.maximumFrames = max(maximumFrames, 1)
      lookahead = Self.measureLookahead(of: state, channels: channels)
      // The silence of a restart, and the input of a call.
      capacity = format.sampleRate / 10 + 3 * lookahead + self.maximumFrames * 5 / 4
      input = .allocate(capacity: capacity * channels)
      input.initialize(repeating: 0, count: capacity * channels)
      output = .allocate(capacity: self.maximumFrames * channels)
      output.initialize(repeating: 0, count: self.maximumFrames * channels)
    }

    deinit {
      src_delete(state)
      input.deallocate()
      output.deallocate()
    }

    /// How many frames the library wants to see before it makes the first, at the speed at which it wants most.
    private static func measureLookahead(of state: OpaquePointer, channels: Int) -> Int {
      withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * channels) { samples in
        samples.initialize(repeating: 0)
        guard let frame = samples.baseAddress else { return 0 }
        var data = SRC_DATA()
        data.src_ratio = 1 / 1.002
        var frames = 0
        while data.output_frames_gen == 0, frames < 1000 {
          data.data_in = UnsafePointer(frame)
          data.input_frames = 1
          data.data_out = frame + channels
          data.output_frames = 1
          guard src_process(state, &data) == 0 else { break }
          frames += 1
        }
        src_reset(state)
        return frames
      }
    }

    /// Forgets what is held: `src_reset`.
    ///
    /// - Parameter silentFrames: How many frames of silence are held then, up to 100 ms and ``lookahead``.
    public func restart(holding silentFrames: Int) {
      src_reset(state)
      lastSpeed = nil
      waiting = min(max(silentFrames, 0), capacity)
      input.update(repeating: 0, count: waiting * channels)
      heldFrames = Double(waiting)
    }

    /// How many input frames have to be given for so many output frames.
    ///
    /// - Parameters:
    ///   - frames: Output frames.
    ///   - speed: Input frames per output frame, 0.998 … 1.002.
    /// - Returns: Input frames, 0 or more.
    public func inputFrames(forOutput frames: Int, speed: Double) -> Int {
      let passed = Double(frames) * ((lastSpeed ?? speed) + speed) / 2
      return max(0, Int((passed + Double(lookahead) - heldFrames).rounded(.up)))
    }

    /// Makes output of input: `src_process`, whose ratio goes to the new one in a straight line.
    ///
    /// - Parameters:
    ///   - input: Interleaved, whole frames, as many as ``inputFrames(forOutput:speed:)`` says.
    ///   - output: Filled wholly, with at most as many frames as `init` was told.
    ///   - speed: Input frames per output frame, 0.998 … 1.002.
    public func correct(_ input: borrowing Span<Int16>, into output: inout MutableSpan<Int16>, speed: Double) {
      let given = min(input.count / channels, capacity - waiting)
      input.withUnsafeBufferPointer { samples in
        guard let base = samples.baseAddress else { return }
        src_short_to_float_array(base, self.input + waiting * channels, Int32(given * channels))
      }
      waiting += given
      let wanted = min(output.count / channels, maximumFrames)
      process(wanted, speed: speed)
      output.withUnsafeMutableBufferPointer { samples in
        guard let base = samples.baseAddress else { return }
        src_float_to_short_array(self.output, base, Int32(wanted * channels))
      }
      heldFrames += Double(given) - Double(wanted) * ((lastSpeed ?? speed) + speed) / 2
      lastSpeed = speed
    }

    /// `src_process` until so many frames are in `output`.
    private func process(_ wanted: Int, speed: Double) {
      var data = SRC_DATA()
      data.src_ratio = 1 / speed
      var made = 0
      var used = 0
      while made < wanted {
        data.data_in = UnsafePointer(input + used * channels)
        data.input_frames = waiting - used
        data.data_out = output + made * channels
        data.output_frames = wanted - made
        guard src_process(state, &data) == 0, data.output_frames_gen + data.input_frames_used > 0 else { break }
        made += data.output_frames_gen
        used += data.input_frames_used
      }
      (output + made * channels).update(repeating: 0, count: (wanted - made) * channels)
      waiting -= used
      // Forwards, over itself.
      input.update(from: input + used * channels, count: waiting * channels)
    }
  }
#endif
