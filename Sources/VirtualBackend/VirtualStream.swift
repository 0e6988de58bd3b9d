internal import AudioDeviceCore
internal import Synchronization

/// The owner's side of a stream.
final class VirtualStream: AudioStream {
  private enum Phase {
    case opened
    case started(RealtimeThread)
    case failed(AudioDeviceError)
    /// With the thread as long as somebody may have to wait for it.
    case closed(RealtimeThread?)
  }
  private struct State {
    var phase = Phase.opened
    /// Nil when the stream is closed: it retains the client.
    var runner: StreamRunner?
    var schedulingClass = SchedulingClass.normal
  }
  private let state: Locked<State>
  private let identity: StreamIdentity
  private let feed: FileFeed?
  private let clock: any PeriodClock
  private let registry: StreamRegistry

  init(
    _ runner: StreamRunner, feed: FileFeed?, clock: any PeriodClock, registry: StreamRegistry
  ) {
    identity = runner.identity
    self.feed = feed
    self.clock = clock
    self.registry = registry
    state = Locked(State(runner: runner))
    registry.add(runner)
  }

  deinit { close() }

  var format: AudioFormat { identity.configuration.format }
  var deviceID: String? { identity.deviceID }
  var schedulingClass: SchedulingClass { state.withLock { $0.schedulingClass } }
  var latency: Duration { identity.meter.latency }
  var statistics: AudioDeviceStatistics.Direction { identity.meter.statistics }

  func start() throws(AudioDeviceError) {
    try state.withLock { (state) throws(AudioDeviceError) in
      switch state.phase {
      case .opened: break
      case .started:
        if let loss = state.runner?.loss { throw loss }
        return
      case .failed(let error): throw error
      case .closed: throw AudioDeviceError(.invalidState, "The stream is closed; open another one.")
      }
      do throws(AudioDeviceError) {
        guard let runner = state.runner else { return }
        if let loss = runner.loss { throw loss }
        let thread = try run(runner)
        state.schedulingClass = thread.schedulingClass
        state.phase = .started(thread)
      } catch {
        registry.remove(identity.key)
        identity.isRunning.store(false, ordering: .relaxed)
        state.phase = .failed(error)
        throw error
      }
    }
  }

  func close() {
    let (thread, runner) = state.withLock { state in
      switch state.phase {
      case .started(let thread): state.phase = .closed(thread)
      case .opened, .failed: state.phase = .closed(nil)
      case .closed: break
      }
      guard case .closed(let thread) = state.phase else { return (nil as RealtimeThread?, state.runner) }
      return (thread, state.runner)
    }
    runner?.stop()
    thread?.join()
    feed?.stop()
    registry.remove(identity.key)
    state.withLock { state in
      state.phase = .closed(nil)
      state.runner = nil
    }
  }

  private func run(_ runner: StreamRunner) throws(AudioDeviceError) -> RealtimeThread {
    try feed?.start(clock) { runner.post(.lost($0)) }
    do throws(SystemCallError) {
      // The waiter first: from then on a manual clock stands still until the thread waits.
      let waiter = try clock.makeWaiter()
      let anchor = clock.now
      runner.willRun(with: waiter)
      do throws(SystemCallError) {
        return try RealtimeThread(name: "virtual-\(identity.configuration.direction)") {
          runner.run(waiter, from: anchor)
        }
      } catch {
        waiter.invalidate()
        throw error
      }
    } catch {
      feed?.stop()
      throw AudioDeviceError(error, "The stream's thread cannot run.")
    }
  }
}
