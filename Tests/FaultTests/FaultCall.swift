import AudioDeviceKit
import AudioTestSupport
import Foundation
import RealtimeSupport
import Testing

/// A call whose client hears itself where the devices let it, and what happens to it.
class FaultCall: @unchecked Sendable {
  // Unchecked, for subclasses alone: all stored properties are constants that are safe to share.

  /// Whether what takes long is tested as well: `Tests/run --faults`.
  static let isFull = ProcessInfo.processInfo.environment["AUDIODEVICEKIT_FAULTS"] != nil
  /// Whether the processor's time of this process is a call's: no other suite was asked for, and no sanitizer works too.
  private static let isAlone = CommandLine.arguments.contains { $0.contains("FaultTests") } && HeapCalls.areCounted

  let manager = AudioDeviceManager()
  let bus = LoopBus()
  let device: DefaultAudioDevice
  let log: EventLog
  private let stopLimit: Duration

  /// A call that was not started yet.
  ///
  /// - Parameters:
  ///   - backend: On what.
  ///   - input: The microphone.
  ///   - output: The speaker.
  ///   - latency: The wish.
  ///   - stopLimit: How long each direction may take to stop.
  /// - Throws: What the manager throws.
  init(
    _ backend: BackendChoice, input: AudioRoute, output: AudioRoute, latency: Duration? = nil,
    stopLimit: Duration = .milliseconds(400)
  ) throws {
    var configuration = DefaultAudioDevice.Configuration()
    configuration.backend = backend
    configuration.inputRoute = input
    configuration.outputRoute = output
    configuration.latency = latency
    device = DefaultAudioDevice(configuration)
    log = EventLog(manager)
    self.stopLimit = stopLimit
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(device)
  }

  /// Starts a direction.
  func start(_ direction: AudioDirection) throws(AudioDeviceError) {
    if direction == .capture { try manager.startCapture() } else { try manager.startRendering() }
  }

  /// Ends the call. Each direction stops within 200 ms, whatever the server or the device does.
  func end() {
    for stop in [manager.stopCapture, manager.stopRendering] {
      let start = AudioInstant.now
      stop()
      // What the machine itself holds up is not the call's.
      #expect(AudioInstant.now - start < stopLimit)
    }
    try? manager.setAudioDevice(nil)
    log.end()
  }

  // MARK: What happened

  /// Forgets the events so far.
  func forgetEvents() { log.clear() }

  /// How many events there are of a name and a direction since the last look.
  func count(_ name: String, _ direction: AudioDirection? = nil) -> Int { log.count(name, direction) }

  /// All events since the last look, for messages.
  var story: String { log.story }

  /// Whether a direction is wished.
  func isWished(_ direction: AudioDirection) -> Bool {
    direction == .capture ? manager.gates.captureIsWished : manager.gates.renderingIsWished
  }

  /// Frames that the device itself took or gave, which no silence stands in for.
  func frames(_ direction: AudioDirection) -> Int { device.statistics[direction].frames }

  /// Periods that went over the client's bus, silence included.
  func periods(_ direction: AudioDirection) -> Int { direction == .capture ? bus.periods.count : bus.reads }

  /// Expects one loss and one return, of a direction or of either.
  func expectOneLoss(_ directions: [AudioDirection] = AudioDirection.allCases) {
    for direction in directions {
      // Told just after it flows.
      #expect(eventually { count("recovered", direction) > 0 }, "\(story)")
      #expect(count("lost", direction) == 1 && count("recovered", direction) == 1, "\(story)")
    }
    #expect(count("failed") == 0, "\(story)")
  }

  // MARK: Waiting

  /// Waits until the device takes or gives frames.
  func flows(_ direction: AudioDirection, frames count: Int = 9_600, within limit: Duration) -> Bool {
    let before = frames(direction)
    return wait(within: limit) { frames(direction) > before + count }
  }

  /// Waits for sound through both directions.
  func waitForSound(within limit: Duration) -> Bool { wait(within: limit) { bus.isLive() } }

  /// Waits for periods that are rendered.
  func waitForRendering(_ count: Int) -> Bool { waitForPeriods(count, .render) }

  /// Waits for periods, whatever is in them.
  func waitForPeriods(_ count: Int, _ direction: AudioDirection = .capture) -> Bool {
    let before = periods(direction)
    return wait(within: .seconds(10)) { periods(direction) >= before + count }
  }

  /// The round trip once it has settled.
  func settledRoundTrip() throws -> Duration {
    #expect(waitForPeriods(100))
    return try #require(bus.roundTrip(last: 80), "no sound: \(story)")
  }

  /// Expects that the client is fed at the pace while something is wrong.
  ///
  /// - Parameters:
  ///   - duration: How long to look.
  ///   - slack: What may be missing: how long the silence takes to stand in.
  ///   - directions: Those that are wished.
  func expectPace(
    for duration: Duration, slack: Duration = .milliseconds(350),
    _ directions: [AudioDirection] = AudioDirection.allCases
  ) {
    let start = AudioInstant.now
    let before = directions.map { periods($0) }
    #expect(wait(within: duration * 3) { AudioInstant.now - start >= duration })
    let expected = Int((AudioInstant.now - start) / .milliseconds(10))
    let least = expected - Int(slack / .milliseconds(10)) - expected / 20
    for (direction, before) in zip(directions, before) {
      let count = periods(direction) - before
      #expect((least...expected + expected / 20 + 5).contains(count), "\(direction) \(count) of \(expected) periods")
    }
  }

  /// Waits for a condition, and expects that meanwhile the call takes less than a twentieth of a processor, beside what
  /// opening a stream costs. Something that is busy takes all of one.
  private func wait(within limit: Duration, _ condition: () -> Bool) -> Bool {
    let (start, before) = (AudioInstant.now, ProcessSnapshot.processorTime())
    let isTrue = eventually(within: limit, condition)
    let (time, spent) = (AudioInstant.now - start, ProcessSnapshot.processorTime() - before)
    if Self.isAlone { #expect(spent < .milliseconds(100) + time / 20, "\(spent) of \(time)") }
    return isTrue
  }
}
