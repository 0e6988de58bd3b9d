#if ALSA
  import AudioTestSupport
  import CALSA
  import Testing

  /// That the lane's machine sleeps, and what that does to streams.
  @Suite(.enabled(if: KernelCard.isLane)) struct SuspendedKernelTests {
    @Test func streamsAreSuspended() throws {
      let loopback = try KernelPCM("hw:Loopback,0", SND_PCM_STREAM_PLAYBACK)
      let hda = try KernelPCM("hw:HDA,0", SND_PCM_STREAM_PLAYBACK)
      try loopback.write([Int16](repeating: 1, count: loopback.bufferFrames * 2))
      try hda.write([Int16](repeating: 1, count: hda.bufferFrames * 2))
      try KernelCard.suspendMachine()
      #expect(loopback.currentError() == -Int(ESTRPIPE))
      #expect(hda.currentError() == -Int(ESTRPIPE))
      // The one goes on where it was, the other has to begin anew.
      #expect(loopback.resume() == 0)
      #expect(loopback.state == SND_PCM_STATE_RUNNING)
      #expect(hda.resume() == -ENOSYS)
      try hda.prepare()
      try hda.write([Int16](repeating: 1, count: hda.bufferFrames * 2))
      #expect(hda.state == SND_PCM_STATE_RUNNING)
    }
  }
#endif
