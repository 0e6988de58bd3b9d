import AudioDeviceCore
import Glibc
import RealtimeSupport
import Testing

@testable import PulseBackend

/// The rests of the audio thread, without a server: a socket stands for the connection.
@Suite struct PulseWaitTests {
  private final class Bench {
    let event: WakeEvent
    let wait: PulseWait
    let sockets: (Int32, Int32)
    var time: Int64

    init(longestRest: Duration = .milliseconds(25)) throws {
      event = try WakeEvent()
      wait = PulseWait(wakeUp: event.fileDescriptor, longestRest: longestRest.wholeNanoseconds)
      var pair: [Int32] = [0, 0]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
      sockets = (pair[0], pair[1])
      time = AudioInstant.now.nanoseconds
    }

    deinit {
      close(sockets.0)
      if sockets.1 >= 0 { close(sockets.1) }
    }

    /// Has streams pass every 10 ms, up to the present, until they are believed.
    func settle(_ keys: Int...) {
      for key in keys { wait.watch(key, step: .milliseconds(10)) }
      time = AudioInstant.now.nanoseconds - 10_000_000 * Int64(PulseArrivals.neededPasses)
      for _ in 0...PulseArrivals.neededPasses {
        for key in keys { wait.pass(key, now: AudioInstant(nanoseconds: time)) }
        time += 10_000_000
      }
      time -= 10_000_000
    }

    /// The same with one stream that passes every 20 s, so that nothing but what is tested ends the rest.
    func settleForLong() {
      wait.watch(1, step: .seconds(20))
      time = AudioInstant.now.nanoseconds - 20_000_000_000 * Int64(PulseArrivals.neededPasses + 1)
      for _ in 0...PulseArrivals.neededPasses { pass(1, after: 20_000) }
    }

    func pass(_ key: Int, after milliseconds: Int64) {
      time += milliseconds * 1_000_000
      wait.pass(key, now: AudioInstant(nanoseconds: time))
    }

    /// Waits for the socket and the wake-up.
    func poll(_ events: Int32 = POLLIN, timeout: Int32) -> (result: Int32, socket: Int16, took: Duration) {
      var descriptors = [
        pollfd(fd: sockets.0, events: Int16(events), revents: 0),
        pollfd(fd: event.fileDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      let begin = AudioInstant.now
      let result = descriptors.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.map { wait.wait($0, count: buffer.count, timeout: timeout) } ?? -1
      }
      return (result, descriptors[0].revents, .now - begin)
    }
  }

  @Test func theThreadRestsUntilALittleAfterTheNextIsDue() throws {
    let bench = try Bench()
    bench.settle(1, 2)
    #expect(bench.wait.restEnd == bench.time + 10_000_000 + PulseWait.slack)
  }

  @Test func nobodyRestsBeforeAllStreamsAreKnown() throws {
    let bench = try Bench()
    bench.settle(1)
    bench.wait.watch(2, step: .milliseconds(10))
    bench.pass(1, after: 10)
    #expect(bench.wait.restEnd == nil)
    bench.wait.forget(2)
    bench.pass(1, after: 10)
    #expect(bench.wait.restEnd != nil)
  }

  @Test func nobodyRestsWhileAStreamIsLate() throws {
    let bench = try Bench()
    bench.settle(1, 2)
    bench.pass(1, after: 10)
    #expect(bench.wait.restEnd != nil)
    bench.pass(1, after: 10)
    #expect(bench.wait.restEnd == nil)
  }

  @Test func nobodyRestsShortlyAfterACommand() throws {
    let bench = try Bench()
    bench.settle(1)
    bench.wait.attend(now: AudioInstant(nanoseconds: bench.time))
    #expect(bench.wait.restEnd == nil)
    for _ in 0..<49 {
      bench.pass(1, after: 10)
      #expect(bench.wait.restEnd == nil)
    }
    bench.pass(1, after: 10)
    #expect(bench.wait.restEnd != nil)
  }

  @Test func anyNumberOfStreamsIsWatched() throws {
    let bench = try Bench()
    bench.settle(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)
    #expect(bench.wait.restEnd != nil)
    bench.pass(17, after: 10)
    for key in 1...15 { bench.pass(key, after: 0) }
    bench.pass(17, after: 10)
    #expect(bench.wait.restEnd == nil)
    bench.wait.forget(16)
    for key in 1...15 { bench.pass(key, after: 0) }
    #expect(bench.wait.restEnd != nil)
  }

  @Test func whatPassesRarelyDoesNotRest() throws {
    let bench = try Bench()
    bench.settleForLong()
    #expect(bench.wait.restEnd == nil)
  }

  @Test func audioDoesNotEndARestAndIsThereAfterIt() throws {
    let bench = try Bench()
    bench.settle(1)
    let end = try #require(bench.wait.restEnd)
    #expect(send(bench.sockets.1, "x", 1, 0) == 1)
    #expect(bench.poll(timeout: 5000).result == 0)
    #expect(AudioInstant.now.nanoseconds >= end)
    #expect(bench.poll(timeout: 5000).socket & Int16(POLLIN) != 0)
  }

  @Test func aCommandEndsARest() throws {
    let bench = try Bench(longestRest: .seconds(60))
    bench.settleForLong()
    #expect(bench.wait.restEnd != nil)
    bench.event.signal()
    #expect(bench.poll(timeout: 30_000).took < .seconds(10))
    #expect(bench.poll(timeout: 30_000).result == 1)
  }

  @Test func theEndOfTheConnectionEndsARest() throws {
    let bench = try Bench(longestRest: .seconds(60))
    bench.settleForLong()
    #expect(bench.wait.restEnd != nil)
    shutdown(bench.sockets.1, Int32(SHUT_RDWR))
    #expect(bench.poll(timeout: 30_000).took < .seconds(10))
    #expect(bench.poll(timeout: 30_000).socket & Int16(POLLHUP) != 0)
  }

  @Test func whatIsToBeSentIsSentAtOnce() throws {
    let bench = try Bench(longestRest: .seconds(60))
    bench.settleForLong()
    let waited = bench.poll(POLLIN | POLLOUT, timeout: 30_000)
    #expect(waited.socket & Int16(POLLOUT) != 0)
    #expect(waited.took < .seconds(10))
  }
}
