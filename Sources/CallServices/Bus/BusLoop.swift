#if CallServices
  internal import AudioDeviceKit
  internal import Glibc
  internal import RealtimeSupport

  /// What runs on the thread of the buses: one `poll` for both, for their deadlines, and for what others want.
  final class BusLoop {
    private let inbox: BusThread.Inbox
    private var connections: [Bus: BusConnection] = [:]
    /// What was delivered to the lane and has not been run there yet: it may lead to further calls.
    private let underway = Deliveries()
    private var closesBy: AudioInstant?

    private final class Deliveries { var count = 0 }

    init(
      _ addresses: [Bus: BusAddress], inbox: BusThread.Inbox, lane: SerialLane,
      connectionChanged: @escaping @Sendable (Bus, Bool) -> Void
    ) {
      self.inbox = inbox
      for bus in Bus.allCases {
        connections[bus] = BusConnection(
          bus, at: addresses[bus] ?? .none,
          deliver: { [underway] body in
            underway.count += 1
            lane.async {
              body()
              inbox.post(.delivered)
            }
          },
          connectionChanged: { connectionChanged(bus, $0) })
      }
    }

    func run() {
      while true {
        for command in inbox.take() { obey(command) }
        let now = AudioInstant.now
        for connection in connections.values { connection.work(at: now) }
        if let closesBy {
          let isBusy = underway.count > 0 || connections.values.contains { $0.isBusy }
          if !isBusy || now >= closesBy { break }
        }
        wait()
      }
      for connection in connections.values { connection.close() }
    }

    private func obey(_ command: BusThread.Command) {
      switch command {
      case .call(let bus, let method, let reply): connections[bus]?.call(method, reply: reply)
      case .subscribe(let bus, let rule, let handler): connections[bus]?.subscribe(rule, handler)
      case .delivered: underway.count -= 1
      case .close(let deadline): closesBy = deadline
      }
    }

    private func wait() {
      var requests = [pollfd(fd: inbox.wake.fileDescriptor, events: Int16(POLLIN), revents: 0)]
      requests += connections.values.compactMap(\.pollRequest)
      let deadline = (connections.values.compactMap(\.nextDeadline) + [closesBy].compactMap { $0 }).min()
      // Rounded up, so as not to wake just before it is time.
      let limit = deadline.map { max(0, ($0 - .now).wholeNanoseconds / 1_000_000 + 1) }
      _ = poll(&requests, nfds_t(requests.count), Int32(clamping: limit ?? -1))
    }
  }
#endif
