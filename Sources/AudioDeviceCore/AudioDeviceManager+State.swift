extension AudioDeviceManager.State {
  /// Begins or ends an interruption.
  ///
  /// - Parameters:
  ///   - interruption: Which.
  ///   - isOn: Whether it begins.
  /// - Returns: What to tell: a reason that was not there before, or that none is left.
  mutating func setInterruption(_ interruption: Interruption, _ isOn: Bool) -> AudioDeviceEvent.Kind? {
    isOn ? beginInterruption(interruption) : endInterruptions { $0 == interruption }
  }

  private mutating func beginInterruption(_ interruption: Interruption) -> AudioDeviceEvent.Kind? {
    let isNew = !interruptions.contains { $0.reason == interruption.reason }
    interruptions.insert(interruption)
    closeInterruptionGates()
    return isNew ? .interrupted(interruption.reason) : nil
  }

  /// Ends interruptions.
  ///
  /// - Parameter isOver: Which of them.
  /// - Returns: What to tell: that none is left.
  mutating func endInterruptions(where isOver: (Interruption) -> Bool) -> AudioDeviceEvent.Kind? {
    let over = interruptions.filter(isOver)
    guard !over.isEmpty else { return nil }
    interruptions.subtract(over)
    closeInterruptionGates()
    return interruptions.isEmpty ? .resumed : nil
  }

  private mutating func closeInterruptionGates() {
    gates.isInterrupted = interruptions.contains { $0.reason != .deviceSuspended }
    // What is not told by the device closes it, and then nothing is held.
    let mayBeHeld = interruptions.allSatisfy { $0.direction != nil }
    gates.captureIsHeld = mayBeHeld && interruptions.contains { $0.direction == .capture }
    gates.renderIsHeld = mayBeHeld && interruptions.contains { $0.direction == .render }
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
    if let former {
      let counted = former.statistics
      for direction in AudioDirection.allCases { formerDevices[direction].addLosses(counted[direction]) }
    }
  }
}

/// Something that took the audio from the call.
struct Interruption: Sendable, Hashable {
  var reason: InterruptionReason
  /// The direction that the server holds back; nil when somebody else told of it.
  var direction: AudioDirection?
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
