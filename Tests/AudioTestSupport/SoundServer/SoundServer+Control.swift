extension SoundServer {
  /// Runs `pactl` at this server.
  ///
  /// - Parameter arguments: As on a command line.
  /// - Returns: What it printed, without the newline at the end.
  /// - Throws: ``RigError`` with what it said when it fails.
  @discardableResult
  public func pactl(_ arguments: String...) throws -> String {
    try pactl(arguments)
  }

  private func pactl(_ arguments: [String]) throws -> String {
    var text = try Subprocess.check(["pactl"] + arguments, environment: environment)
    while text.last == "\n" { text.removeLast() }
    return text
  }

  /// Everything that the server has now.
  ///
  /// - Returns: Devices, streams and clients.
  /// - Throws: ``RigError``.
  public func snapshot() throws -> ServerSnapshot {
    try ServerSnapshot(json: pactl("--format=json", "list"))
  }

  /// Streams that play.
  ///
  /// - Parameters:
  ///   - processID: Only those of this process, such as `getpid()`.
  ///   - applicationName: Only those of this application.
  /// - Returns: The streams, the server's own left out when something was asked for.
  /// - Throws: ``RigError``.
  public func sinkInputs(
    ofProcess processID: Int32? = nil, ofApplication applicationName: String? = nil
  ) throws -> [ServerSnapshot.Stream] {
    try snapshot().sinkInputs.filter { stream in
      (processID == nil || stream.processID == processID)
        && (applicationName == nil || stream.applicationName == applicationName)
    }
  }

  /// Streams that record.
  ///
  /// - Parameters:
  ///   - processID: Only those of this process, such as `getpid()`.
  ///   - applicationName: Only those of this application.
  /// - Returns: The streams. `mic` itself has one that belongs to no process: it listens to `micfeed.monitor`.
  /// - Throws: ``RigError``.
  public func sourceOutputs(
    ofProcess processID: Int32? = nil, ofApplication applicationName: String? = nil
  ) throws -> [ServerSnapshot.Stream] {
    try snapshot().sourceOutputs.filter { stream in
      (processID == nil || stream.processID == processID)
        && (applicationName == nil || stream.applicationName == applicationName)
    }
  }

  /// Connections.
  ///
  /// - Parameters:
  ///   - processID: Only those of this process.
  ///   - applicationName: Only those of this application.
  /// - Returns: The clients; the `pactl` that asks is one itself.
  /// - Throws: ``RigError``.
  public func clients(
    ofProcess processID: Int32? = nil, ofApplication applicationName: String? = nil
  ) throws -> [ServerSnapshot.Client] {
    try snapshot().clients.filter { client in
      (processID == nil || client.processID == processID)
        && (applicationName == nil || client.applicationName == applicationName)
    }
  }

  /// Makes a sink the default.
  ///
  /// - Parameter name: Its name.
  /// - Throws: ``RigError``.
  public func setDefaultSink(_ name: String) throws { try pactl("set-default-sink", name) }

  /// Makes a source the default.
  ///
  /// - Parameter name: Its name.
  /// - Throws: ``RigError``.
  public func setDefaultSource(_ name: String) throws { try pactl("set-default-source", name) }

  /// The name of the default sink.
  ///
  /// - Returns: What the server says, `@DEFAULT_SINK@` when it has none.
  /// - Throws: ``RigError``.
  public func defaultSink() throws -> String { try pactl("get-default-sink") }

  /// The name of the default source.
  ///
  /// - Returns: What the server says, `@DEFAULT_SOURCE@` when it has none.
  /// - Throws: ``RigError``.
  public func defaultSource() throws -> String { try pactl("get-default-source") }

  /// Loads a module.
  ///
  /// - Parameters:
  ///   - name: Such as `module-null-sink`. PulseAudio's sinks want `norewinds=1`.
  ///   - arguments: Such as `sink_name=usb`.
  /// - Returns: Its number, for ``unloadModule(_:)``.
  /// - Throws: ``RigError`` when the server refuses.
  @discardableResult
  public func loadModule(_ name: String, _ arguments: String...) throws -> Int { try loadModule([name] + arguments) }

  /// Loads a module.
  ///
  /// - Parameter words: Its name and its arguments.
  /// - Returns: Its number, for ``unloadModule(_:)``.
  /// - Throws: ``RigError`` when the server refuses.
  @discardableResult
  public func loadModule(_ words: [String]) throws -> Int {
    let text = try pactl(["load-module"] + words)
    guard let index = Int(text) else { throw RigError("load-module \(words) printed \(text)") }
    return index
  }

  /// Unloads a module; a device goes as when it is unplugged.
  ///
  /// - Parameter index: Its number.
  /// - Throws: ``RigError``.
  public func unloadModule(_ index: Int) throws { try pactl("unload-module", String(index)) }

  /// The numbers of the modules that have a name, and some text among their arguments.
  ///
  /// - Parameters:
  ///   - name: Such as `module-null-sink`.
  ///   - text: Such as `sink_name=hdmi`.
  /// - Returns: Their numbers.
  /// - Throws: ``RigError``.
  public func modules(named name: String, containing text: String = "") throws -> [Int] {
    // The JSON list has no numbers.
    try pactl("list", "short", "modules").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[1] == name, text.isEmpty || fields[2].contains(text) else { return nil }
      return Int(fields[0])
    }
  }

  /// Suspends a sink or lets it work again. PipeWire's streams do not notice.
  ///
  /// - Parameters:
  ///   - name: The sink.
  ///   - isSuspended: What it shall be.
  /// - Throws: ``RigError``.
  public func suspendSink(_ name: String, _ isSuspended: Bool) throws {
    try pactl("suspend-sink", name, isSuspended ? "1" : "0")
  }

  /// Suspends a source or lets it work again. PipeWire's streams do not notice.
  ///
  /// - Parameters:
  ///   - name: The source.
  ///   - isSuspended: What it shall be.
  /// - Throws: ``RigError``.
  public func suspendSource(_ name: String, _ isSuspended: Bool) throws {
    try pactl("suspend-source", name, isSuspended ? "1" : "0")
  }

  /// Moves a playing stream to another sink, as a user does in a mixer.
  ///
  /// - Parameters:
  ///   - index: The stream's number.
  ///   - sink: The name of the sink.
  /// - Throws: ``RigError``.
  public func moveSinkInput(_ index: Int, to sink: String) throws {
    try pactl("move-sink-input", String(index), sink)
  }

  /// Moves a recording stream to another source.
  ///
  /// - Parameters:
  ///   - index: The stream's number.
  ///   - source: The name of the source.
  /// - Throws: ``RigError``.
  public func moveSourceOutput(_ index: Int, to source: String) throws {
    try pactl("move-source-output", String(index), source)
  }
}
