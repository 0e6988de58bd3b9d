import AudioDeviceKit
import AudioTestSupport
import RealtimeSupport

/// A client on the system's clock, behind a ``BufferedAudioBus``: each 10 ms it hands over a period and takes one, and
/// by a beat a second it knows how long a sound takes from it to the speaker, through the air, and back.
final class BeatClient: Sendable {
  /// What it has measured since it was told to forget.
  struct Report: Sendable {
    /// How long each beat that was heard was on its way, in the order they came.
    var delays: [Duration] = []
    /// Frames that it asked for, as many as it handed over.
    var frames = 0

    /// The middle one; no single stall of a busy machine changes it.
    var medianDelay: Duration { delays.isEmpty ? .zero : delays.sorted()[delays.count / 2] }
  }
  private static let loud: Int16 = 12_000

  private let waiter: any ClockWaiter
  private let thread: RealtimeThread
  private let state: Locked<Report>

  /// Begins to work.
  ///
  /// - Parameter bus: Of one format both ways, mono.
  /// - Throws: ``SystemCallError`` when there is no thread to be had.
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

  /// Forgets what was measured so far.
  func forget() { state.withLock { $0 = Report() } }

  var report: Report { state.withLock { $0 } }

  private static func run(_ bus: BufferedAudioBus, _ waiter: any ClockWaiter, _ state: Locked<Report>) {
    let format = bus.configuration.captureFormat
    let (period, interval, step) = (format.framesPerPeriod, format.sampleRate, format.framesPerPeriod / 20)
    let beat = [Int16](repeating: loud, count: period)
    let rest = [Int16](repeating: 0, count: period)
    var heard = rest
    var (quiet, frame) = (0, 0)
    var due = AudioInstant.now
    while waiter.wait(until: due) == .deadline {
      due = due + format.periodDuration
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
        if let onset { report.delays.append(format.duration(ofFrames: onset % interval)) }
        report.frames += period
      }
    }
  }
}
