#if CallServices
  internal import AudioDeviceKit
  internal import RealtimeSupport

  /// Both buses of a desktop, on one thread of their own.
  ///
  /// All functions return at once, from any thread. What they lead to (answers, signals, connections) comes on the lane
  /// that was given, in order.
  final class BusThread: Sendable {
    /// Whom an answer is for.
    struct Reply: Sendable {
      /// Called once.
      let answer: @Sendable (Result<[BusValue], BusError>) -> Void
      /// Called when an answer comes after the limit, which has made ``answer`` fail already: for what must be undone.
      let late: (@Sendable ([BusValue]) -> Void)?
    }

    /// What others want of the thread.
    enum Command: Sendable {
      case call(Bus, BusMethod, Reply)
      case subscribe(Bus, String, @Sendable (BusSignal) -> Void)
      case delivered
      case close(by: AudioInstant)
    }

    private let lane: SerialLane
    private let inbox: Inbox
    private let thread: RealtimeThread

    /// Starts the thread, which connects at once and again whenever a bus comes.
    ///
    /// - Parameters:
    ///   - addresses: Where the buses are.
    ///   - lane: Where all is delivered.
    ///   - connectionChanged: Told when a bus has let us in, and when its connection ended.
    /// - Throws: ``SystemCallError`` when the process is out of threads or descriptors.
    init(
      _ addresses: [Bus: BusAddress], lane: SerialLane,
      connectionChanged: @escaping @Sendable (Bus, Bool) -> Void
    ) throws(SystemCallError) {
      let inbox = Inbox(wake: try WakeEvent())
      self.lane = lane
      self.inbox = inbox
      thread = try RealtimeThread(name: "call-services", scheduling: .normal) {
        BusLoop(addresses, inbox: inbox, lane: lane, connectionChanged: connectionChanged).run()
      }
    }

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - method: What to call; its limit begins now.
    ///   - bus: Where.
    ///   - answer: Called once, on the lane.
    ///   - late: What to do with an answer that comes after the limit.
    func call(
      _ method: BusMethod, on bus: Bus, answer: @escaping @Sendable (Result<[BusValue], BusError>) -> Void,
      late: (@Sendable ([BusValue]) -> Void)? = nil
    ) {
      inbox.post(.call(bus, method, Reply(answer: answer, late: late)))
    }

    /// Hears signals from now on, on every connection to the bus.
    ///
    /// - Parameters:
    ///   - rule: A D-Bus match rule.
    ///   - bus: Where.
    ///   - handler: Called on the lane.
    func subscribe(_ rule: String, on bus: Bus, _ handler: @escaping @Sendable (BusSignal) -> Void) {
      inbox.post(.subscribe(bus, rule, handler))
    }

    /// Ends the thread and its connections, when what was called is answered or the time is over. No call after it has
    /// an answer, but for those made when an answer is delivered.
    ///
    /// - Parameter limit: How long it may take.
    func close(within limit: Duration) { inbox.post(.close(by: .now + limit)) }

    /// Where the commands wait.
    final class Inbox: Sendable {
      let wake: WakeEvent
      private let commands = Locked<[Command]>([])

      init(wake: WakeEvent) { self.wake = wake }

      func post(_ command: Command) {
        commands.withLock { $0.append(command) }
        wake.signal()
      }

      func take() -> [Command] {
        wake.take()
        return commands.withLock { commands in
          defer { commands = [] }
          return commands
        }
      }
    }
  }
#endif
