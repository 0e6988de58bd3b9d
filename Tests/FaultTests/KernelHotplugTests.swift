#if ALSA
  import AudioDeviceKit
  import AudioTestSupport
  import RealtimeSupport
  import Testing

  /// Cards that come and go beside a call, which is told.
  @Suite(.enabled(if: KernelCard.isLane), .serialized) struct KernelHotplugTests {
    /// How long after the kernel an event may come on a real machine: 100 ms of quiet, and a look at the cards, which
    /// is a few milliseconds there and up to half a second here.
    private static let limit = Duration.milliseconds(200)

    @Test(arguments: KernelCard.allCases) func isTold(card: KernelCard) async throws {
      let other = card == .hda ? KernelCard.usb : .hda
      let call = try ALSACall(
        output: .device("hw:CARD=\(other.rawValue),DEV=0", orDefault: false), latency: .milliseconds(300))
      defer { call.end() }
      let changes = ChangeLog(call.manager)
      defer { changes.end() }
      try call.manager.startRendering()
      #expect(await call.runs(.render))
      let look = try ContinuousClock().measure { _ = try call.manager.devices() }
      for isPresent in [false, true] {
        changes.clear()
        let kernel = try KernelEye(card, turns: isPresent)
        try isPresent ? card.replug() : card.unplug()
        #expect(await becomesTrue(within: .seconds(20)) { changes.time(of: card, isPresent) != nil })
        let told = try #require(changes.time(of: card, isPresent), "\(changes.story)")
        let delay = told - (try #require(kernel.time))
        print("\(card.rawValue) \(isPresent ? "came" : "went"): told after \(delay); a look takes \(look)")
        #expect(delay < Self.limit + look * 4)
        #expect(changes.count(of: card, isPresent) == 1, "\(changes.story)")
      }
      #expect(call.log.count("lost") == 0, "\(call.log.story)")
    }
  }

  /// Sees when the kernel has a card or no longer has it, to a millisecond.
  private final class KernelEye: Sendable {
    private let seen: Locked<AudioInstant?>
    private let thread: RealtimeThread

    init(_ card: KernelCard, turns isPresent: Bool) throws {
      let seen = Locked<AudioInstant?>(nil)
      self.seen = seen
      thread = try RealtimeThread(name: "kernel-eye") {
        guard let event = try? WakeEvent() else { return }
        let deadline = AudioInstant.now + .seconds(20)
        while card.isPresent != isPresent, AudioInstant.now < deadline { _ = event.wait(limit: .milliseconds(1)) }
        seen.withLock { $0 = .now }
      }
    }

    deinit { thread.join() }

    var time: AudioInstant? { seen.withLock { $0 } }
  }

  /// The device changes that a manager tells, and when.
  private final class ChangeLog: Sendable {
    private let seen = Locked<[(time: AudioInstant, change: AudioDeviceChange)]>([])
    private let listener: Task<Void, Never>

    init(_ manager: AudioDeviceManager) {
      let events = manager.events()
      listener = Task { [seen] in
        for await event in events {
          if case .devices(let change) = event.kind { seen.withLock { $0.append((event.time, change)) } }
        }
      }
    }

    func clear() { seen.withLock { $0 = [] } }
    func end() { listener.cancel() }

    /// When it was told that a card's speaker came or went.
    func time(of card: KernelCard, _ isPresent: Bool) -> AudioInstant? { times(of: card, isPresent).first }
    func count(of card: KernelCard, _ isPresent: Bool) -> Int { times(of: card, isPresent).count }
    var story: String { seen.withLock { $0.map { "\($0.change)" }.joined(separator: "; ") } }

    private func times(of card: KernelCard, _ isPresent: Bool) -> [AudioInstant] {
      let id = "hw:CARD=\(card.rawValue),DEV=0"
      return seen.withLock { seen in
        seen.compactMap { time, change in
          switch change {
          case .appeared(let device) where device.id == id && device.direction == .render: isPresent ? time : nil
          case .disappeared(let device) where device.id == id && device.direction == .render: isPresent ? nil : time
          default: nil
          }
        }
      }
    }
  }
#endif
