/// A method call, as a value.
struct BusMethod: Sendable, Hashable {
  /// The service's name, well-known or unique.
  var service: String
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue] = []
  /// How long the answer may take.
  var limit: Duration = .seconds(3)

  /// Reads a property.
  static func property(_ name: String, of interface: String, at path: String, on service: String) -> BusMethod {
    BusMethod(
      service: service, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
      arguments: [.string(interface), .string(name)])
  }
}

/// A signal, as a value.
struct BusSignal: Sendable, Hashable {
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue]
}

/// Why a call has no answer.
enum BusError: Error, Sendable, Hashable {
  /// There is no connection to the bus, or it ended meanwhile.
  case noConnection
  /// No answer came in time.
  case timedOut
  /// The other side answered with an error.
  case refused(name: String, message: String)
  /// The message cannot be made or sent: the library's negative `errno`.
  case unsendable(Int32)
}
