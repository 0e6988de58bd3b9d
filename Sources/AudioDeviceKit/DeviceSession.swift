/// A device's part in the session of a call, and what was changed for it.
struct DeviceSession {
  var session: AudioSession?
  /// In the order in which they were made.
  var preparations: [any AudioSessionPreparation] = []
  /// The speaker whose level was raised.
  var raised: String?

  init(session: AudioSession? = nil) { self.session = session }

  /// Puts back what was changed, the last first.
  func end() {
    for preparation in preparations.reversed() { preparation.end() }
  }
}
