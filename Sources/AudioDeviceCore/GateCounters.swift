internal import Synchronization

/// What went over the bus of a manager, whichever bus and device it had. Written on audio threads, read anywhere.
final class GateCounters: Sendable {
  struct Direction: ~Copyable, Sendable {
    let frames = Atomic<Int>(0)
    let silentFrames = Atomic<Int>(0)
    let shortfallFrames = Atomic<Int>(0)
    let lostFrames = Atomic<Int>(0)
    let opens = Atomic<Int>(0)

    var snapshot: AudioDeviceStatistics.Direction {
      var statistics = AudioDeviceStatistics.Direction()
      statistics.frames = frames.load(ordering: .relaxed)
      statistics.silentFrames = silentFrames.load(ordering: .relaxed)
      statistics.shortfallFrames = shortfallFrames.load(ordering: .relaxed)
      statistics.lostFrames = lostFrames.load(ordering: .relaxed)
      statistics.opens = opens.load(ordering: .relaxed)
      return statistics
    }
  }
  let capture = Direction()
  let render = Direction()

  func addOpen(_ direction: AudioDirection) {
    switch direction {
    case .capture: capture.opens.wrappingAdd(1, ordering: .relaxed)
    case .render: render.opens.wrappingAdd(1, ordering: .relaxed)
    }
  }
}
