extension AudioDeviceManager.State {
  /// Ends an interruption.
  ///
  /// - Returns: Whether there was one.
  mutating func endInterruption() -> Bool {
    defer {
      interruption = nil
      gates.isInterrupted = false
    }
    return interruption != nil
  }

  /// Changes a wish.
  ///
  /// - Returns: The wish's number.
  mutating func wish(_ direction: AudioDirection, _ isWished: Bool) -> Int {
    switch direction {
    case .capture:
      captureWish += 1
      gates.captureIsWished = isWished
    case .render:
      renderWish += 1
      gates.renderingIsWished = isWished
    }
    // What is not wished cannot be lost.
    if !isWished { gates.setLost(direction, false) }
    return wishNumber(direction)
  }

  func wishNumber(_ direction: AudioDirection) -> Int { direction == .capture ? captureWish : renderWish }

  /// Forgets what the former device had said about itself.
  mutating func deviceDidChange(from former: (any AudioDevice)?) {
    gates.hasDevice = device != nil
    gates.isRinging = false
    gates.captureIsLost = false
    gates.renderIsLost = false
    _ = endInterruption()
    if let former {
      let counted = former.statistics
      for direction in AudioDirection.allCases { formerDevices[direction].addLosses(counted[direction]) }
    }
  }
}

extension AudioGates {
  func isWished(_ direction: AudioDirection) -> Bool { direction == .capture ? captureIsWished : renderingIsWished }

  func isLost(_ direction: AudioDirection) -> Bool { direction == .capture ? captureIsLost : renderIsLost }

  mutating func setLost(_ direction: AudioDirection, _ isLost: Bool) {
    switch direction {
    case .capture: captureIsLost = isLost
    case .render: renderIsLost = isLost
    }
  }
}

extension AudioDeviceStatistics.Direction {
  /// Adds what a device alone can know.
  mutating func addLosses(_ device: AudioDeviceStatistics.Direction) {
    lostFrames += device.lostFrames
    xruns += device.xruns
  }
}
