import AudioDeviceCore
import Testing

/// Every combination of wishes and gates against the table of the documentation, which is written here in another form
/// than in the code: as rows of which the topmost that applies holds.
@Suite struct AudioGatesTests {
  typealias Row<Outcome> = (when: @Sendable (AudioGates) -> Bool, outcome: Outcome)

  static let captureTable: [Row<AudioDecision.Capture>] = [
    ({ !$0.captureIsWished }, .closed),
    ({ $0.isHardMuted }, .closed),
    ({ !$0.hasDevice }, .silent),
    ({ $0.isRinging }, .silent),
    ({ $0.sessionIsInactive }, .silent),
    ({ $0.captureIsHeld }, .held),
    ({ $0.isInterrupted }, .silent),
    ({ $0.captureIsLost }, .recovering),
    ({ $0.isSoftMuted }, .muted),
    ({ _ in true }, .live),
  ]
  static let renderTable: [Row<AudioDecision.Render>] = [
    ({ !$0.renderingIsWished }, .closed),
    ({ !$0.hasDevice }, .drained),
    ({ $0.isRinging }, .drained),
    ({ $0.sessionIsInactive }, .drained),
    ({ $0.renderIsHeld }, .held),
    ({ $0.isInterrupted }, .drained),
    ({ $0.renderIsLost }, .recovering),
    ({ _ in true }, .live),
  ]

  static let inputs: [any WritableKeyPath<AudioGates, Bool> & Sendable] = [
    \.captureIsWished, \.renderingIsWished, \.hasDevice, \.isSoftMuted, \.isHardMuted, \.isRinging,
    \.sessionIsInactive, \.isInterrupted, \.captureIsHeld, \.renderIsHeld, \.captureIsLost, \.renderIsLost,
  ]

  static let all: [AudioGates] = (0..<(1 << inputs.count)).map { bits in
    var gates = AudioGates()
    for (bit, input) in inputs.enumerated() { gates[keyPath: input] = bits >> bit & 1 == 1 }
    return gates
  }

  @Test func everyCombinationFollowsTheTable() throws {
    #expect(Self.all.count == 4096)
    #expect(Set(Self.all).count == 4096, "an input is missing from the list")
    for gates in Self.all {
      let capture = try #require(Self.captureTable.first { $0.when(gates) }?.outcome)
      let render = try #require(Self.renderTable.first { $0.when(gates) }?.outcome)
      #expect(gates.decision == AudioDecision(capture: capture, render: render), "\(gates)")
    }
    let seen = Self.all.map(\.decision)
    #expect(Set(seen.map(\.capture)).count == AudioDecision.Capture.allCases.count)
    #expect(Set(seen.map(\.render)).count == AudioDecision.Render.allCases.count)
  }

  @Test func neitherMuteTouchesTheSpeaker() {
    for gates in Self.all {
      for mute in [\AudioGates.isSoftMuted, \AudioGates.isHardMuted] {
        var other = gates
        other[keyPath: mute].toggle()
        #expect(other.decision.render == gates.decision.render)
      }
    }
  }

  @Test func oneDirectionsTroubleNeverTouchesTheOther() {
    for gates in Self.all {
      var other = gates
      other.captureIsLost.toggle()
      other.captureIsHeld.toggle()
      other.captureIsWished.toggle()
      #expect(other.decision.render == gates.decision.render)
      other = gates
      other.renderIsLost.toggle()
      other.renderIsHeld.toggle()
      other.renderingIsWished.toggle()
      #expect(other.decision.capture == gates.decision.capture)
    }
  }

  @Test func openingAGateNeverOpensAMicrophoneThatNobodyWishes() {
    let closed = Set<AudioDecision.Capture>([.closed])
    for gates in Self.all where !gates.captureIsWished {
      for input in Self.inputs where input != \AudioGates.captureIsWished {
        var other = gates
        other[keyPath: input].toggle()
        #expect(closed.contains(other.decision.capture))
      }
    }
  }

  @Test func closingAndOpeningAGateLeadsBack() {
    for gates in Self.all {
      for input in Self.inputs {
        var other = gates
        other[keyPath: input].toggle()
        other[keyPath: input].toggle()
        #expect(other == gates)
      }
    }
  }
}
