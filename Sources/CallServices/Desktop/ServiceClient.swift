#if CallServices
  internal import AudioDeviceKit
  internal import RealtimeSupport

  /// The buses as the services of the desktop use them: it keeps account of what is missing. On the lane.
  final class ServiceClient: @unchecked Sendable {
    // Unchecked: what varies is touched on the lane alone.

    private let buses: BusThread
    private let missing: @Sendable (CallService, CallServiceFailure?) -> Void
    private var connectionHandlers: [Bus: [(Bool) -> Void]] = [:]

    /// A client whose buses connect at once.
    ///
    /// - Parameters:
    ///   - addresses: Where the buses are.
    ///   - lane: Where everything happens.
    ///   - missing: Told what a service failed with, and that it works (nil), each time.
    /// - Returns: The client.
    /// - Throws: ``SystemCallError`` when the process is out of threads or descriptors.
    static func make(
      _ addresses: [Bus: BusAddress], lane: SerialLane,
      missing: @escaping @Sendable (CallService, CallServiceFailure?) -> Void
    ) throws(SystemCallError) -> ServiceClient {
      let target = WeakClient()
      let buses = try BusThread(addresses, lane: lane) { bus, isConnected in
        for handler in target.client?.connectionHandlers[bus] ?? [] { handler(isConnected) }
      }
      let client = ServiceClient(buses, missing: missing)
      // Delivered on the lane, where nothing is before this returns.
      lane.sync { target.client = client }
      return client
    }

    private final class WeakClient: @unchecked Sendable {
      // Unchecked: touched on the lane alone.
      weak var client: ServiceClient?
    }

    private init(_ buses: BusThread, missing: @escaping @Sendable (CallService, CallServiceFailure?) -> Void) {
      self.buses = buses
      self.missing = missing
    }

    /// Calls a method for a service.
    ///
    /// - Parameters:
    ///   - method: What to call.
    ///   - service: Whose working it shows.
    ///   - bus: Where.
    ///   - answer: Given the answer, or nil when there is none.
    ///   - late: What to do with an answer that comes after the limit.
    func call(
      _ method: BusMethod, for service: CallService, on bus: Bus,
      answer: @escaping @Sendable ([BusValue]?) -> Void = { _ in }, late: (@Sendable ([BusValue]) -> Void)? = nil
    ) {
      buses.call(
        method, on: bus,
        answer: { [missing] result in
          switch result {
          case .success(let values):
            missing(service, nil)
            answer(values)
          case .failure(let error):
            missing(service, CallServiceFailure(error))
            answer(nil)
          }
        }, late: late)
    }

    /// Asks for something that may well fail without anything being wrong.
    func ask(_ method: BusMethod, on bus: Bus, answer: @escaping @Sendable ([BusValue]?) -> Void) {
      buses.call(method, on: bus) { answer(try? $0.get()) }
    }

    /// Hears signals, on every connection.
    func subscribe(_ rule: String, on bus: Bus, _ handler: @escaping @Sendable (BusSignal) -> Void) {
      buses.subscribe(rule, on: bus, handler)
    }

    /// Hears of a service that comes and goes, by itself or with its bus.
    ///
    /// - Parameters:
    ///   - name: Its well-known name.
    ///   - bus: Where.
    ///   - handler: Told that the service went, or that it may be there now.
    func watch(_ name: String, on bus: Bus, _ handler: @escaping @Sendable (Bool) -> Void) {
      connectionHandlers[bus, default: []].append(handler)
      subscribe(
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged'"
          + ",arg0='\(name)'", on: bus
      ) { signal in
        guard signal.arguments.count == 3, let old = signal.arguments[1].text, let new = signal.arguments[2].text
        else { return }
        if !old.isEmpty { handler(false) }
        if !new.isEmpty { handler(true) }
      }
    }

    /// Ends both connections once everything has been said.
    func close() {
      // They hold those who hold us.
      connectionHandlers = [:]
      buses.close(within: .seconds(1))
    }
  }

  extension CallServiceFailure {
    /// What a failed call says about the service.
    init(_ error: BusError) {
      switch error {
      case .noConnection: self = .noBus
      case .timedOut: self = .timedOut
      case .unsendable(let number): self = .refused("error \(number)")
      case .refused(let name, let message):
        switch name {
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
          "org.freedesktop.DBus.Error.Spawn.ServiceNotFound":
          self = .notOffered
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.TimedOut",
          "org.freedesktop.DBus.Error.Timeout":
          self = .timedOut
        case "org.freedesktop.DBus.Error.Disconnected": self = .noBus
        default: self = .refused("\(name): \(message)")
        }
      }
    }
  }
#endif
