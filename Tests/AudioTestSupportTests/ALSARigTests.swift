#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import CALSA
  import Foundation
  import Testing

  /// A PCM opened with plain alsa-lib calls.
  private final class Handle {
    let pcm: OpaquePointer

    init(_ name: String, _ stream: snd_pcm_stream_t, nonblocking: Bool = false) throws(ALSAError) {
      var pcm: OpaquePointer?
      let error = snd_pcm_open(&pcm, name, stream, nonblocking ? SND_PCM_NONBLOCK : 0)
      guard error == 0, let pcm else { throw ALSAError(number: -error) }
      self.pcm = pcm
    }

    deinit { snd_pcm_close(pcm) }

    func set(
      _ format: snd_pcm_format_t = SND_PCM_FORMAT_S16_LE, channels: UInt32 = 1, rate: UInt32 = 48_000,
      access: snd_pcm_access_t = SND_PCM_ACCESS_RW_INTERLEAVED, period: UInt = 480, buffer: UInt = 1_920
    ) -> Int32 {
      var parameters: OpaquePointer?
      snd_pcm_hw_params_malloc(&parameters)
      defer { snd_pcm_hw_params_free(parameters) }
      snd_pcm_hw_params_any(pcm, parameters)
      var error = snd_pcm_hw_params_set_access(pcm, parameters, access)
      if error >= 0 { error = snd_pcm_hw_params_set_format(pcm, parameters, format) }
      if error >= 0 { error = snd_pcm_hw_params_set_channels(pcm, parameters, channels) }
      if error >= 0 { error = snd_pcm_hw_params_set_rate(pcm, parameters, rate, 0) }
      if error >= 0 { error = snd_pcm_hw_params_set_buffer_size(pcm, parameters, buffer) }
      if error >= 0 { error = snd_pcm_hw_params_set_period_size(pcm, parameters, period, 0) }
      if error >= 0 { error = snd_pcm_hw_params(pcm, parameters) }
      return error < 0 ? error : startOnlyByStart()
    }

    private func startOnlyByStart() -> Int32 {
      var parameters: OpaquePointer?
      snd_pcm_sw_params_malloc(&parameters)
      defer { snd_pcm_sw_params_free(parameters) }
      snd_pcm_sw_params_current(pcm, parameters)
      var boundary: UInt = 0
      snd_pcm_sw_params_get_boundary(parameters, &boundary)
      snd_pcm_sw_params_set_start_threshold(pcm, parameters, boundary)
      return snd_pcm_sw_params(pcm, parameters)
    }

    func write(_ samples: [Int16], channels: Int = 1) -> Int {
      samples.withUnsafeBytes { snd_pcm_writei(pcm, $0.baseAddress, UInt(samples.count / channels)) }
    }

    func read(_ frames: Int) -> (result: Int, samples: [Int16]) {
      var samples = [Int16](repeating: -1, count: frames)
      let result = samples.withUnsafeMutableBytes { snd_pcm_readi(pcm, $0.baseAddress, UInt(frames)) }
      return (result, Array(samples.prefix(max(0, result))))
    }

    var state: snd_pcm_state_t { snd_pcm_state(pcm) }

    /// The events that poll gives within a limit; 0 when there are none.
    func poll(milliseconds: Int32) -> Int32 {
      var descriptor = pollfd()
      guard snd_pcm_poll_descriptors(pcm, &descriptor, 1) == 1 else { return -1 }
      guard Glibc.poll(&descriptor, 1, milliseconds) == 1 else { return 0 }
      var events: UInt16 = 0
      guard snd_pcm_poll_descriptors_revents(pcm, &descriptor, 1, &events) == 0 else { return -1 }
      return Int32(events)
    }
  }

  private struct ALSAError: Error, Equatable { let number: Int32 }

  @Suite struct ALSARigTests {
    private let coded = IndexCode.signal(.milliseconds(625))

    @Test func recordsExactlyWhatWasPlayed() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
      // So much that a machine that stands still for a while makes no underrun.
      #expect(handle.set(channels: 2, buffer: 14_400) == 0)
      let signal = IndexCode.signal(.milliseconds(400), format: .stereo)
      for period in 0..<40 {
        #expect(handle.write(signal.frames(period * 480..<(period + 1) * 480).samples, channels: 2) == 480)
        if period == 29 { #expect(snd_pcm_start(handle.pcm) == 0) }
      }
      #expect(snd_pcm_drain(handle.pcm) == 0)
      let output = try #require(rig.speakers.output)
      #expect(output == signal)
      #expect(rig.speakers.transferredFrames == 19_200)
      #expect(rig.speakers.hardwareFrames == 19_200)
      #expect(rig.speakers.count(.drain) == 1)
      #expect(rig.speakers.xruns == 0)
    }

    @Test func capturesExactlyWhatWasSet() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let input = IndexCode.signal(.milliseconds(100))
      try rig.microphone.setInput(input)
      rig.microphone.setClock(.manual)
      let handle = try Handle(rig.microphone.name, SND_PCM_STREAM_CAPTURE)
      #expect(handle.set() == 0)
      #expect(snd_pcm_start(handle.pcm) == 0)
      var captured: [Int16] = []
      for _ in 0..<20 {
        rig.microphone.step(480)
        let (result, samples) = handle.read(480)
        #expect(result == 480)
        captured += samples
      }
      #expect(captured == input.samples + input.samples)
    }

    @Test(arguments: [
      SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S32_LE,
      SND_PCM_FORMAT_FLOAT_LE,
    ]) func convertsWithoutLoss(format: snd_pcm_format_t) throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let samples: [Int16] = [0, 1, -1, 255, -256, 12_345, -12_345, .max, .min]
      try rig.microphone.setInput(Signal(samples, format: .voice))
      rig.microphone.setClock(.manual)
      let microphone = try Handle(rig.microphone.name, SND_PCM_STREAM_CAPTURE)
      #expect(microphone.set(format) == 0)
      #expect(snd_pcm_start(microphone.pcm) == 0)
      rig.microphone.step(samples.count)
      let bytes = samples.count * Int(snd_pcm_format_physical_width(format)) / 8
      var frames = [UInt8](repeating: 0, count: bytes)
      #expect(snd_pcm_readi(microphone.pcm, &frames, UInt(samples.count)) == samples.count)

      rig.speakers.setClock(.manual)
      let speakers = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
      #expect(speakers.set(format) == 0)
      #expect(snd_pcm_writei(speakers.pcm, frames, UInt(samples.count)) == samples.count)
      #expect(snd_pcm_start(speakers.pcm) == 0)
      rig.speakers.step(samples.count - 1)
      #expect(snd_pcm_avail(speakers.pcm) == 1_919)
      #expect(rig.speakers.output?.samples == Array(samples.dropLast()))
      #expect(rig.speakers.parameters?.format == Int(format.rawValue))
    }

    @Test func worksWithMappedMemory() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.setClock(.manual)
      let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
      #expect(handle.set(access: SND_PCM_ACCESS_MMAP_INTERLEAVED) == 0)
      let samples = coded.frames(0..<1_000).samples
      #expect(samples.withUnsafeBytes { snd_pcm_mmap_writei(handle.pcm, $0.baseAddress, 1_000) } == 1_000)
      #expect(snd_pcm_start(handle.pcm) == 0)
      rig.speakers.step(999)
      #expect(snd_pcm_avail(handle.pcm) == 1_919)
      #expect(rig.speakers.output?.samples == Array(samples.prefix(999)))
    }

    @Test func dropsWhatWasNotYetPlayed() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.setClock(.manual)
      let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
      #expect(handle.set() == 0)
      #expect(handle.write(coded.frames(0..<1_920).samples) == 1_920)
      #expect(snd_pcm_start(handle.pcm) == 0)
      rig.speakers.step(700)
      #expect(snd_pcm_drop(handle.pcm) == 0)
      #expect(rig.speakers.output == coded.frames(0..<700))
    }

    @Test func pollsWhenTheManualClockSaysSo() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.setClock(.manual)
      let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
      #expect(handle.set() == 0)
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLOUT))
      #expect(handle.write([Int16](repeating: 1, count: 1_920)) == 1_920)
      #expect(snd_pcm_start(handle.pcm) == 0)
      #expect(handle.poll(milliseconds: 20) == 0)
      rig.speakers.step(479)
      // The step woke the client, which finds nothing to do.
      #expect(handle.poll(milliseconds: 1_000) == 0)
      #expect(handle.poll(milliseconds: 20) == 0)
      rig.speakers.step(1)
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLOUT))
      // And again, for as long as there is room.
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLOUT))
      var delay = 0
      #expect(snd_pcm_delay(handle.pcm, &delay) == 0)
      #expect(delay == 1_440)
    }

    @Test func wakesOncePerPeriodInRealTime() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let handle = try Handle(rig.microphone.name, SND_PCM_STREAM_CAPTURE)
      #expect(handle.set(buffer: 48_000) == 0)
      #expect(snd_pcm_start(handle.pcm) == 0)
      let start = ContinuousClock.now
      for _ in 0..<50 {
        #expect(handle.poll(milliseconds: 1_000) == Int32(POLLIN))
        #expect(handle.read(480).result == 480)
      }
      let elapsed = ContinuousClock.now - start
      #expect(elapsed > .milliseconds(499) && elapsed < .milliseconds(1_500))
      #expect(rig.microphone.count(.poll) == 50)
      #expect(rig.microphone.xruns == 0)
    }

    @Test(arguments: [-20_000, 0, 20_000]) func driftsAsTold(partsPerMillion: Int) throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.microphone.setClock(.realTime(partsPerMillion: partsPerMillion))
      let handle = try Handle(rig.microphone.name, SND_PCM_STREAM_CAPTURE)
      #expect(handle.set(buffer: 96_000) == 0)
      let start = ContinuousClock.now
      #expect(snd_pcm_start(handle.pcm) == 0)
      let started = ContinuousClock.now
      usleep(500_000)
      let asked = ContinuousClock.now
      let frames = Double(snd_pcm_avail(handle.pcm))
      let end = ContinuousClock.now
      // The device was started and asked somewhere between these moments.
      let speed = 48_000 * (1 + Double(partsPerMillion) / 1e6)
      #expect(frames <= (end - start) / .seconds(1) * speed + 1)
      #expect(frames >= (asked - started) / .seconds(1) * speed - 1)
    }

    @Test func underrunsWhenNothingIsWritten() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.setClock(.manual)
      let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
      #expect(handle.set() == 0)
      #expect(handle.write(coded.frames(0..<960).samples) == 960)
      #expect(snd_pcm_start(handle.pcm) == 0)
      rig.speakers.step(5_000)
      #expect(handle.poll(milliseconds: 1_000) == Int32(POLLOUT | POLLERR))
      #expect(handle.state == SND_PCM_STATE_XRUN)
      #expect(handle.write([1]) == -Int(EPIPE))
      #expect(rig.speakers.xruns == 1)
      #expect(snd_pcm_prepare(handle.pcm) == 0)
      #expect(handle.write(coded.frames(960..<1_920).samples) == 960)
      #expect(snd_pcm_start(handle.pcm) == 0)
      rig.speakers.step(959)
      #expect(snd_pcm_avail(handle.pcm) == 1_919)
      #expect(rig.speakers.output == coded.frames(0..<1_919))
    }

    @Test func soundGoesOnDuringAnOverrun() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      try rig.microphone.setInput(coded)
      rig.microphone.setClock(.manual)
      let handle = try Handle(rig.microphone.name, SND_PCM_STREAM_CAPTURE)
      #expect(handle.set() == 0)
      #expect(snd_pcm_start(handle.pcm) == 0)
      rig.microphone.step(480)
      let before = handle.read(480)
      rig.microphone.step(4_800)
      #expect(handle.read(480).result == -Int(EPIPE))
      rig.microphone.step(1_000)
      #expect(snd_pcm_prepare(handle.pcm) == 0)
      #expect(snd_pcm_start(handle.pcm) == 0)
      rig.microphone.step(480)
      let after = handle.read(480)
      let report = IndexCode.examine(Signal(before.samples + after.samples, format: .voice))
      #expect(report.breaks == [.init(frame: 480, silence: 0, skipped: 5_800)])
    }

    @Test func pausesAndGoesOn() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.setClock(.manual)
      let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
      #expect(handle.set() == 0)
      #expect(handle.write(coded.frames(0..<1_920).samples) == 1_920)
      #expect(snd_pcm_start(handle.pcm) == 0)
      rig.speakers.step(100)
      #expect(snd_pcm_pause(handle.pcm, 1) == 0)
      rig.speakers.step(300)
      #expect(snd_pcm_pause(handle.pcm, 0) == 0)
      rig.speakers.step(100)
      #expect(snd_pcm_avail(handle.pcm) == 200)
      #expect(rig.speakers.output == coded.frames(0..<200))
      #expect(rig.speakers.count(.pause) == 2)
    }

    @Test func admitsOneClient() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      #expect(!rig.speakers.isOpen)
      do {
        let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
        #expect(rig.speakers.isOpen)
        #expect(throws: ALSAError(number: EBUSY)) { try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK) }
        #expect(throws: ALSAError(number: ENOENT)) { try Handle(rig.speakers.name, SND_PCM_STREAM_CAPTURE) }
        _ = handle
      }
      #expect(!rig.speakers.isOpen)
      #expect(rig.speakers.count(.open) == 3)
      #expect(rig.speakers.count(.close) == 1)
      _ = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
    }

    @Test func limitsWhatTheHardwareCan() throws {
      var configuration = ALSARig.Configuration()
      configuration.speakers.formats = ["S32_LE"]
      configuration.speakers.sampleRates = 44_100...48_000
      configuration.speakers.channelCounts = 2...2
      configuration.speakers.periodFrames = 256...1_024
      configuration.speakers.bufferFrames = 1_024...4_096
      configuration.speakers.canPause = false
      let rig = try ALSARig.start(configuration)
      defer { rig.stop() }
      let handle = try Handle(rig.speakers.name, SND_PCM_STREAM_PLAYBACK)
      #expect(handle.set(channels: 2) == -EINVAL)
      #expect(handle.set(SND_PCM_FORMAT_S32_LE, channels: 1) == -EINVAL)
      #expect(handle.set(SND_PCM_FORMAT_S32_LE, channels: 2, rate: 16_000) == -EINVAL)
      #expect(handle.set(SND_PCM_FORMAT_S32_LE, channels: 2, period: 2_048, buffer: 4_096) == -EINVAL)
      #expect(handle.set(SND_PCM_FORMAT_S32_LE, channels: 2, period: 1_024, buffer: 8_192) == -EINVAL)
      #expect(handle.set(SND_PCM_FORMAT_S32_LE, channels: 2, rate: 44_100, period: 1_024, buffer: 4_096) == 0)
      #expect(rig.speakers.parameters?.sampleRate == 44_100)
      #expect(rig.speakers.parameters?.channelCount == 2)
      #expect(rig.speakers.parameters?.periodFrames == 1_024)
      #expect(rig.speakers.parameters?.bufferFrames == 4_096)
      var parameters: OpaquePointer?
      snd_pcm_hw_params_malloc(&parameters)
      defer { snd_pcm_hw_params_free(parameters) }
      snd_pcm_hw_params_current(handle.pcm, parameters)
      #expect(snd_pcm_hw_params_can_pause(parameters) == 0)
      #expect(snd_pcm_hw_params_can_resume(parameters) == 1)
    }
  }

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

  @Suite struct ALSARigConfigurationTests {
    @Test func listsItsDevices() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let names = hints()
      for name in [
        rig.speakers.name, rig.microphone.name, rig.secondSpeakers.name, rig.secondMicrophone.name, rig.pairName,
        rig.nullName, rig.fileName,
      ] {
        #expect(names.contains(name))
      }
      #expect(!names.contains(rig.pulseName))
    }

    @Test func rigsDoNotDisturbEachOther() throws {
      let first = try ALSARig.start()
      let second = try ALSARig.start()
      defer { second.stop() }
      #expect(first.speakers.name != second.speakers.name)
      let handle = try Handle(second.speakers.name, SND_PCM_STREAM_PLAYBACK)
      first.stop()
      #expect(!hints().contains(first.speakers.name))
      #expect(throws: ALSAError(number: ENOENT)) { try Handle(first.speakers.name, SND_PCM_STREAM_PLAYBACK) }
      #expect(handle.set() == 0)
      #expect(!FileManager.default.fileExists(atPath: first.folder))
    }

    @Test func hasADefaultForOneRigAtATime() throws {
      var configuration = ALSARig.Configuration()
      configuration.definesDefault = true
      configuration.speakers.sampleRates = 48_000...48_000
      let rig = try ALSARig.start(configuration)
      #expect(throws: RigError.self) { try ALSARig.start(configuration) }
      // Converted on the way.
      #expect(try Handle("default", SND_PCM_STREAM_PLAYBACK).set(rate: 16_000) == 0)
      #expect(rig.speakers.parameters?.sampleRate == 48_000)
      rig.stop()
      #expect(throws: ALSAError.self) { try Handle("default", SND_PCM_STREAM_PLAYBACK) }
    }

    @Test func playsInBothDirectionsThroughThePair() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let playback = try Handle(rig.pairName, SND_PCM_STREAM_PLAYBACK)
      let capture = try Handle(rig.pairName, SND_PCM_STREAM_CAPTURE)
      #expect(playback.set() == 0 && capture.set() == 0)
      #expect(rig.speakers.isOpen && rig.microphone.isOpen)
    }

    @Test func writesAFile() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      do {
        let handle = try Handle(rig.fileName, SND_PCM_STREAM_PLAYBACK)
        #expect(handle.set() == 0)
        #expect(handle.write([1, 2, 3]) == 3)
        #expect(snd_pcm_drain(handle.pcm) == 0)
      }
      let data = try #require(FileManager.default.contents(atPath: rig.filePath))
      #expect(Signal(littleEndian: Array(data), format: .voice).samples == [1, 2, 3])
    }

    @Test func reachesAPulseServer() throws {
      let server = try PulseServer.start()
      defer { server.stop() }
      var configuration = ALSARig.Configuration()
      configuration.pulseServer = server.serverString
      let rig = try ALSARig.start(configuration)
      defer { rig.stop() }
      let handle = try Handle(rig.pulseName, SND_PCM_STREAM_PLAYBACK)
      #expect(handle.set() == 0)
      #expect(handle.write([Int16](repeating: 0, count: 1_920)) == 1_920)
      #expect(snd_pcm_start(handle.pcm) == 0)
      #expect(try eventually { try server.sinkInputs(ofProcess: getpid()).contains { $0.deviceName == "spk" } })
    }

    @Test(.enabled(if: HeapCalls.areCounted, "a plug-in with a sanitizer in it needs a program with one"))
    func servesOtherPrograms() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let signal = IndexCode.signal(.milliseconds(200))
      let bytes = signal.samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      let output = try Subprocess.run(
        ["aplay", "-D", rig.speakers.name, "-t", "raw", "-f", "S16_LE", "-r", "48000", "-c", "1", "-"],
        environment: rig.environment, input: bytes)
      #expect(output.status == .exited(0), "\(output.errorText)")
      // aplay fills the last period with silence.
      let played = try #require(rig.speakers.output)
      #expect(played.firstOccurrence(of: signal) == 0, "\(IndexCode.examine(played))")
    }
  }

  /// The names that `snd_device_name_hint` lists.
  private func hints() -> [String] {
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, "pcm", &list) == 0, let list else { return [] }
    defer { snd_device_name_free_hint(list) }
    var names: [String] = []
    var entry = list
    while let hint = entry.pointee {
      if let name = snd_device_name_get_hint(hint, "NAME") {
        names.append(String(cString: name))
        free(name)
      }
      entry += 1
    }
    return names
  }
#endif
