package import AudioDeviceKit

/// A far end that sends back what it gets, a fixed time later: a network with nobody but an echo behind it.
///
/// It stands between the two sides of a ``AudioDeviceKit/BufferedAudioBus``, as a conference client does: a thread of
/// its own takes what was captured, keeps it for the delay, and hands it over to be rendered.
package final class DelayedReturn: Sendable {
  private let thread: RealtimeThread
  private let waiter: any ClockWaiter

  /// Starts to send back.
  ///
  /// - Parameters:
  ///   - bus: Captures and renders in one format.
  ///   - delay: How long to keep what was captured, 0 … 10 s.
  ///   - clock: What paces the thread.
  /// - Throws: ``AudioDeviceError`` when the bus has two formats, or no thread can be made.
  package init(
    _ bus: BufferedAudioBus, delay: Duration, clock: any PeriodClock = SystemPeriodClock.shared
  ) throws(AudioDeviceError) {
    let format = bus.configuration.captureFormat
    guard format == bus.configuration.renderFormat else {
      throw AudioDeviceError(
        .formatNotSupported, "What is sent back keeps its format; make the bus with one format for both directions.")
    }
    do throws(SystemCallError) {
      let waiter = try clock.makeWaiter()
      self.waiter = waiter
      thread = try RealtimeThread(name: "delayed-return") {
        Self.run(bus, format, delay: min(max(delay, .zero), .seconds(10)), clock, waiter)
        waiter.invalidate()
      }
    } catch {
      throw AudioDeviceError(error, "The far end cannot be set up.")
    }
  }

  /// Ends it. At return the bus is not touched any more. Idempotent.
  package func stop() {
    waiter.wake()
    thread.join()
  }

  private static func run(
    _ bus: BufferedAudioBus, _ format: AudioFormat, delay: Duration, _ clock: any PeriodClock, _ waiter: any ClockWaiter
  ) {
    let period = UnsafeMutableBufferPointer<Int16>.allocate(capacity: format.samplesPerPeriod)
    period.initialize(repeating: 0)
    defer { period.deallocate() }
    // Full of silence at first, so that what goes in comes out the delay later, frame by frame.
    let delayFrames = format.frames(in: delay)
    let line = SampleRing<Int16>(minimumCapacity: (delayFrames + format.framesPerPeriod) * format.channelCount)
    var primed = 0
    while primed < delayFrames * format.channelCount {
      let part = period.span.extracting(first: min(period.count, delayFrames * format.channelCount - primed))
      primed += line.write(part)
    }
    var deadline = clock.now
    repeat {
      // What the bus keeps as its cushion is left there: reading into it would be a shortfall.
      while bus.captureBacklog >= bus.configuration.targetBacklog + format.periodDuration {
        var samples = period.mutableSpan
        let frames = bus.readCapturedFrames(into: &samples)
        guard frames > 0 else { break }
        _ = line.write(period.span.extracting(first: frames * format.channelCount))
        _ = line.read(into: &samples, limit: frames * format.channelCount)
        bus.writeRenderedFrames(period.span.extracting(first: frames * format.channelCount))
      }
      deadline = max(deadline + format.periodDuration, clock.now)
    } while waiter.wait(until: deadline) == .deadline
  }
}
