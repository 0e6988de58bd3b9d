#if ALSA
  import AudioDeviceKit
  import AudioTestSupport

  /// A call on ALSA devices of a name each.
  final class ALSACall: FaultCall, @unchecked Sendable {
    init(input: AudioRoute = .systemDefault, output: AudioRoute = .systemDefault, latency: Duration? = nil) throws {
      // The lane's machine is emulated.
      try super.init(
        .alsa, input: input, output: output, latency: latency,
        stopLimit: KernelCard.isLane ? .seconds(5) : .milliseconds(400))
    }
  }
#endif
