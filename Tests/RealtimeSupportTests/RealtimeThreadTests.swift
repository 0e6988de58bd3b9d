import Foundation
import RealtimeSupport
import Testing

@Suite struct RealtimeThreadTests {
  @Test func runsWithItsNameInTheClassItTells() throws {
    let seen = Locked<(name: String, scheduling: SchedulingClass)?>(nil)
    let thread = try RealtimeThread(name: "a name far too long") {
      let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
      seen.withLock { $0 = (name?.trimmingCharacters(in: .newlines) ?? "", .current) }
    }
    thread.join()
    thread.join()
    let result = try #require(seen.withLock { $0 })
    #expect(result.name == "a name far too ")
    #expect(result.scheduling == thread.schedulingClass)
  }

  @Test func whatIsRefusedFallsBackToTheNormalClass() throws {
    // Priority 100 is out of SCHED_FIFO's range for everybody, so the kernel refuses it as it refuses an ordinary user.
    let thread = try RealtimeThread(name: "refused", scheduling: .fifo(priority: 100)) {}
    #expect(thread.schedulingClass == .normal)
    thread.join()
  }

  @Test func joiningItselfDoesNotHang() throws {
    let holder = Locked<RealtimeThread?>(nil)
    let mayJoin = try WakeEvent()
    let hasJoined = try WakeEvent()
    let thread = try RealtimeThread(name: "self", scheduling: .normal) {
      _ = mayJoin.wait(limit: .seconds(10))
      let itself = holder.withLock { $0 }
      if itself?.isCurrent == true { itself?.join() }
      hasJoined.signal()
    }
    holder.withLock { $0 = thread }
    #expect(!thread.isCurrent)
    mayJoin.signal()
    #expect(hasJoined.wait(limit: .seconds(10)))
    holder.withLock { $0 = nil }
    thread.join()
  }

  @Test func nothingStaysOfManyThreads() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    for _ in 0..<200 { try RealtimeThread(name: "many") {}.join() }
    for _ in 0..<200 { _ = try WakeEvent() }
    let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    // Other tests run beside this one and hold a few of their own.
    #expect(after < before + 100)
  }
}

@Suite struct AudioInstantTests {
  @Test func saturatesInsteadOfTrapping() {
    let late = AudioInstant(nanoseconds: .max)
    #expect(late + .seconds(1) == late)
    #expect(late - AudioInstant(nanoseconds: -1) == .nanoseconds(Int64.max))
    #expect(AudioInstant(nanoseconds: .min) - late == .nanoseconds(Int64.min))
    #expect(AudioInstant(nanoseconds: .min) + .seconds(-1) == AudioInstant(nanoseconds: .min))
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
    #expect(Duration.milliseconds(-1500).wholeNanoseconds == -1_500_000_000)
  }

  @Test func doesNotGoBack() {
    let first = AudioInstant.now
    #expect(AudioInstant.now >= first)
    #expect(AudioInstant(nanoseconds: 5) - AudioInstant(nanoseconds: 7) == .nanoseconds(-2))
  }
}
