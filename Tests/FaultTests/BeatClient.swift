import AudioDeviceKit
import AudioTestSupport
import RealtimeSupport

/// A client on the system's clock, behind a ``BufferedAudioBus``: each 10 ms it hands over a period and takes one, and
/// by a beat a second it knows how long a sound takes from it to the speaker, through the air, and back.
final class BeatClient: Sendable {
  /// What it has measured.
  struct Report: Sendable {
    /// The delay of each beat that was heard, in the order they came.
    var delays: [Duration] = []
    /// The most that waited in the bus, of each direction.
    var mostCaptured = Duration.zero
    var mostRendered = Duration.zero
    /// Frames that it asked for, and handed over.
    var frames = 0
  }
  private static let interval = AudioFormat.voice.sampleRate
  private static let loud: Int16 = 12_000
  private static let step = 24

  private let waiter: any ClockWaiter
  private let thread: RealtimeThread
  private let state: Locked<Report>

  /// Begins to work.
  init(_ bus: BufferedAudioBus) throws {
    let waiter = try SystemPeriodClock.shared.makeWaiter()
    let state = Locked(Report())
    self.waiter = waiter
    self.state = state
    thread = try RealtimeThread(name: "beat-client", scheduling: .normal) { Self.run(bus, waiter, state) }
  }

  /// Ends. At return the bus is left alone.
  func end() {
    waiter.wake()
    thread.join()
  }

  var report: Report { state.withLock { $0 } }

  private static func run(_ bus: BufferedAudioBus, _ waiter: any ClockWaiter, _ state: Locked<Report>) {
    let period = AudioFormat.voice.framesPerPeriod
    let beat = [Int16](repeating: loud, count: period)
    let rest = [Int16](repeating: 0, count: period)
    var heard = rest
    var quiet = 0
    var frame = 0
    var due = AudioInstant.now
    while waiter.wait(until: due) == .deadline {
      due = due + AudioFormat.voice.periodDuration
      _ = bus.writeRenderedFrames(frame % interval < 2 * period ? beat.span : rest.span)
      heard = rest
      var room = heard.mutableSpan
      _ = bus.readCapturedFrames(into: &room)
      var onset: Int?
      // One in so many, because a debug build is slow.
      for index in stride(from: 0, to: period, by: step) {
        if heard[index] < loud / 4 {
          quiet += step
        } else {
          if quiet > interval / 4 { onset = frame + index }
          quiet = 0
        }
      }
      frame += period
      state.withLock { report in
        if let onset { report.delays.append(AudioFormat.voice.duration(ofFrames: onset % interval)) }
        report.mostCaptured = max(report.mostCaptured, bus.captureBacklog)
        report.mostRendered = max(report.mostRendered, bus.renderBacklog)
        report.frames = frame
      }
    }
  }
}
