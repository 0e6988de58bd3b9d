#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  @testable import PulseBackend
  import Synchronization
  import Testing

  /// All tests that need a sound server run one after the other: they measure times, and two cores are not many.
  @Suite(.serialized, .timeLimit(.minutes(2))) enum PulseTests {}

  /// A private server and a backend that is its client.
  struct PulseRig {
    let server: any SoundServer
    let backend: PulseBackend

    /// Starts a server.
    init(_ kind: SoundServerKind = .pulseAudio, limits: PulseLimits = PulseLimits()) throws {
      try self.init(kind.start(), limits: limits)
    }

    /// Takes over a server.
    init(_ server: any SoundServer, limits: PulseLimits = PulseLimits()) {
      self.server = server
      backend = PulseBackend(server: server.serverString, application: Self.application, limits: limits)
    }

    static let application = ApplicationIdentity(id: "org.example.rig", name: "Rig Client", iconName: "phone")

    func stop() { server.stop() }

    /// Opens a stream of the rig's.
    func open(
      _ direction: AudioDirection, _ client: any AudioStreamClient, device: String? = nil, format: AudioFormat = .voice,
      latency: Duration? = nil, role: AudioStreamRole = .phone, name: String = "Rig Stream"
    ) throws -> any AudioStream {
      try backend.openStream(
        AudioStreamConfiguration(
          direction: direction, format: format, deviceID: device, latency: latency, role: role, name: name),
        client: client)
    }

    /// Our streams as the server sees them.
    func sinkInputs() throws -> [ServerSnapshot.Stream] { try server.sinkInputs(ofApplication: "Rig Client") }
    /// Our streams as the server sees them.
    func sourceOutputs() throws -> [ServerSnapshot.Stream] { try server.sourceOutputs(ofApplication: "Rig Client") }
  }

  /// Something that runs on a thread of its own.
  final class OwnThread<Value: Sendable>: Sendable {
    private final class State: Sendable {
      let hasBegun = Atomic<Bool>(false)
      let value = Locked<Value?>(nil)
    }
    private let state = State()
    private let thread: RealtimeThread

    init(_ body: @escaping @Sendable () -> Value) throws {
      thread = try RealtimeThread(name: "rig", scheduling: .normal) { [state] in
        state.hasBegun.store(true, ordering: .releasing)
        let value = body()
        state.value.withLock { $0 = value }
      }
    }

    /// Whether it runs by now.
    var hasBegun: Bool { state.hasBegun.load(ordering: .acquiring) }

    /// Waits for it.
    func result() throws -> Value {
      thread.join()
      return try #require(state.value.withLock { $0 })
    }
  }

  /// Runs something and tells how long it took.
  func time(_ body: () throws -> Void) rethrows -> Duration {
    let start = AudioInstant.now
    try body()
    return AudioInstant.now - start
  }

  /// The error that something throws.
  func failure(_ body: () throws -> Void) -> AudioDeviceError? {
    do {
      try body()
      return nil
    } catch {
      return error as? AudioDeviceError
    }
  }

  extension StreamProbe {
    /// Waits until so many periods more were captured or rendered than there are now.
    func waitForPeriods(_ count: Int, _ direction: AudioDirection, within limit: Duration = .seconds(5)) -> Bool {
      func periods() -> Int { direction == .capture ? capturedPeriods : renderedPeriods }
      let goal = periods() + count
      return eventually(within: limit + .milliseconds(10) * count) { periods() >= goal }
    }

    /// The losses that were told.
    var losses: [AudioDeviceError] {
      notices.compactMap { notice in
        if case .lost(let error) = notice { error } else { nil }
      }
    }
  }
#endif
