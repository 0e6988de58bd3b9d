import Foundation
import RealtimeSupport

/// A process that offers a service on a private ``MessageBus``: a mock by python-dbusmock, or a real program.
public final class BusService: Sendable {
  /// Its well-known name.
  public let name: String
  /// The path of its main object.
  public let path: String
  private let bus: MessageBus
  private let log: String
  private let process: Subprocess

  /// The desktop's notifications (`org.freedesktop.Notifications`), from dbusmock's template.
  ///
  /// - Parameter bus: Where.
  /// - Returns: The service, which answers.
  /// - Throws: ``RigError``.
  public static func notifications(on bus: MessageBus) throws -> BusService {
    try BusService(
      mock: ["--template", "notification_daemon"], name: "org.freedesktop.Notifications",
      path: "/org/freedesktop/Notifications", on: bus)
  }

  /// logind (`org.freedesktop.login1`), from dbusmock's template, with the session `auto`.
  ///
  /// - Parameter bus: Where.
  /// - Returns: The service, which answers.
  /// - Throws: ``RigError``.
  public static func logind(on bus: MessageBus) throws -> BusService {
    let service = try BusService(
      mock: ["--template", "logind"], name: "org.freedesktop.login1", path: "/org/freedesktop/login1", on: bus)
    // The template forgets its locks: this one writes down when one is let go.
    let code =
      "import os, threading; r, w = os.pipe(); ret = dbus.types.UnixFd(w); os.close(w); "
      + "threading.Thread(target=lambda r=r, os=os, self=self: (os.read(r, 1), self.log('Released')), daemon=True).start()"
    try service.callMock("AddMethod", "'org.freedesktop.login1.Manager'", "'Inhibit'", "'ssss'", "'h'", "\"\(code)\"")
    try service.callMock("AddSession", "'auto'", "'seat0'", "uint32 1000", "'somebody'", "true")
    return service
  }

  /// A media player by the MPRIS interface, which pauses and plays when it is told to.
  ///
  /// - Parameters:
  ///   - name: What comes after `org.mpris.MediaPlayer2.`.
  ///   - status: `Playing`, `Paused` or `Stopped`.
  ///   - bus: Where.
  /// - Returns: The service, which answers.
  /// - Throws: ``RigError``.
  public static func player(_ name: String, _ status: String, on bus: MessageBus) throws -> BusService {
    let interface = "org.mpris.MediaPlayer2.Player"
    let name = "org.mpris.MediaPlayer2.\(name)"
    let path = "/org/mpris/MediaPlayer2"
    let service = try BusService(mock: ["--session", name, path, interface], name: name, path: path, on: bus)
    try service.callMock("AddProperty", "'\(interface)'", "'PlaybackStatus'", "<'\(status)'>")
    for (method, status) in [("Pause", "Paused"), ("Play", "Playing")] {
      let code = #"self.UpdateProperties("\#(interface)", {"PlaybackStatus": "\#(status)"})"#
      try service.callMock("AddMethod", "'\(interface)'", "'\(method)'", "''", "''", "'\(code)'")
    }
    return service
  }

  /// The real feedbackd (`org.sigxcpu.Feedback`). On a machine that cannot vibrate a feedback ends at once.
  ///
  /// - Parameter bus: Where.
  /// - Returns: The service, which answers.
  /// - Throws: ``RigError``.
  public static func feedbackd(on bus: MessageBus) throws -> BusService {
    try BusService(
      ["/usr/libexec/feedbackd"], name: "org.sigxcpu.Feedback", path: "/org/sigxcpu/Feedback", on: bus)
  }

