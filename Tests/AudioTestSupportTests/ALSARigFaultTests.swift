#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import CALSA
  import Foundation
  import Testing

  @Suite struct ALSARigFaultTests {
    /// A rig with a playback handle that is set up, filled and running on the manual clock.
    private func running() throws -> (ALSARig, Handle) {
      let rig = try ALSARig.start()
      rig.speakers.setClock(.manual)
      let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK, nonblocking: true)
      #expect(handle.set() == 0)
      #expect(handle.write([Int16](repeating: 5, count: 960)) == 960)
      #expect(snd_pcm_start(handle.pcm) == 0)
      return (rig, handle)
    }

    @Test func failsToOpen() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.fail(.open, with: EACCES, times: 1)
      #expect(throws: ALSAError(number: EACCES)) { try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK) }
      _ = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
    }

    @Test func failsToBeSetUp() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
      rig.speakers.fail(.hwParams, with: EINVAL)
      #expect(handle.set() == -EINVAL)
      rig.speakers.succeed(.hwParams)
      rig.speakers.fail(.prepare, with: ENODEV)
      #expect(handle.set() == -ENODEV)
      rig.speakers.succeed(.prepare)
      rig.speakers.fail(.start, with: EIO)
      #expect(handle.set() == 0)
      #expect(handle.write([1, 2, 3]) == 3)
      #expect(snd_pcm_start(handle.pcm) == -EIO)
      #expect(rig.speakers.count(.hwParams) == 3)
    }

    @Test func xrunsOnDemand() throws {
      let (rig, handle) = try running()
      defer { rig.stop() }
      rig.speakers.injectXrun()
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLOUT | POLLERR))
      #expect(snd_pcm_avail_update(handle.pcm) == -Int(EPIPE))
      #expect(handle.state == SND_PCM_STATE_XRUN)
      #expect(snd_pcm_recover(handle.pcm, -EPIPE, 1) == 0)
      #expect(handle.state == SND_PCM_STATE_PREPARED)
    }

    @Test func suspendsAndResumes() throws {
      let (rig, handle) = try running()
      defer { rig.stop() }
      rig.speakers.suspend()
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLOUT | POLLERR))
      #expect(handle.state == SND_PCM_STATE_SUSPENDED)
      rig.speakers.step(100)
      #expect(handle.write([1]) == -Int(ESTRPIPE))
      #expect(snd_pcm_resume(handle.pcm) == 0)
      #expect(handle.state == SND_PCM_STATE_RUNNING)
      rig.speakers.step(100)
      #expect(snd_pcm_avail(handle.pcm) == 1_060)
      #expect(rig.speakers.output?.frameCount == 100)
    }

    @Test func suspendsForGoodUntilPrepared() throws {
      let (rig, handle) = try running()
      defer { rig.stop() }
      rig.speakers.suspend(canResume: false)
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLOUT | POLLERR))
      _ = snd_pcm_resume(handle.pcm)
      #expect(handle.state == SND_PCM_STATE_SUSPENDED)
      #expect(snd_pcm_prepare(handle.pcm) == 0)
      #expect(handle.state == SND_PCM_STATE_PREPARED)
    }

    @Test func isUnpluggedAndPluggedIn() throws {
      let (rig, handle) = try running()
      defer { rig.stop() }
      rig.speakers.unplug()
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLERR | POLLHUP))
      #expect(handle.state == SND_PCM_STATE_DISCONNECTED)
      #expect(handle.write([1]) == -Int(ENODEV))
      #expect(snd_pcm_prepare(handle.pcm) == -ENODEV)
      rig.speakers.plug()
      #expect(handle.state == SND_PCM_STATE_DISCONNECTED)
      #expect(snd_pcm_prepare(handle.pcm) == -ENODEV)
      #expect(snd_pcm_drain(handle.pcm) < 0)
    }

    @Test func canBeOpenedAgainAfterItWasUnplugged() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.unplug()
      #expect(throws: ALSAError(number: ENODEV)) { try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK) }
      rig.speakers.plug()
      #expect(try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK).set() == 0)
    }

    @Test func isNotListedWhileUnplugged() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      #expect(hints().contains(rig.speakers.name))
      try rig.unplug(rig.speakers)
      #expect(!hints().contains(rig.speakers.name))
      #expect(throws: ALSAError(number: ENOENT)) { try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK) }
      try rig.plug(rig.speakers)
      #expect(hints().contains(rig.speakers.name))
      #expect(try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK).set() == 0)
    }

    @Test func freezes() throws {
      let (rig, handle) = try running()
      defer { rig.stop() }
      rig.speakers.setFrozen(true)
      rig.speakers.step(5_000)
      #expect(snd_pcm_avail(handle.pcm) == 960)
      #expect(handle.state == SND_PCM_STATE_RUNNING)
      rig.speakers.setFrozen(false)
      rig.speakers.step(40)
      #expect(snd_pcm_avail(handle.pcm) == 1_000)
    }

    @Test func reportsAnErrorToPollAlone() throws {
      let (rig, handle) = try running()
      defer { rig.stop() }
      rig.speakers.setPollErrors(true)
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLERR))
      #expect(handle.state == SND_PCM_STATE_RUNNING)
      rig.speakers.setPollErrors(false)
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLOUT))
    }

    @Test func failsToTransfer() throws {
      let (rig, handle) = try running()
      defer { rig.stop() }
      rig.speakers.fail(.transfer, with: EIO, times: 2, skipping: 1)
      #expect(handle.write([1, 2]) == 2)
      #expect(handle.write([3]) == -Int(EIO))
      #expect(handle.write([3]) == -Int(EIO))
      #expect(handle.write([3]) == 1)
      rig.speakers.fail(.transfer, with: EAGAIN, times: 1)
      #expect(handle.write([4]) == -Int(EAGAIN))
      rig.speakers.shortenNextTransfer(to: 3)
      #expect(handle.write([1, 2, 3, 4, 5]) == 3)
      #expect(handle.write([4, 5]) == 2)
      #expect(rig.speakers.transferredFrames == 960 + 2 + 1 + 3 + 2)
    }

    @Test func tellsWrongDelays() throws {
      let (rig, handle) = try running()
      defer { rig.stop() }
      var avail = 0
      var delay = 0
      rig.speakers.fail(.delay, with: EIO, times: 2)
      #expect(snd_pcm_avail_delay(handle.pcm, &avail, &delay) == -EIO)
      #expect(snd_pcm_delay(handle.pcm, &delay) == -EIO)
      #expect(snd_pcm_avail_delay(handle.pcm, &avail, &delay) == 0)
      #expect(avail == 960 && delay == 960)
      rig.speakers.setExtraDelay(-2_000)
      #expect(snd_pcm_delay(handle.pcm, &delay) == 0)
      #expect(delay == -1_040)
    }

    @Test func tellsWhoTransferred() throws {
      let (rig, handle) = try running()
      defer { rig.stop() }
      #expect(rig.speakers.transferringThread > 0)
      #expect(!rig.speakers.wasTransferredInRealTime)
      _ = handle
    }
  }
#endif
