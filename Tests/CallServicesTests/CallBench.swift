#if CallServices
  import AudioDeviceKit
  import AudioTestSupport
  import Foundation
  import RealtimeSupport
  import Testing

  @testable import CallServices

  /// A provider on a private bus, with an audio device and an app in the test's hand.
  final class CallBench: Sendable {
    let bus: MessageBus?
    let manager = AudioDeviceManager()
    let device = ScriptedDevice()
    let ringer = ScriptedRinger()
    let app = ScriptedApp()
    let log: CallLog
    let provider: CallProvider
    let id = UUID()
    /// How long the machine has slept, as the provider is told.
    let asleep = Locked(Duration.zero)

    /// A bench.
    ///
    /// - Parameters:
    ///   - bus: The bus for both; nil for none at all.
    ///   - change: What is otherwise in the configuration.
    /// - Throws: What the provider throws.
    init(on bus: MessageBus? = nil, _ change: (inout CallProvider.Configuration) -> Void = { _ in }) throws {
      self.bus = bus
      var configuration = CallProvider.Configuration(applicationName: "Phone")
      configuration.desktopEntry = "org.example.Phone"
      configuration.sessionBus = bus.map { .address($0.address) } ?? .none
      configuration.systemBus = configuration.sessionBus
      configuration.vibrates = false
      change(&configuration)
      try manager.setAudioBus(SilentBus())
      try manager.setAudioDevice(device)
      try manager.startCapture()
      try manager.startRendering()
      provider = try CallProvider(
        configuration: configuration, manager: manager, ringer: ringer, delegate: app,
        timeAsleep: { [asleep] in asleep.withLock { $0 } })
      log = CallLog(provider)
    }

    /// Whether the call's devices are open.
    var hasAudio: Bool { device.isCapturing && device.isRendering }
    /// Whether none of them is.
    var isSilent: Bool { !device.isCapturing && !device.isRendering }

    /// Reports the call of ``id``.
    func ring(_ caller: String = "Ann", hasVideo: Bool = false) throws {
      try provider.reportIncomingCall(id: id, caller: caller, hasVideo: hasVideo)
    }

    /// Rings, answers, and waits for the audio.
    func connect() async throws {
      try ring()
      try await provider.request(.answer(id))
      #expect(await eventually { () async in hasAudio })
    }

    /// The states that the call was seen in.
    var states: [CallState] {
      log.events.compactMap { event in
        guard case .callChanged(let call) = event else { return nil }
        return call.state
      }
    }
  }

  /// A device whose opens and closes are seen.
  final class ScriptedDevice: AudioDevice {
    private let running = Locked((capture: false, render: false))
    let refusesCapture = Locked(false)

    var captureIsAvailable: Bool { true }
    var renderingIsAvailable: Bool { true }
    var isCapturing: Bool { running.withLock { $0.capture } }
    var isRendering: Bool { running.withLock { $0.render } }
    func setAudioBus(_ bus: (any AudioBus)?) {}
    func startCapture() throws(AudioDeviceError) {
      if refusesCapture.withLock({ $0 }) { throw AudioDeviceError(.deviceBusy, "Busy.") }
      running.withLock { $0.capture = true }
    }
    func stopCapture() { running.withLock { $0.capture = false } }
    func startRendering() throws(AudioDeviceError) { running.withLock { $0.render = true } }
    func stopRendering() { running.withLock { $0.render = false } }
  }

  /// A client that sends nothing.
  final class SilentBus: AudioBus {
    func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {}
    func readRenderData(into samples: inout MutableSpan<Int16>) -> Int { 0 }
  }

  /// A ringer that counts, and fails when it is told to.
  final class ScriptedRinger: CallRinger {
    private let state = Locked((isRinging: false, starts: 0))
    let failure = Locked<AudioDeviceError?>(nil)

    var isRinging: Bool { state.withLock { $0.isRinging } }
    var starts: Int { state.withLock { $0.starts } }
    func startRingtone() throws(AudioDeviceError) {
      state.withLock { $0.starts += 1 }
      if let failure = failure.withLock({ $0 }) { throw failure }
      state.withLock { $0.isRinging = true }
    }
    func stopRingtone() { state.withLock { $0.isRinging = false } }
  }

  /// An app that writes down what it is asked for, and does with it what the test says.
  final class ScriptedApp: CallProviderDelegate {
    struct Refusal: Error {}
    private let seen = Locked<[CallAction]>([])
    private let seenResets = Locked(0)
    /// What it does with an action before it has performed it.
    let script = Locked<(@Sendable (CallAction, Call) async throws -> Void)?>(nil)

    var actions: [CallAction] { seen.withLock { $0 } }
    var resets: Int { seenResets.withLock { $0 } }

    func provider(_ provider: CallProvider, perform action: CallAction, of call: Call) async throws {
      seen.withLock { $0.append(action) }
      try await script.withLock { $0 }?(action, call)
    }

    func providerDidReset(_ provider: CallProvider) { seenResets.withLock { $0 += 1 } }
  }

  /// What a provider tells, in the order it came.
  final class CallLog: Sendable {
    private let seen = Locked<[CallEvent]>([])
    private let isOver = Locked(false)
    private let listener: Task<Void, Never>

    init(_ provider: CallProvider) {
      let events = provider.events()
      listener = Task(executorPreference: OwnThreadExecutor()) { [seen, isOver] in
        for await event in events { seen.withLock { $0.append(event) } }
        isOver.withLock { $0 = true }
      }
    }

    deinit { listener.cancel() }

    var events: [CallEvent] { seen.withLock { $0 } }
    /// The provider will tell no more.
    var hasEnded: Bool { isOver.withLock { $0 } }

    func count(_ event: CallEvent) -> Int { events.filter { $0 == event }.count }

    /// What is missing, in the order it was told.
    var missing: [CallService] {
      events.compactMap { event in
        guard case .serviceMissing(let service, _) = event else { return nil }
        return service
      }
    }
  }

  /// A gate that a test opens for an action that waits.
  final class Latch: Sendable {
    private let isOpen = Locked(false)
    func open() { isOpen.withLock { $0 = true } }
    func wait() async { _ = await eventually(within: .seconds(60)) { () async in isOpen.withLock { $0 } } }
  }

  /// All that start daemons run one after the other.
  @Suite(.serialized, .timeLimit(.minutes(3))) enum CallServicesTests {}
#endif
