#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  import Testing

  @testable import ALSABackend

  /// Playback on the rig's fake speakers: what left the device is compared with what the client gave.
  @Suite(.serialized) struct ALSARenderTests {
    /// Steps the device by hand, so that little depends on the machine's load. Such tests hold their thread: a device
    /// that is not stepped for a second is lost.
    @Test func playsEveryFrameUnchangedAndOnTime() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      rig.speakers.setClock(.manual)
      let open = try OpenStream(rig.speakers.name, .render, latency: nil)
      defer { open.stream.close() }
      // Silence but for one period, which is the client's.
      #expect(eventually { open.client.renderedFrames == 480 })
      #expect(rig.speakers.parameters?.bufferFrames == 1_920)
      for step in 1...100 {
        rig.speakers.step(480)
        #expect(eventually { open.client.renderedFrames == 480 * (step + 1) })
        // As fast as real time at most, or the stream takes the device for one without a clock.
        usleep(9_000)
      }
      open.stream.close()
      let report = IndexCode.examine(try #require(rig.speakers.output))
      #expect(report.leadingSilence == 1_440)
      #expect(report.codedFrames == 48_000 - 1_440)
      #expect(report.isContinuous, "\(report)")
      #expect(open.stream.statistics.xruns == 0 && open.client.notices.isEmpty)
      #expect(open.stream.statistics.frames == open.client.renderedFrames)
    }

    @Test(arguments: [(8_000, 1), (16_000, 1), (44_100, 2), (48_000, 2), (11_025, 1), (192_000, 1), (16_000, 8)])
    func playsEveryFormatInRealTime(rate: Int, channels: Int) async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let format = try AudioFormat(sampleRate: rate, channelCount: channels)
      let open = try OpenStream(rig.speakers.name, .render, format: format)
      defer { open.stream.close() }
      #expect(await open.flows(rate * 3 / 2))
      open.stream.close()
      #expect(abs(open.client.pace - 1) < 0.1, "\(open.client.pace) times real time")
      let output = try #require(rig.speakers.output)
      #expect(output.format == format)
      let report = IndexCode.examine(output)
      #expect(report.isContinuous, "\(report)")
      #expect(report.codedFrames > rate / 2)
    }

    @Test(arguments: [
      (Duration?.none, 1_920), (.milliseconds(100), 4_800), (.milliseconds(25), 1_440), (.zero, 960),
      (.seconds(-5), 960), (.seconds(1_000_000), 96_000),
    ])
    func setsPeriodAndBufferByTheWish(latency: Duration?, buffer: Int) throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.speakers.name, .render, latency: latency, starts: false)
      defer { open.stream.close() }
      let parameters = try #require(rig.speakers.parameters)
      #expect(parameters.sampleRate == 48_000 && parameters.channelCount == 1)
      #expect(parameters.periodFrames == 480)
      #expect(parameters.bufferFrames == buffer)
      #expect(parameters.availMin == 480)
      #expect(parameters.stopThreshold == buffer)
    }

    /// Hardware that steps in 1.3, 5.8 or 21 ms still gets whole periods, and every frame of them.
    @Test(arguments: [64, 256, 1_024]) func copesWithTheHardwaresPeriod(period: Int) async throws {
      var configuration = ALSARig.Configuration()
      configuration.speakers.formats = ["S16_LE"]
      configuration.speakers.channelCounts = 1...1
      configuration.speakers.periodFrames = period...period
      let rig = try ALSARig.start(configuration)
      defer { rig.stop() }
      let open = try OpenStream(rig.speakers.name, .render)
      defer { open.stream.close() }
      #expect(rig.speakers.parameters?.periodFrames == period)
      #expect(await open.flows(24_000))
      open.stream.close()
      #expect(open.client.renderedFrames.isMultiple(of: 480))
      let report = IndexCode.examine(try #require(rig.speakers.output))
      #expect(report.isContinuous, "\(report)")
    }

    /// Hardware with a huge smallest buffer must not make the call late.
    @Test func keepsTheWishInALargerBuffer() throws {
      var configuration = ALSARig.Configuration()
      configuration.speakers.formats = ["S16_LE"]
      configuration.speakers.channelCounts = 1...1
      configuration.speakers.bufferFrames = 24_000...48_000
      let rig = try ALSARig.start(configuration)
      defer { rig.stop() }
      rig.speakers.setClock(.manual)
      let open = try OpenStream(rig.speakers.name, .render, latency: .milliseconds(40))
      defer { open.stream.close() }
      let parameters = try #require(rig.speakers.parameters)
      #expect(parameters.bufferFrames >= 24_000)
      // It wakes when the queue is a period below the wish.
      #expect(parameters.availMin == parameters.bufferFrames - 1_920 + 480)
      #expect(eventually { rig.speakers.transferredFrames == 1_920 })
      for step in 1...20 {
        rig.speakers.step(480)
        #expect(eventually { rig.speakers.transferredFrames == 1_920 + 480 * step })
        usleep(9_000)
      }
      #expect(open.stream.latency <= .milliseconds(40))
    }

    @Test func refusesHardwareThatIsTooCoarse() throws {
      var configuration = ALSARig.Configuration()
      configuration.speakers.formats = ["S16_LE"]
      configuration.speakers.channelCounts = 1...1
      configuration.speakers.periodFrames = 24_000...24_000
      let rig = try ALSARig.start(configuration)
      defer { rig.stop() }
      let error = #expect(throws: AudioDeviceError.self) { try OpenStream(rig.speakers.name, .render) }
      #expect(error?.code == .formatNotSupported)
      #expect(!rig.speakers.isOpen)
    }

    @Test func losesNothingInShortTransfers() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.speakers.name, .render)
      defer { open.stream.close() }
      for _ in 0..<10 {
        rig.speakers.shortenNextTransfer(to: 100)
        #expect(await open.flows(1_440))
      }
      open.stream.close()
      let report = IndexCode.examine(try #require(rig.speakers.output))
      #expect(report.isContinuous, "\(report)")
      #expect(report.codedFrames > 0)
    }

    @Test func latencyIsClampedWhateverTheDeviceSays() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.speakers.name, .render, latency: .milliseconds(100))
      defer { open.stream.close() }
      #expect(await open.flows())
      #expect(open.stream.latency > .milliseconds(20) && open.stream.latency <= .milliseconds(100))
      rig.speakers.setExtraDelay(4_800)
      #expect(await open.flows())
      #expect(open.stream.latency > .milliseconds(120) && open.stream.latency <= .milliseconds(200))
      rig.speakers.setExtraDelay(-1_000_000)
      #expect(await open.flows())
      // No more than the periods that one pass has written since.
      #expect(open.stream.latency < .milliseconds(100))
      rig.speakers.setExtraDelay(1_000_000_000)
      #expect(await open.flows())
      #expect(open.stream.latency == .seconds(10))
      // What `pulse` does right after it was opened: the delay cannot be told, the queue can.
      rig.speakers.fail(.delay, with: EIO)
      #expect(await open.flows())
      #expect(open.stream.latency > .milliseconds(20) && open.stream.latency <= .milliseconds(100))
      #expect(open.client.losses.isEmpty)
    }

    @Test func aPlugInDeclinesTheRealTimeClass() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.speakers.name, .render)
      defer { open.stream.close() }
      #expect(await open.flows())
      #expect(open.stream.schedulingClass == .normal)
      #expect(open.client.schedulingClass == .normal)
      #expect(!rig.speakers.wasTransferredInRealTime)
    }

    /// One wake-up a period, and hardly any work in it.
    @Test func sleepsBetweenPeriods() async throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let open = try OpenStream(rig.speakers.name, .render)
      defer { open.stream.close() }
      #expect(await open.flows(4_800))
      let (polls, calls, time) = (rig.speakers.count(.poll), open.client.calls, open.client.processorTime)
      #expect(await open.flows(48_000))
      let periods = open.client.calls - calls
      #expect(rig.speakers.count(.poll) - polls <= periods * 3)
      #expect(open.client.processorTime - time < .milliseconds(500))
    }
  }
#endif
