/// Makes samples a little faster or slower, in a glide: what lets a ``BufferedAudioBus`` follow two clocks unheard.
///
/// A bus makes one per direction and calls it on the thread that reads that direction, the device's audio thread for
/// rendering. Only `init` may allocate; nothing may lock or block.
public protocol AudioRateCorrector: AnyObject, SendableMetatype {
  /// A corrector that holds nothing yet; nil when the library or the memory for it is not there, and the bus goes
  /// without. Allocates.
  ///
  /// - Parameters:
  ///   - format: Of input and output.
  ///   - maximumFrames: The most output frames that one call asks for.
  init?(format: AudioFormat, maximumFrames: Int)

  /// How many input frames beyond an output frame's own place are needed to make it. Does not change.
  var lookahead: Int { get }

  /// How many input frames were taken and not yet passed by the output, ``lookahead`` included: the corrector's own
  /// delay.
  var heldFrames: Double { get }

  /// Forgets what is held, as if nothing but silence had been there before.
  ///
  /// - Parameter silentFrames: How many frames of silence are held then, up to 100 ms and ``lookahead``.
  func restart(holding silentFrames: Int)

  /// How many input frames have to be given for so many output frames.
  ///
  /// - Parameters:
  ///   - frames: Output frames.
  ///   - speed: As for ``correct(_:into:speed:)``.
  /// - Returns: Input frames, 0 or more.
  func inputFrames(forOutput frames: Int, speed: Double) -> Int

  /// Makes output of input.
  ///
  /// - Parameters:
  ///   - input: Interleaved, whole frames, as many as ``inputFrames(forOutput:speed:)`` says.
  ///   - output: Filled wholly, with at most as many frames as `init` was told.
  ///   - speed: Input frames per output frame, 0.998 … 1.002. The speed glides there from that of the call before.
  func correct(_ input: borrowing Span<Int16>, into output: inout MutableSpan<Int16>, speed: Double)
}
