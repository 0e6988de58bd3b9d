import CallServices
import Testing

@Suite struct CallStateMachineTests {
  static let steps: [CallStateMachine.Step] = [.answer, .connect, .hold, .resume, .end(.ended)]

  /// The state after each of the steps above; nil where it is the wrong moment.
  static let table: [(CallState, [CallState?])] = [
    (.ringing, [.connecting, nil, nil, nil, .ended(.ended)]),
    (.connecting, [nil, .connected, nil, nil, .ended(.ended)]),
    (.connected, [nil, nil, .held, nil, .ended(.ended)]),
    (.held, [nil, nil, nil, .connected, .ended(.ended)]),
    (.ended(.declined), [nil, nil, nil, nil, nil]),
  ]

  /// Steps from the beginning of an incoming call to each state.
  static func machine(in state: CallState) throws -> CallStateMachine {
    var machine = CallStateMachine(.incoming)
    let path: [CallStateMachine.Step] =
      switch state {
      case .ringing: []
      case .connecting: [.answer]
      case .connected: [.answer, .connect]
      case .held: [.answer, .connect, .hold]
      case .ended(let reason): [.end(reason)]
      }
    for step in path { try machine.take(step) }
    #expect(machine.state == state)
    return machine
  }

  @Test(arguments: table)
  func everyStepInEveryState(state: CallState, outcomes: [CallState?]) throws {
    for (step, outcome) in zip(Self.steps, outcomes) {
      var machine = try Self.machine(in: state)
      if let outcome {
        try machine.take(step)
        #expect(machine.state == outcome, "\(step)")
      } else {
        #expect(throws: CallError.self, "\(step) while \(state)") { try machine.take(step) }
        #expect(machine.state == state)
      }
    }
  }

  @Test func theWrongMomentHasItsCode() {
    var machine = CallStateMachine(.incoming)
    let error = #expect(throws: CallError.self) { try machine.take(.hold) }
    #expect(error?.code == .wrongMoment)
    #expect(error?.message.contains("ringing") == true)
  }

  @Test func outgoingCallsBeginByConnecting() throws {
    var machine = CallStateMachine(.outgoing)
    #expect(machine.state == .connecting)
    try machine.take(.connect)
    #expect(machine.state == .connected)
  }

  @Test(arguments: CallEndReason.allCases)
  func theReasonIsKept(reason: CallEndReason) throws {
    var machine = CallStateMachine(.incoming)
    try machine.take(.end(reason))
    #expect(machine.state == .ended(reason))
    #expect(machine.state.isEnded)
  }
}
