#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  @testable import PulseBackend
  import Testing

  extension PulseTests {
    /// What the server gets and gives, seen from its side.
    @Suite struct AudioAtTheServer {
      @Test(arguments: SoundServerKind.allCases) func rendersATone(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let probe = StreamProbe(rendering: .tone(440, level: -12, for: .seconds(1), format: .stereo), format: .stereo)
        let stream = try rig.open(.render, probe, device: "spk", format: .stereo)
        #expect(probe.renderedPeriods == 0)
        try stream.start()
        let recorded = try rig.server.record(from: "spk.monitor", for: .seconds(1), format: .stereo)
        stream.close()
        let frequency = try #require(recorded.dominantFrequency())
        #expect(abs(frequency - 440) < 4.4)
        #expect(abs(recorded.toneLevel(at: 440) + 12) < 0.5)
      }

      @Test(arguments: SoundServerKind.allCases) func capturesATone(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let playback = try rig.server.startPlaying(.tone(1000, level: -20, for: .seconds(20)), on: "micfeed")
        let probe = StreamProbe()
        let stream = try rig.open(.capture, probe, device: "mic")
        try stream.start()
        #expect(probe.waitForPeriods(150, .capture))
        stream.close()
        playback.stop()
        let recorded = probe.recording(from: 50)
        let frequency = try #require(recorded.dominantFrequency())
        #expect(abs(frequency - 1000) < 10)
        #expect(abs(recorded.toneLevel(at: 1000) + 20) < 0.5)
      }

      @Test func rendersEveryFrameOnceAndInOrder() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let probe = StreamProbe(rendering: IndexCode.signal(.milliseconds(6250)))
        let recording = try rig.server.startRecording(from: "micfeed.monitor", latency: .milliseconds(100))
        let stream = try rig.open(.render, probe, device: "micfeed")
        try stream.start()
        #expect(probe.waitForPeriods(1000, .render))
        let statistics = stream.statistics
        stream.close()
        let report = IndexCode.examine(recording.stop())
        #expect(report.codedFrames > 450_000, "\(report)")
        #expect(report.lostFrames == 0 && report.repeatedFrames == 0 && report.foreignFrames == 0, "\(report)")
        // A machine that stands still makes a pause, which must then have been counted.
        #expect(report.silentFrames == 0 || statistics.xruns > 0, "\(report)")
      }

      @Test func capturesEveryFrameOnceAndInOrder() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let probe = StreamProbe()
        let stream = try rig.open(.capture, probe, device: "mic")
        try stream.start()
        try rig.server.play(IndexCode.signal(.seconds(10)), on: "micfeed", latency: .milliseconds(200))
        #expect(probe.waitForPeriods(20, .capture))
        let statistics = stream.statistics
        stream.close()
        let report = IndexCode.examine(probe.recording())
        #expect(report.repeatedFrames == 0 && report.foreignFrames == 0, "\(report)")
        #expect(report.lostFrames <= statistics.lostFrames + 480, "\(report) \(statistics)")
        #expect(report.codedFrames + report.lostFrames == 480_000, "\(report) \(statistics)")
      }

      @Test(arguments: [
        (8_000, 1), (11_025, 1), (16_000, 2), (22_050, 1), (44_100, 2), (48_000, 7), (48_000, 8), (192_000, 2),
      ])
      func worksInEveryFormat(rate: Int, channels: Int) throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let format = try AudioFormat(sampleRate: rate, channelCount: channels)
        let probe = StreamProbe(rendering: .tone(400, for: .seconds(1), format: format), format: format, seconds: 5)
        let output = try rig.open(.render, probe, device: "spk", format: format)
        let input = try rig.open(.capture, probe, device: "spk.monitor", format: format)
        #expect(output.format == format && input.format == format)
        try input.start()
        try output.start()
        #expect(probe.waitForPeriods(150, .capture))
        #expect(probe.renderedPeriods >= 100)
        #expect(try rig.sinkInputs().first?.sampleSpecification.sampleRate == rate)
        #expect(try rig.sourceOutputs().first?.sampleSpecification.channelCount == channels)
        output.close()
        input.close()
        let heard = probe.recording(from: 80)
        let frequency = try #require(heard.dominantFrequency())
        #expect(abs(frequency - 400) < 4)
      }

      @Test(arguments: SoundServerKind.allCases) func tellsTheServerWhoWeAre(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let probe = StreamProbe()
        let output = try rig.open(.render, probe, device: "hdmi", role: .phone, name: "Call with Ada")
        let input = try rig.open(.capture, probe, device: "mic", role: .event)
        let played = try #require(try rig.sinkInputs().first)
        #expect(played.isCorked)
        #expect(played.deviceName == "hdmi")
        #expect(played.mediaRole == "phone")
        #expect(played.mediaName == "Call with Ada")
        #expect(played.processID == getpid())
        #expect(played.properties["application.id"] == "org.example.rig")
        #expect(played.properties["application.icon_name"] == "phone")
        let recorded = try #require(try rig.sourceOutputs().first)
        #expect(recorded.deviceName == "mic")
        #expect(recorded.mediaRole == "event")
        #expect(output.deviceID == "hdmi" && input.deviceID == "mic")

        try output.start()
        try input.start()
        #expect(try rig.sinkInputs().first?.isCorked == false)
        #expect(try rig.sourceOutputs().first?.isCorked == false)
        // At once, not eventually: that is what hangs up a microphone's light.
        input.close()
        #expect(try rig.sourceOutputs().isEmpty)
        output.close()
        #expect(try rig.sinkInputs().isEmpty)
      }

      @Test(arguments: SoundServerKind.allCases) func isCalledAHundredTimesASecond(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let probe = StreamProbe()
        let output = try rig.open(.render, probe, device: "spk")
        let input = try rig.open(.capture, probe, device: "spk.monitor")
        try output.start()
        try input.start()
        #expect(probe.waitForPeriods(50, .capture))
        let start = AudioInstant.now
        let counts = (probe.renderedPeriods, probe.capturedPeriods)
        #expect(probe.waitForPeriods(300, .capture))
        let seconds = (AudioInstant.now - start) / .seconds(1)
        let rates = (
          Double(probe.renderedPeriods - counts.0) / seconds, Double(probe.capturedPeriods - counts.1) / seconds
        )
        output.close()
        input.close()
        #expect((90...110).contains(rates.0) && (90...110).contains(rates.1), "\(rates)")
        // In single steps and not in heaps: most calls come a while after the one before.
        for periods in [probe.render, probe.capture] {
          let steps = zip(periods.dropFirst(20), periods.dropFirst(21)).map { $1.time - $0.time }
          let single = steps.filter { $0 > .milliseconds(4) }.count
          #expect(single * 10 > steps.count * (kind == .pulseAudio ? 8 : 6), "\(single) of \(steps.count)")
        }
      }
    }
  }
#endif
