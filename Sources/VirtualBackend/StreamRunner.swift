internal import AudioDeviceCore
internal import Synchronization

/// The audio side of a stream: what its thread does from start to end, and the means to interfere with it.
final class StreamRunner: Sendable {
  let identity: StreamIdentity

  private let client: any AudioStreamClient
  private let clock: any PeriodClock
  private let registry: StreamRegistry
  /// Locked by the thread for all its life: it alone uses the engine. There is no lock in the period loop.
  private let engine: Locked<any PeriodEngine>
  private let isStopping = Atomic<Bool>(false)
  private let lostPeriods = Atomic<Int>(0)
  private let hasMail = Atomic<Bool>(false)
  private let mail = Locked(Mail())
  private struct Mail {
    var notices: [AudioStreamNotice] = []
    var loss: AudioDeviceError?
    var waiter: (any ClockWaiter)?
  }

  init(
    _ identity: StreamIdentity, engine: sending any PeriodEngine, client: any AudioStreamClient,
    clock: any PeriodClock, registry: StreamRegistry
  ) {
    self.identity = identity
    self.client = client
    self.clock = clock
    self.registry = registry
    identity.meter.setLatency(nanoseconds: engine.latency.wholeNanoseconds)
    self.engine = Locked(engine)
  }

  // MARK: Any thread

  /// Makes the thread end without another call to the client, but for one that is under way.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    mail.withLock { $0.waiter }?.wake()
  }

  /// Hands the thread a notice for the client, which it gives between two periods.
  func post(_ notice: AudioStreamNotice) {
    let waiter = mail.withLock { mail in
      if case .lost(let error) = notice { mail.loss = error }
      mail.notices.append(notice)
      return mail.waiter
    }
    hasMail.store(true, ordering: .releasing)
    waiter?.wake()
  }

  /// Makes the next periods go lost, as if the thread had been held up.
  func stall(periods: Int) { lostPeriods.wrappingAdd(periods, ordering: .relaxed) }

  /// What the stream was lost to, also before its start; nil while it lives.
  var loss: AudioDeviceError? { mail.withLock { $0.loss } }

  /// Names the waiter of the thread that is about to be made.
  func willRun(with waiter: any ClockWaiter) {
    mail.withLock { $0.waiter = waiter }
    identity.isRunning.store(true, ordering: .relaxed)
  }

  // MARK: The stream's thread

  /// Calls the client until the stream is stopped or lost.
  func run(_ waiter: any ClockWaiter, from anchor: AudioInstant) {
    let loss = engine.withLock { engine in
      let loss = exchange(engine, waiter, anchor)
      engine.end(at: clock.now)
      return loss
    }
    identity.isRunning.store(false, ordering: .relaxed)
    if let loss {
      // Before the client learns of it, so that it finds the device released.
      registry.remove(identity.key)
      client.streamDidNotice(.lost(loss))
    }
    waiter.invalidate()
  }

  private func exchange(
    _ engine: any PeriodEngine, _ waiter: any ClockWaiter, _ anchor: AudioInstant
  ) -> AudioDeviceError? {
    let format = identity.configuration.format
    let meter = identity.meter
    var pace = PeriodPace(format: format, anchor: anchor, tolerance: engine.tolerance)
    var isSuspended = false
    while true {
      let outcome = waiter.wait(until: pace.due)
      if isStopping.load(ordering: .acquiring) { return nil }
      if hasMail.exchange(false, ordering: .acquiring), let loss = deliver(&isSuspended) { return loss }
      guard outcome == .deadline else { continue }
      let lost = pace.lostPeriods(at: clock.now) + lostPeriods.exchange(0, ordering: .relaxed)
      if lost > 0 {
        engine.skip(lost)
        pace.advance(by: lost)
        if !isSuspended { loseFrames(lost * format.framesPerPeriod) }
        continue
      }
      if isSuspended {
        engine.skip(1)
      } else {
        let missing = engine.exchange(client, pace)
        meter.addFrames(format.framesPerPeriod)
        if missing > 0 { loseFrames(missing) }
      }
      pace.advance(by: 1)
    }
  }

  private func loseFrames(_ count: Int) {
    identity.meter.addXrun(lostFrames: count)
    client.streamDidNotice(.xrun)
  }

  /// Gives the client what waits for it. Takes a lock and may free memory; there is something only when somebody
  /// interferes.
  private func deliver(_ isSuspended: inout Bool) -> AudioDeviceError? {
    let notices = mail.withLock { mail in
      defer { mail.notices = [] }
      return mail.notices
    }
    for notice in notices {
      switch notice {
      case .lost(let error): return error
      case .xrun:
        loseFrames(0)
        continue
      case .suspended(let isNow): isSuspended = isNow
      case .moved(let deviceID): identity.deviceID = deviceID
      case .corkRequested: break
      }
      client.streamDidNotice(notice)
      if isStopping.load(ordering: .acquiring) { break }
    }
    return nil
  }
}
