/// From the error of a delay to the speed that removes it: the rules alone.
///
/// A PI controller, critically damped, with a time constant of about thirteen seconds: clocks that are 500 ppm apart
/// make an error of 2.5 ms once, and none when the integral has learned the drift. The speed then takes two seconds to
/// follow, so that no measurement is heard as a step. 0.2 % is 3.5 cents of pitch, below what people notice.
struct DriftController {
  /// How far the speed may be from 1.
  static let limit = 0.002
  private static let proportional = 0.15  // per second
  private static let integral = proportional * proportional / 4
  private static let smoothing = 2.0  // seconds

  private var learned = 0.0
  private var correction = 0.0

  /// Input frames per output frame, 0.998 … 1.002.
  var speed: Double { 1 + correction }

  /// The next step.
  ///
  /// - Parameters:
  ///   - error: By how many seconds the delay is too long.
  ///   - elapsed: Seconds since the step before.
  mutating func update(error: Double, elapsed: Double) {
    let wish = Self.proportional * error + learned
    // At the limit nothing is to be learned: the error says how much there was to catch up, not how fast clocks run.
    if abs(wish) < Self.limit { learned += Self.integral * error * elapsed }
    let next = min(max(wish, -Self.limit), Self.limit)
    correction += (next - correction) * min(elapsed / Self.smoothing, 1)
  }
}
