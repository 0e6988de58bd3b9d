import AudioDeviceCore
import AudioTestSupport
import Glibc

/// Measures how long a sound takes from the microphone of a server to its speaker, through whoever carries it.
struct EchoMeter {
  private let server: PulseServer

  init(_ server: PulseServer) { self.server = server }

  /// Plays a burst to the microphone and listens on both sides. Blocks for two seconds.
  func measure() throws -> Duration {
    let sides = try ["micfeed.monitor", "spk.monitor"].map { source in
      try server.startRecording(from: source, latency: .milliseconds(5))
    }
    let burst = Signal.silence(.milliseconds(300)) + .tone(1500, level: -6, for: .milliseconds(60))
    let playback = try server.startPlaying(burst + .silence(.milliseconds(200)), on: "micfeed")
    defer { playback.stop() }
    // Two recordings have no common beginning. But each grows with time, and lags behind by its buffer and by what the
    // machine holds it up; where it lags least tells when its first frame was.
    var beginnings = [Duration](repeating: .seconds(100), count: sides.count)
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .seconds(2) {
      for (index, side) in sides.enumerated() {
        let recorded = side.format.duration(ofFrames: side.frameCount)
        beginnings[index] = min(beginnings[index], ContinuousClock.now - start - recorded)
      }
      usleep(2000)
    }
    // The last onset: what sounded before may still be on its way at the beginning.
    let arrivals = try zip(sides, beginnings).map { side, beginning in
      guard let onset = side.stop().onsets(above: -20, after: .milliseconds(100)).last else {
        throw RigError("the burst did not come to \(side.process.command)")
      }
      return beginning + side.format.duration(ofFrames: onset)
    }
    return arrivals[1] - arrivals[0]
  }
}
