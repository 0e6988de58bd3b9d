#if CallServices
  internal import AudioDeviceKit
  internal import Foundation
  internal import Glibc
  internal import RealtimeSupport

  /// Sleep of the machine and locking of the screen, as logind tells them (`org.freedesktop.login1`). On the lane.
  ///
  /// During a call a lock of the kind `delay` is held, so that the machine waits with its sleep until the audio has been
  /// given up, for as long as it is set to (5 s).
  final class SleepWatch: @unchecked Sendable {
    // Unchecked: what varies is touched on the lane alone.

    /// What is told.
    enum Notice: Sendable, Hashable {
      /// The machine is about to sleep, and waits for ``SleepWatch/letSleep()``.
      case fallsAsleep
      /// It woke up.
      case wokeUp(asleep: Duration)
      case screenLocked(Bool)
    }

    private static let name = "org.freedesktop.login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"
    private static let path = "/org/freedesktop/login1"

    private let client: ServiceClient
    private let lock: HeldService<UUID, BusDescriptor>
    private let told: @Sendable (Notice) -> Void
    private let timeAsleep: @Sendable () -> Duration
    private var call: UUID?
    /// The time asleep before this sleep; nil while awake.
    private var asleepBefore: Duration?
    private var sessionPath: String?
    private var isLocked = false

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - client: The buses.
    ///   - applicationName: Whom logind is to name as the reason why it waits.
    ///   - timeAsleep: How long the machine has been asleep since it booted.
    ///   - told: What is told.
    init(
      _ client: ServiceClient, applicationName: String, timeAsleep: @escaping @Sendable () -> Duration,
      told: @escaping @Sendable (Notice) -> Void
    ) {
      self.client = client
      self.told = told
      self.timeAsleep = timeAsleep
      lock = HeldService(
        client,
        HeldService.Dialogue(
          service: .sleep, bus: .system,
          ask: { _, _ in
            Self.method(
              "Inhibit",
              [.string("sleep"), .string(applicationName), .string("A call is in progress"), .string("delay")])
          },
          token: { values in
            guard case .descriptor(let descriptor)? = values.first else { return nil }
            return descriptor
          },
          giveBack: { _ in nil }))
      client.watch(Self.name, on: .system) { [weak self] in self?.serviceChanged(isThere: $0) }
      let signals = "type='signal',sender='\(Self.name)',interface="
      client.subscribe(signals + "'\(Self.manager)',member='PrepareForSleep'", on: .system) { [weak self] in
        if let isComing = $0.arguments.first?.flag { self?.sleep(isComing) }
      }
      client.subscribe(signals + "'\(Self.session)'", on: .system) { [weak self] in
        switch $0.member {
        case "Lock": self?.screen(isLocked: true, of: $0.path)
        case "Unlock": self?.screen(isLocked: false, of: $0.path)
        default: break
        }
      }
      client.subscribe(
        signals + "'org.freedesktop.DBus.Properties',member='PropertiesChanged',arg0='\(Self.session)'", on: .system
      ) { [weak self] in
        guard $0.arguments.count > 1, case .dictionary(let changed) = $0.arguments[1],
          let isLocked = changed["LockedHint"]?.flag
        else { return }
        self?.screen(isLocked: isLocked, of: $0.path)
      }
    }

    /// `CLOCK_BOOTTIME` goes on while the machine sleeps, and `CLOCK_MONOTONIC` does not.
    static func systemTimeAsleep() -> Duration {
      func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
      }
      return read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC)
    }

    /// Makes the machine wait with its sleep for a call, or no longer.
    func wait(for call: UUID?) {
      self.call = call
      if asleepBefore == nil { lock.set(call) }
    }

    /// Lets it sleep now.
    func letSleep() {
      if asleepBefore != nil { lock.set(nil) }
    }

    private func sleep(_ isComing: Bool) {
      guard isComing != (asleepBefore != nil) else { return }
      if isComing {
        asleepBefore = timeAsleep()
        told(.fallsAsleep)
      } else {
        let before = asleepBefore.take() ?? .zero
        lock.set(call)
        told(.wokeUp(asleep: timeAsleep() - before))
      }
    }

    private func screen(isLocked: Bool, of path: String) {
      guard path == sessionPath, isLocked != self.isLocked else { return }
      self.isLocked = isLocked
      told(.screenLocked(isLocked))
    }

    private func serviceChanged(isThere: Bool) {
      lock.serviceChanged(isThere: isThere)
      guard isThere else { return }
      // That of the caller, or else the one that its user looks at; none has a service of the machine.
      client.ask(Self.method("GetSession", [.string("auto")]), on: .system) { [weak self] values in
        self?.sessionPath = values?.first?.text
      }
      // The end of the sleep may have been told while nobody listened.
      guard asleepBefore != nil else { return }
      client.ask(.property("PreparingForSleep", of: Self.manager, at: Self.path, on: Self.name), on: .system) {
        [weak self] values in
        if values?.first?.inner?.flag == false { self?.sleep(false) }
      }
    }

    private static func method(_ member: String, _ arguments: [BusValue]) -> BusMethod {
      BusMethod(service: name, path: path, interface: manager, member: member, arguments: arguments)
    }
  }
#endif
