#if ALSA
  internal import AudioDeviceCore
  internal import Glibc

  extension ALSAStreamLoop {
    /// Reads all there is (one period, while the stream paces itself) and gives the client each period that became
    /// full.
    ///
    /// - Returns: How many frames were read.
    func capture() -> Int {
      guard let base = samples.baseAddress else { return 0 }
      let period = format.framesPerPeriod
      var readable = readableOrRoom
      if let tick {
        readable = min(readable, period)
        mediaTime = tick + format.duration(ofFrames: -period)
      } else {
        // The delay is the age of the oldest readable frame, and that is never less than the time the readable ones
        // last.
        let age = min(max(pcm.handle.delay() ?? 0, readable), maximumDelay)
        mediaTime = now + format.duration(ofFrames: -age)
      }
      var moved = 0
      while readable > 0 {
        let chunk = min(readable, period)
        if tick == nil, let hold = governor.hold(chunk, now: now) {
          holdTime = hold
          return moved
        }
        let frames = pcm.handle.read(base, frames: chunk)
        guard frames > 0 else {
          if frames < 0, frames != -Int(EAGAIN) { transferError = Int32(truncatingIfNeeded: frames) }
          return moved
        }
        deliver(min(frames, period))
        moved += frames
        readable -= frames
      }
      if moved > 0 { checkBacklog() }
      return moved
    }

    /// Finds out whether what is read is late for good, by the delay that remains after reading all there was.
    private func checkBacklog() {
      guard let told = pcm.handle.delay() else { return }
      let delay = min(max(told, 0), maximumDelay)
      guard backlog.isLate(delay: delay) else { return }
      isLateForGood = true
      mediaTime = now + format.duration(ofFrames: -delay)
    }

    /// Gives the client what the frames just read complete.
    private func deliver(_ frames: Int) {
      let end = mediaTime + format.duration(ofFrames: frames)
      mediaTime = end
      assembler.append(samples.baseAddress, count: frames * format.channelCount) { period, framesBehind in
        guard gate.enter() else { return }
        let time = end + format.duration(ofFrames: -framesBehind - format.framesPerPeriod)
        client.streamDidCapture(&period, capturedAt: time)
        gate.leave()
        meter.addFrames(format.framesPerPeriod)
        meter.setLatency(nanoseconds: (now - time).wholeNanoseconds)
      }
    }
  }
#endif
