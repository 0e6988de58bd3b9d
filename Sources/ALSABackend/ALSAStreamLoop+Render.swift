#if ALSA
  internal import AudioDeviceCore
  internal import Glibc

  extension ALSAStreamLoop {
    /// Asks the client for whole periods as long as the PCM has room (one, while the stream paces itself) and writes
    /// them.
    ///
    /// - Returns: How many frames were written.
    func render() -> Int {
      guard let base = samples.baseAddress else { return 0 }
      let period = format.framesPerPeriod
      let now = now
      let queued = min(max(pcm.handle.delay() ?? geometry.buffer - readableOrRoom, 0), maximumDelay)
      var room = min(readableOrRoom - reservedFrames, tick == nil ? .max : period)
      var moved = 0
      while unwrittenFrames > 0 || room >= period {
        if unwrittenFrames == 0 {
          if tick == nil, let hold = governor.hold(period, now: now) {
            holdTime = hold
            break
          }
          guard fill(delay: queued + moved) else { break }
        }
        let start = base + (period - unwrittenFrames) * format.channelCount
        let frames = pcm.handle.write(start, frames: unwrittenFrames)
        guard frames > 0 else {
          if frames < 0, frames != -Int(EAGAIN) { transferError = Int32(truncatingIfNeeded: frames) }
          break
        }
        moved += frames
        room -= frames
        unwrittenFrames = max(0, unwrittenFrames - frames)
        // A PCM that takes less than it said has no more room now.
        if unwrittenFrames > 0 { break }
      }
      if moved > 0 { mediaTime = now + format.duration(ofFrames: queued + moved) }
      return moved
    }

    /// Lets the client fill a period.
    ///
    /// - Parameter delay: Frames that will be heard before it.
    /// - Returns: Whether there is a period to write.
    private func fill(delay: Int) -> Bool {
      guard gate.enter() else { return false }
      samples.update(repeating: 0)
      var period = samples.mutableSpan
      client.streamWillRender(&period)
      gate.leave()
      unwrittenFrames = format.framesPerPeriod
      meter.addFrames(format.framesPerPeriod)
      meter.setLatency(nanoseconds: format.duration(ofFrames: delay).wholeNanoseconds)
      return true
    }
  }
#endif
