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
        if direction == .capture { try call.manager.startCapture() } else { try call.manager.startRendering() }
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
        #expect(eventually { call.log.count("lost", direction) == 1 }, "\(call.log.story)")
        // Tried again and again, less often each time, and the client is fed meanwhile.
        let (begun, tries, periods) = (AudioInstant.now, pcm.count(.open), call.periods(direction))
        #expect(eventually { AudioInstant.now - begun > .seconds(2) })
        let waited = Int((AudioInstant.now - begun) / .milliseconds(10))
        #expect(pcm.count(.open) - tries < 12)
        #expect((waited * 9 / 10 - 5...waited * 11 / 10 + 5).contains(call.periods(direction) - periods))
        let gates = call.manager.gates
        #expect(direction == .capture ? gates.captureIsWished : gates.renderingIsWished)
        if error == ENODEV {
          pcm.plug()
        } else {
          for operation in [FakePCM.Operation.transfer, .prepare] { pcm.succeed(operation) }
        }
        #expect(call.flows(direction, within: .seconds(4)), "\(call.log.story)")
        #expect(
          call.log.count("lost", direction) == 1 && call.log.count("recovered", direction) == 1, "\(call.log.story)")
        #expect(call.log.count("failed") == 0, "\(call.log.story)")
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
        #expect(call.log.count("lost") == 0, "\(call.log.story)")
        #expect(eventually { call.log.count("xrun", direction) > 0 }, "\(call.log.story)")
        #expect(call.manager.statistics[direction].lostFrames > 0)
      }
    }
  }
#endif
