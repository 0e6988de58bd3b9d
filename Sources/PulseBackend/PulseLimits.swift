#if PulseAudio
  /// How long the backend waits for what.
  struct PulseLimits: Sendable {
    /// For the server to accept a connection.
    var connect = Duration.seconds(2)
    /// For the answer to any other request.
    var request = Duration.seconds(2)
    /// For the server to confirm that a stream is gone. Together with ``notice`` it keeps the 200 ms of `close()`.
    var close = Duration.milliseconds(150)
    /// For a client's or a watcher's handler to return, before `close()` or `cancel()` goes on without it.
    var notice = Duration.milliseconds(30)
    /// For changes of the devices to settle, before they are told.
    var settling = Duration.milliseconds(30)
    /// Between two tries to reach the server again, as long as somebody watches its devices.
    var reconnect = Duration.seconds(1)
    /// How often a running stream is looked at, to see whether any audio passed.
    var inspection = Duration.seconds(1)
    /// After how many such looks in a row without audio a running stream counts as lost.
    var silentInspections = 5
  }
#endif
