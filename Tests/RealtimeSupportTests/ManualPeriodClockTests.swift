import RealtimeSupport
import Testing

@Suite struct ManualPeriodClockTests {
  /// Counts whole periods of its own on a clock until it is woken.
  final class Ticker: Sendable {
    let times = Locked<[Int64]>([])
    let waiter: any ClockWaiter
    private let thread = Locked<RealtimeThread?>(nil)

    init(_ clock: ManualPeriodClock, period: Duration) throws {
      waiter = try clock.makeWaiter()
      let started = try RealtimeThread(name: "ticker", scheduling: .normal) { [self] in
        var deadline = clock.now + period
        while waiter.wait(until: deadline) == .deadline {
          times.withLock { $0.append(clock.now.nanoseconds) }
          deadline = deadline + period
        }
        waiter.invalidate()
      }
      thread.withLock { $0 = started }
    }

    func stop() {
      waiter.wake()
      thread.withLock { $0 }?.join()
    }
  }

  @Test func stopsAtEveryDeadlineOfEveryParticipant() throws {
    let clock = try ManualPeriodClock(start: AudioInstant(nanoseconds: 0))
    let fast = try Ticker(clock, period: .milliseconds(10))
    let slow = try Ticker(clock, period: .milliseconds(25))
    #expect(clock.advance(by: .milliseconds(100)))
    #expect(fast.times.withLock { $0 } == (1...10).map { Int64($0) * 10_000_000 })
    #expect(slow.times.withLock { $0 } == (1...4).map { Int64($0) * 25_000_000 })
    #expect(clock.now.nanoseconds == 100_000_000)
    fast.stop()
    #expect(clock.advance(by: .milliseconds(100)))
    #expect(fast.times.withLock { $0.count } == 10)
    #expect(slow.times.withLock { $0.count } == 8)
    slow.stop()
    #expect(clock.advance(by: .seconds(1)))
  }

  @Test func tellsOfAParticipantThatDoesNotSettle() throws {
    let clock = try ManualPeriodClock()
    let waiter = try clock.makeWaiter()
    #expect(!clock.advance(by: .seconds(1), limit: .milliseconds(20)))
    waiter.invalidate()
    #expect(clock.advance(by: .seconds(1), limit: .milliseconds(20)))
  }

  @Test func aWakeUpComesBeforeTheDeadlineAndStays() throws {
    let clock = try ManualPeriodClock()
    let waiter = try clock.makeWaiter()
    waiter.wake()
    #expect(waiter.wait(until: clock.now + .seconds(1)) == .woken)
    #expect(waiter.wait(until: clock.now) == .deadline)
    waiter.invalidate()
    #expect(waiter.wait(until: clock.now + .seconds(1)) == .woken)
  }
}

@Suite struct SystemPeriodClockTests {
  @Test func waitsUntilTheDeadline() throws {
    let clock = SystemPeriodClock.shared
    let waiter = try clock.makeWaiter()
    let deadline = clock.now + .milliseconds(20)
    #expect(waiter.wait(until: deadline) == .deadline)
    #expect(clock.now >= deadline)
    #expect(waiter.wait(until: AudioInstant(nanoseconds: .min)) == .deadline)
  }

  @Test func aWakeUpFromAnotherThreadEndsTheWait() throws {
    let waiter = try SystemPeriodClock.shared.makeWaiter()
    let thread = try RealtimeThread(name: "waker", scheduling: .normal) { waiter.wake() }
    #expect(waiter.wait(until: .now + .seconds(60)) == .woken)
    thread.join()
  }
}
