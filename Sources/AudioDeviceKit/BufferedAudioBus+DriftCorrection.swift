#if RateCorrection
  @_exported public import RateCorrection
#endif

extension BufferedAudioBus {
  /// A bus for a call: 48 kHz mono both ways, and its delay does not drift.
  ///
  /// Allocates; nothing later does.
  public convenience init() { self.init(captureFormat: .voice, renderFormat: .voice) }

  /// A bus for a call, whose delay does not drift: the rate is corrected where the package was built with the trait
  /// `RateCorrection`. Allocates; nothing later does.
  ///
  /// - Parameters:
  ///   - captureFormat: Of what the client reads.
  ///   - renderFormat: Of what the client writes.
  ///   - targetBacklog: What stays in a ring after each read.
  ///   - maximumBacklog: What is dropped at once when exceeded.
  ///   - clock: Tells the corrector when frames came and went.
  public convenience init(
    captureFormat: AudioFormat, renderFormat: AudioFormat, targetBacklog: Duration = .milliseconds(10),
    maximumBacklog: Duration = .milliseconds(100), clock: any PeriodClock = SystemPeriodClock.shared
  ) {
    var configuration = Configuration(
      captureFormat: captureFormat, renderFormat: renderFormat, targetBacklog: targetBacklog,
      maximumBacklog: maximumBacklog)
    #if RateCorrection
      configuration.rateCorrector = SincRateCorrector.self
    #endif
    self.init(configuration, clock: clock)
  }
}