  /// A mock of feedbackd, whose feedback lasts until it is ended, and which writes down what it is told.
  ///
  /// - Parameter bus: Where.
  /// - Returns: The service, which answers.
  /// - Throws: ``RigError``.
  public static func feedback(on bus: MessageBus) throws -> BusService {
    let name = "org.sigxcpu.Feedback"
    let path = "/org/sigxcpu/Feedback"
    let service = try BusService(mock: ["--session", name, path, name], name: name, path: path, on: bus)
    try service.callMock("AddMethod", "'\(name)'", "'TriggerFeedback'", "'ssa{sv}i'", "'u'", "'ret = 7'")
    try service.callMock("AddMethod", "'\(name)'", "'EndFeedback'", "'u'", "''", "''")
    return service
  }

  private convenience init(mock arguments: [String], name: String, path: String, on bus: MessageBus) throws {
    // Debian's own interpreter has the module.
    let log = "\(bus.folder)/\(name).calls"
    try? FileManager.default.removeItem(atPath: log)
    try self.init(
      ["/usr/bin/python3", "-m", "dbusmock", "--logfile", log] + arguments, name: name, path: path, on: bus)
  }

  private init(_ command: [String], name: String, path: String, on bus: MessageBus) throws {
    self.name = name
    self.path = path
    self.bus = bus
    log = "\(bus.folder)/\(name).calls"
    let output = "\(bus.folder)/\(name).log"
    let process = try Daemon(command, environment: bus.environment, logPath: output, socketPath: nil).process
    self.process = process
    let isUp = try eventually(within: .seconds(20)) { try bus.has(name) || !process.isRunning }
    guard isUp, process.isRunning else { throw RigError("\(name) did not come up:\n\(readText(output))") }
  }

  deinit { kill() }

  /// The calls that the mock has got, in their order, each a line such as `CloseNotification 1`.
  public var calls: [String] {
    readText(log).split(separator: "\n").compactMap { line in
      // A time comes first.
      line.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init)
    }
  }

  /// The calls of a method.
  ///
  /// - Parameter method: Its name.
  /// - Returns: The lines of them.
  public func calls(of method: String) -> [String] {
    calls.filter { $0 == method || $0.hasPrefix("\(method) ") }
  }

  /// Sends a signal from the mock.
  ///
  /// - Parameters:
  ///   - signal: Interface and name.
  ///   - signature: Of the arguments.
  ///   - arguments: An array of variants in GVariant's text form, such as `[<true>]`.
  ///   - path: Of another object than the main one.
  /// - Throws: ``RigError``.
  public func emit(_ signal: String, _ signature: String, _ arguments: String, at path: String? = nil) throws {
    let dot = signal.lastIndex(of: ".") ?? signal.startIndex
    try bus.call(
      "org.freedesktop.DBus.Mock.EmitSignal", at: path ?? self.path, of: name, "'\(signal[..<dot])'",
      "'\(signal[signal.index(after: dot)...])'", "'\(signature)'", arguments)
  }

  /// Calls a method of the mock itself.
  ///
  /// - Parameters:
  ///   - method: Its name.
  ///   - arguments: In GVariant's text form.
  /// - Throws: ``RigError``.
  public func callMock(_ method: String, _ arguments: String...) throws {
    _ = try Subprocess.check(
      ["gdbus", "call", "--address", bus.address, "--dest", name, "--object-path", path]
        + ["--method", "org.freedesktop.DBus.Mock.\(method)", "--"] + arguments, environment: bus.environment)
  }

  /// Reads a property.
  ///
  /// - Parameters:
  ///   - property: Its name.
  ///   - interface: Its interface.
  /// - Returns: The value in GVariant's text form, such as `(<'Playing'>,)`.
  /// - Throws: ``RigError``.
  public func property(_ property: String, of interface: String) throws -> String {
    try bus.call("org.freedesktop.DBus.Properties.Get", at: path, of: name, "'\(interface)'", "'\(property)'")
  }

  /// Kills it (`SIGKILL`).
  public func kill() { process.end() }

  /// Stops it (`SIGSTOP`): it has its name and does not answer.
  public func suspend() { process.send(SIGSTOP) }

  /// Lets it go on (`SIGCONT`).
  public func resume() { process.send(SIGCONT) }
}
