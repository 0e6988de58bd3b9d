#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import CALSA
  import Foundation
  import Testing

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
#endif
