package import AudioDeviceKit

extension AudioDeviceManager {
  /// Frames of a direction that a device exchanged, and not the silence that stands in for one.
  package func flowedFrames(_ direction: AudioDirection) -> Int {
    let counted = statistics[direction]
    return counted.frames - counted.silentFrames
  }

  /// Waits until a device that was started has exchanged its first period: until then a manager feeds the bus silence,
  /// or drains it. Returns early when the command is to end, and gives up after two seconds.
  ///
  /// - Parameters:
  ///   - direction: Which.
  ///   - stop: Ends the wait.
  package func waitForFlow(_ direction: AudioDirection, _ stop: StopSignal) {
    let before = flowedFrames(direction)
    stop.repeating(every: .milliseconds(5), until: .now + .seconds(2)) { flowedFrames(direction) == before }
  }
}
