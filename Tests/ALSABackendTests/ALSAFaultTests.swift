#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  import Testing

  @testable import ALSABackend

  /// What can happen to a running PCM: the audio comes back, or the stream is lost, once, and never anything between.
  @Suite(.serialized) struct ALSAFaultTests {
    /// Bound of a close on a machine that is busy with other things; the design's is 200 ms.
    private static let closeLimit = Duration.seconds(1)

    private func device(_ rig: ALSARig, _ direction: AudioDirection) -> FakePCM {
      direction == .capture ? rig.microphone : rig.speakers
    }

    /// Runs audio, lets something happen, and expects audio again with nothing lost but frames.
    private func expectRecovery(
      _ direction: AudioDirection, _ happen: (FakePCM) -> Void, undo: (FakePCM) -> Void = { _ in }
    ) async throws -> (stream: AudioDeviceStatistics.Direction, device: FakePCM, client: TestClient) {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let device = device(rig, direction)
      let open = try OpenStream(device.name, direction)
      #expect(await open.flows())
      happen(device)
      #expect(await open.flows())
      undo(device)
      #expect(await open.flows())
      let statistics = open.stream.statistics
      #expect(open.close() < Self.closeLimit)
      #expect(open.client.losses.isEmpty)
      #expect(!device.isOpen)
      return (statistics, device, open.client)
    }

    /// Runs audio, lets something happen, and expects one loss, after which nothing is called and nothing is open.
    private func expectLoss(
      _ direction: AudioDirection, _ code: AudioDeviceError.Code, _ happen: (FakePCM) -> Void
    ) async throws -> (error: AudioDeviceError?, device: FakePCM) {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let device = device(rig, direction)
      let open = try OpenStream(device.name, direction)
      #expect(await open.flows())
      let polls = device.count(.poll)
      happen(device)
      #expect(await becomesTrue { !open.client.losses.isEmpty })
      #expect(open.client.losses.map(\.code) == [code])
      // Given up without being asked to: nothing of it is left, and it was not polled like mad.
      #expect(await becomesTrue { !device.isOpen })
      #expect(device.count(.poll) - polls < 400)
      #expect(device.count(.drain) == 0)
      let calls = open.client.calls
      #expect(open.close() < Self.closeLimit)
      #expect(open.client.calls == calls)
      #expect(open.client.losses.count == 1)
      return (open.client.losses.first, device)
    }

    // MARK: It comes back

    @Test(arguments: AudioDirection.allCases) func anXrunIsCountedAndOver(direction: AudioDirection) async throws {
      let (statistics, device, client) = try await expectRecovery(direction) { $0.injectXrun() }
      #expect(statistics.xruns == 1 && client.xruns == 1 && device.xruns == 1)
      #expect(statistics.lostFrames > 0)
    }

    /// The device runs on while nobody serves it: the loss is what it amounts to.
    @Test func aRealUnderrunCostsTheGap() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.setClock(.manual)
      let open = try OpenStream(rig.speakers.name, .render, latency: nil)
      defer { open.stream.close() }
      #expect(eventually { open.client.renderedFrames == 480 })
      usleep(200_000)
      rig.speakers.step(1_921)
      #expect(eventually { open.client.xruns == 1 })
      #expect(open.stream.statistics.xruns == 1)
      // 200 ms passed, of which the queue of 40 ms was played.
      #expect(open.stream.statistics.lostFrames >= 7_000)
      #expect(open.client.losses.isEmpty)
    }

    @Test func aRealOverrunCostsTheGap() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.microphone.setClock(.manual)
      let open = try OpenStream(rig.microphone.name, .capture, latency: nil)
      defer { open.stream.close() }
      usleep(300_000)
      rig.microphone.step(9_601)
      #expect(eventually { open.client.xruns == 1 })
      #expect(open.stream.statistics.lostFrames >= 12_000)
      rig.microphone.step(480)
      #expect(eventually { open.client.capturedFrames == 480 })
    }

    @Test(arguments: AudioDirection.allCases) func resumesAfterASuspend(direction: AudioDirection) async throws {
      let (statistics, device, _) = try await expectRecovery(direction) { $0.suspend(canResume: true) }
      #expect(device.count(.resume) == 1)
      // hw_params prepares once.
      #expect(device.count(.prepare) == 1)
      #expect(statistics.xruns == 0)
    }

    @Test(arguments: AudioDirection.allCases) func preparesWhereItCannotResume(direction: AudioDirection) async throws {
      let (statistics, device, _) = try await expectRecovery(direction) { $0.suspend(canResume: false) }
      #expect((1...PCMStateMachine.resumeLimit).contains(device.count(.resume)))
      #expect(device.count(.prepare) == 2)
      #expect(statistics.xruns == 0 && statistics.lostFrames > 0)
    }

    @Test(arguments: AudioDirection.allCases) func survivesASingleError(direction: AudioDirection) async throws {
      let (statistics, device, _) = try await expectRecovery(direction) { $0.fail(.transfer, with: EIO, times: 1) }
      #expect(device.count(.prepare) == 2)
      #expect(statistics.xruns == 0 && statistics.lostFrames > 0)
    }

    @Test(arguments: AudioDirection.allCases) func survivesAPrepareThatFailsOnce(direction: AudioDirection) async throws
    {
      let (statistics, device, _) = try await expectRecovery(direction) {
        $0.fail(.prepare, with: EIO, times: 1)
        $0.injectXrun()
      }
      #expect(device.count(.prepare) == 3)
      #expect(statistics.xruns == 1)
    }

    @Test(arguments: AudioDirection.allCases) func standsStillForAMoment(direction: AudioDirection) async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let device = device(rig, direction)
      let open = try OpenStream(device.name, direction)
      defer { open.stream.close() }
      #expect(await open.flows())
      device.setFrozen(true)
      // On this thread: a task that sleeps may be woken too late on a busy machine, after the second of grace.
      usleep(300_000)
      device.setFrozen(false)
      #expect(await open.flows())
      #expect(open.client.notices.isEmpty)
    }

    // MARK: It is lost

    @Test(arguments: AudioDirection.allCases) func isLostWhenUnplugged(direction: AudioDirection) async throws {
      let (error, device) = try await expectLoss(direction, .deviceLost) { $0.unplug() }
      #expect(error?.number == Int(-ENODEV))
      #expect(error?.message.contains("unplugged") == true)
      #expect(device.count(.prepare) == 1)
    }

    @Test(arguments: AudioDirection.allCases) func isLostWhenFrozen(direction: AudioDirection) async throws {
      let start = ContinuousClock.now
      let (error, _) = try await expectLoss(direction, .timedOut) { $0.setFrozen(true) }
      #expect(ContinuousClock.now - start > .seconds(1))
      #expect(error?.call == "poll")
    }

    @Test(arguments: AudioDirection.allCases) func isLostWhenPollOnlyFails(direction: AudioDirection) async throws {
      let (error, device) = try await expectLoss(direction, .deviceLost) { $0.setPollErrors(true) }
      #expect(error?.number == Int(-EIO))
      #expect(device.count(.prepare) <= 1 + PCMStateMachine.failureLimit)
    }

    /// What `pulse` does when its server has died: quick, and not 480 000 times a second.
    @Test(arguments: AudioDirection.allCases) func isLostWhenItCannotBePrepared(direction: AudioDirection) async throws
    {
      let (error, device) = try await expectLoss(direction, .deviceLost) {
        $0.fail(.prepare, with: EIO)
        $0.injectXrun()
      }
      #expect(error?.number == Int(-EIO))
      #expect(device.count(.prepare) == 1 + PCMStateMachine.failureLimit)
    }

    /// What `pipewire` does when its server has died: it restarts as often as it is asked to.
    @Test func isLostInAStormOfXruns() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.microphone.name, .capture)
      defer { open.stream.close() }
      #expect(await open.flows())
      // Every read fails; starting succeeds every time.
      rig.microphone.fail(.transfer, with: EPIPE)
      #expect(await becomesTrue { !open.client.losses.isEmpty })
      #expect(open.client.losses.map(\.code) == [.deviceLost])
      #expect(open.client.losses.first?.number == Int(-EPIPE))
      #expect((2...PCMStateMachine.strikeLimit).contains(open.client.xruns))
      #expect(open.stream.statistics.xruns == open.client.xruns)
      #expect(rig.microphone.count(.prepare) == 1 + open.client.xruns)
    }

    @Test(arguments: AudioDirection.allCases) func isLostWhenTransfersKeepFailing(direction: AudioDirection)
      async throws
    {
      let (error, _) = try await expectLoss(direction, .deviceLost) { $0.fail(.transfer, with: EIO) }
      #expect(error?.number == Int(-EIO))
    }

    @Test(arguments: AudioDirection.allCases) func isLostWhenItCannotBeStarted(direction: AudioDirection) async throws {
      let (error, _) = try await expectLoss(direction, .deviceLost) {
        $0.fail(.start, with: EBADFD)
        $0.injectXrun()
      }
      #expect(error?.number == Int(-EBADFD))
    }
  }
#endif
