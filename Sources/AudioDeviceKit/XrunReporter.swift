/// Turns xruns, which are counted on audio threads, into events, which allocate: on a thread of its own.
final class XrunReporter: Sendable {
  private let event: WakeEvent
  private let thread: RealtimeThread

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - statistics: What the device counts; nil ends the thread.
  ///   - post: Takes the events.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when no thread can be made.
  init(
    statistics: @escaping @Sendable () -> AudioDeviceStatistics?,
    post: @escaping @Sendable (AudioDeviceEvent.Kind) -> Void
  ) throws(AudioDeviceError) {
    do throws(SystemCallError) {
      let event = try WakeEvent()
      self.event = event
      thread = try RealtimeThread(name: "audio-xruns", scheduling: .normal) {
        var last = statistics() ?? AudioDeviceStatistics()
        while true {
          guard event.wait(limit: .seconds(60)) else { continue }
          guard let now = statistics() else { return }
          for direction in AudioDirection.allCases where now[direction].xruns > last[direction].xruns {
            post(
              .xrun(
                direction, count: now[direction].xruns - last[direction].xruns,
                lostFrames: max(0, now[direction].lostFrames - last[direction].lostFrames)))
          }
          last = now
        }
      }
    } catch {
      throw AudioDeviceError(error, "No thread can be made to report xruns.")
    }
  }

  /// Says that something may have been counted. Any thread, audio threads included.
  func wake() { event.signal() }

  /// Waits until the thread has ended; its `statistics` must give nil by now.
  func finish() {
    event.signal()
    thread.join()
  }
}
