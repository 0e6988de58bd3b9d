/// The mute of one call: what is wished, what is in effect, and who waits.
struct MuteControl: Sendable {
  var throttle = MuteThrottle()
  /// What was wished last; nil when nothing was.
  var wish: Bool?
  /// The microphone was made silent for this call.
  var isEffective = false
  /// Those whose wish the delegate has not heard.
  var waiting: [@Sendable (CallError?) -> Void] = []
}
