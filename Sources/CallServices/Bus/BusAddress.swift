#if CallServices
  internal import Foundation

  /// Which message bus is meant.
  public enum BusAddress: Sendable, Hashable {
    /// The session's or the machine's own, as the environment names it.
    case standard
    /// That of a D-Bus server address, such as `unix:path=/run/user/1000/bus`.
    case address(String)
    /// None: what needs the bus is left out.
    case none

    /// The address to connect to; nil when there is none. Looked up anew for each connection.
    ///
    /// - Parameter bus: The bus that is meant where the address is the standard one.
    /// - Returns: The address.
    func resolved(for bus: Bus) -> String? {
      switch self {
      case .none: return nil
      case .address(let address): return address
      case .standard: break
      }
      let environment = ProcessInfo.processInfo.environment
      switch bus {
      case .session:
        return environment["DBUS_SESSION_BUS_ADDRESS"]
          ?? environment["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" }
      case .system:
        return environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket"
      }
    }
  }

  /// The two buses of a desktop.
  enum Bus: Sendable, Hashable, CaseIterable {
    /// Of the user's session.
    case session
    /// Of the machine.
    case system
  }
#endif
