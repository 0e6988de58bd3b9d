import AudioDeviceKit
import Synchronization

/// A backend that does something else than it is asked to, or takes its time.
final class AlteredBackend: AudioBackend {
  private let base: any AudioBackend
  private let alter: @Sendable (inout AudioStreamConfiguration) -> Void
  private let whenStarting: @Sendable (AlteredBackend) -> Void
  private let lists = Atomic<Int>(0)

  /// - Parameters:
  ///   - base: What works behind it.
  ///   - alter: What becomes of a stream's configuration.
  ///   - whenStarting: Called before a stream is started.
  init(
    _ base: any AudioBackend, alter: @escaping @Sendable (inout AudioStreamConfiguration) -> Void = { _ in },
    whenStarting: @escaping @Sendable (AlteredBackend) -> Void = { _ in }
  ) {
    self.base = base
    self.alter = alter
    self.whenStarting = whenStarting
  }

  /// How often the devices were asked for.
  var listCount: Int { lists.load(ordering: .relaxed) }

  var name: String { base.name }
  var isAvailable: Bool { base.isAvailable }

  func devices() throws(AudioDeviceError) -> [AudioDeviceInfo] {
    lists.wrappingAdd(1, ordering: .relaxed)
    return try base.devices()
  }

  func watchDevices(onChange: @escaping @Sendable () -> Void) throws(AudioDeviceError) -> any AudioDeviceWatch {
    try base.watchDevices(onChange: onChange)
  }

  func openStream(
    _ configuration: AudioStreamConfiguration, client: any AudioStreamClient
  ) throws(AudioDeviceError) -> any AudioStream {
    var configuration = configuration
    alter(&configuration)
    return Stream(try base.openStream(configuration, client: client)) { [self] in whenStarting(self) }
  }

  private final class Stream: AudioStream {
    private let base: any AudioStream
    private let whenStarting: @Sendable () -> Void

    init(_ base: any AudioStream, whenStarting: @escaping @Sendable () -> Void) {
      self.base = base
      self.whenStarting = whenStarting
    }

    var format: AudioFormat { base.format }
    var deviceID: String? { base.deviceID }
    var schedulingClass: SchedulingClass { base.schedulingClass }
    var latency: Duration { base.latency }
    var statistics: AudioDeviceStatistics.Direction { base.statistics }
    func start() throws(AudioDeviceError) {
      whenStarting()
      try base.start()
    }
    func close() { base.close() }
  }
}
