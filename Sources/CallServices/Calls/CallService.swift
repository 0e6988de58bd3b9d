/// What the desktop does for a call.
public enum CallService: String, Sendable, Hashable, CaseIterable {
  /// Shows the incoming call (`org.freedesktop.Notifications`).
  case notifications
  /// Vibrates (`org.sigxcpu.Feedback`).
  case feedback
  /// Tells of sleep, and waits with it (`org.freedesktop.login1`).
  case sleep
  /// Other players, which pause (`org.mpris.MediaPlayer2`).
  case players
}

/// Why a service does nothing for the call.
public enum CallServiceFailure: Error, Sendable, Hashable {
  /// There is no connection to its bus.
  case noBus
  /// Nobody offers it.
  case notOffered
  /// It does not answer.
  case timedOut
  /// It refuses, in its own words.
  case refused(String)
}
