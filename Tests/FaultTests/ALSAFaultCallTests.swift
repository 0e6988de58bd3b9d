#if ALSA
  import AudioDeviceKit
  import AudioTestSupport
  import Glibc
  import RealtimeSupport
  import Testing

  extension FaultTests {
    /// A call on a fake sound device that does what is asked of it.
    @Suite struct ALSAFaultCalls {
      private func start(
        _ rig: ALSARig, _ direction: AudioDirection
      ) throws -> (call: ALSACall, pcm: FakePCM) {
        let call = try ALSACall(
          input: .device(rig.microphone.name, orDefault: false), output: .device(rig.speakers.name, orDefault: false))
        try call.start(direction)
        #expect(call.flows(direction, within: .seconds(10)))
        return (call, direction == .capture ? rig.microphone : rig.speakers)
      }

      /// What the backend gives up, the manager starts again, until it works.
      @Test(arguments: AudioDirection.allCases, [ENODEV, EIO])
      func aDeviceThatFails(direction: AudioDirection, error: Int32) throws {
        let rig = try ALSARig.start()
        defer { rig.stop() }
        let (call, pcm) = try start(rig, direction)
        defer { call.end() }
        if error == ENODEV {
          pcm.unplug()
        } else {
          for operation in [FakePCM.Operation.transfer, .prepare] { pcm.fail(operation, with: error) }
        }
        #expect(eventually { call.count("lost", direction) == 1 }, "\(call.story)")
        // Tried again and again, less often each time, and the client is fed meanwhile.
        let tries = pcm.count(.open)
        call.expectPace(for: .seconds(2), slack: .milliseconds(50), [direction])
        #expect(pcm.count(.open) - tries < 12)
        #expect(call.isWished(direction))
        if error == ENODEV {
          pcm.plug()
        } else {
          for operation in [FakePCM.Operation.transfer, .prepare] { pcm.succeed(operation) }
        }
        #expect(call.flows(direction, within: .seconds(4)), "\(call.story)")
        call.expectOneLoss([direction])
      }

      /// What a stream gets over by itself is an xrun and no loss.
      @Test(arguments: AudioDirection.allCases) func xrunsAndSuspends(direction: AudioDirection) throws {
        let rig = try ALSARig.start()
        defer { rig.stop() }
        let (call, pcm) = try start(rig, direction)
        defer { call.end() }
        pcm.injectXrun()
        #expect(call.flows(direction, within: .seconds(1)))
        pcm.suspend()
        #expect(call.flows(direction, within: .seconds(1)))
        pcm.suspend(canResume: false)
        #expect(call.flows(direction, within: .seconds(1)))
        pcm.shortenNextTransfer(to: 7)
        pcm.fail(.transfer, with: EAGAIN, times: 3)
        #expect(call.flows(direction, within: .seconds(1)))
        #expect(call.count("lost") == 0, "\(call.story)")
        #expect(eventually { call.count("xrun", direction) > 0 }, "\(call.story)")
        #expect(call.manager.statistics[direction].lostFrames > 0)
      }

      /// Drivers tell delays that are negative or absurd, servers' plug-ins none at all right after they were opened:
      /// the estimates stay sane, and the audio is not touched.
      @Test func delaysThatMakeNoSense() throws {
        let rig = try ALSARig.start()
        defer { rig.stop() }
        let devices = [rig.microphone, rig.speakers]
        try rig.microphone.setInput(IndexCode.signal(.milliseconds(625)))
        for device in devices { device.fail(.delay, with: EIO) }
        let call = try ALSACall(
          input: .device(rig.microphone.name, orDefault: false), output: .device(rig.speakers.name, orDefault: false),
          latency: .milliseconds(300))
        defer { call.end() }
        func expectSaneDelays() {
          for direction in AudioDirection.allCases {
            var estimates: [Duration] = []
            let before = call.frames(direction)
            let flows = eventually {
              estimates.append(
                direction == .capture ? call.manager.estimatedCaptureDelay : call.manager.estimatedRenderDelay)
              return call.frames(direction) > before + 24_000
            }
            #expect(flows, "\(call.story)")
            #expect(estimates.allSatisfy { (.zero ... .milliseconds(500)).contains($0) }, "\(estimates)")
          }
        }
        for direction in AudioDirection.allCases { try call.start(direction) }
        expectSaneDelays()
        for device in devices { device.succeed(.delay) }
        for delay in [-1_000_000, -480] {
          for device in devices { device.setExtraDelay(delay) }
          expectSaneDelays()
        }
        func expectAudio(breaks: Int) throws {
          for signal in [try #require(rig.speakers.output), Signal(call.bus.captured, format: .voice)] {
            let report = IndexCode.examine(signal)
            #expect(
              report.codedFrames > 70_000 && report.foreignFrames == 0 && report.breaks.count == breaks, "\(report)")
          }
        }
        try expectAudio(breaks: 0)
        // The look for what is there fails as well, which is an xrun: heard once, and over.
        for device in devices { device.injectXrun() }
        expectSaneDelays()
        try expectAudio(breaks: 1)
        #expect(call.bus.periods.allSatisfy { (.zero ... .seconds(1)).contains($0.age) })
        #expect(call.count("lost") == 0 && call.count("recovered") == 0, "\(call.story)")
      }
    }
  }
#endif
