#if ALSA
  import AudioDeviceKit
  import AudioTestSupport
  import Glibc
  import RealtimeSupport
  import Testing

  /// Calls on real cards that are pulled out and put back, in the kernel lane.
  @Suite(.enabled(if: KernelCard.isLane), .serialized) struct KernelFaultTests {
    /// The wished card goes, the client is fed, and the call is on the card again by itself.
    @Test(arguments: KernelCard.allCases) func aCardIsPulledAndComesBack(card: KernelCard) async throws {
      let id = "hw:CARD=\(card.rawValue),DEV=0"
      let call = try ALSACall(output: .device(id, orDefault: false), latency: .milliseconds(100))
      defer { call.end() }
      try call.manager.startRendering()
      #expect(await call.runs(.render))
      for _ in 0..<(KernelCard.isFull ? 5 : 1) {
        call.log.clear()
        try card.unplug()
        #expect(await becomesTrue(within: .seconds(10)) { call.log.count("lost", .render) == 1 }, "\(call.log.story)")
        let reads = call.bus.reads
        #expect(await becomesTrue(within: .seconds(20)) { call.bus.reads > reads + 100 })
        #expect(call.manager.gates.renderingIsWished)
        try card.replug()
        #expect(await call.runs(.render, within: .seconds(30)), "\(call.log.story)")
        #expect(call.device.renderDeviceID == id)
        #expect(call.log.count("lost") == 1 && call.log.count("recovered", .render) == 1, "\(call.log.story)")
      }
    }

    /// The default stands in for a card that is pulled out, until it is back.
    @Test func theDefaultStandsIn() async throws {
      let id = "hw:CARD=USB,DEV=0"
      let call = try ALSACall(output: .device(id), latency: .milliseconds(100))
      defer { call.end() }
      try call.manager.startRendering()
      #expect(await call.runs(.render))
      call.log.clear()
      try KernelCard.usb.unplug()
      #expect(await becomesTrue(within: .seconds(10)) { call.log.count("fellBack", .render) == 1 }, "\(call.log.story)")
      #expect(await call.runs(.render), "\(call.log.story)")
      #expect(call.device.renderDeviceID == "default")
      try KernelCard.usb.replug()
      #expect(await becomesTrue(within: .seconds(30)) { call.device.renderDeviceID == id }, "\(call.log.story)")
      #expect(await call.runs(.render))
      #expect(call.log.count("moved", .render) == 1, "\(call.log.story)")
    }
  }
#endif
