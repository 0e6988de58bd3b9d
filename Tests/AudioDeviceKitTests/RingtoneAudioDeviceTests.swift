#if MP3
  import AudioDeviceKit
  import AudioTestSupport
  import Foundation
  import RealtimeSupport
  import SoundDecoding
  import Synchronization
  import Testing
  import VirtualBackend

  @Suite struct RingtoneAudioDeviceTests {
    /// A ringtone at 660 Hz, 48 kHz mono, in a folder that goes with the test.
    final class Ringtone: Sendable {
      let folder: String
      var url: URL { URL(fileURLWithPath: "\(folder)/ring.mp3") }

      init(seconds: Double = 1.3) throws {
        folder = try ProcessWarden.shared().makeFolder("ringtone")
        try Subprocess.check(
          ["sox", "-n", "-r", "48000", "-c", "1", "-b", "16", "\(folder)/ring.wav"]
            + ["synth", "\(seconds)", "sine", "660", "vol", "0.5"])
        try Subprocess.check(["lame", "--quiet", "-b", "64", "\(folder)/ring.wav", "\(folder)/ring.mp3"])
      }

      deinit { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Vibrates into a counter.
    final class Shaker: RingtoneAudioDevice, @unchecked Sendable {
      let shakes = Atomic<Int>(0)
      let stopsAtFirst = Atomic<Bool>(false)
      override func vibrate() {
        shakes.wrappingAdd(1, ordering: .relaxed)
        if stopsAtFirst.load(ordering: .relaxed) { stopRingtone() }
      }
    }

    func device(_ bench: CallBench, _ url: URL, _ change: (inout RingtoneConfiguration) -> Void = { _ in }) -> Shaker {
      var ringtone = RingtoneConfiguration()
      ringtone.clock = bench.clock
      ringtone.fadeOut = .zero
      change(&ringtone)
      return Shaker(ringtone: url, configuration: bench.configuration, ringtoneConfiguration: ringtone)
    }

    @Test func ringsThenTalks() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url)
      try bench.manager.setAudioDevice(device)
      try bench.startCall()
      bench.clock.advance(by: .milliseconds(300))
      #expect(bench.openStreams == ["Call", "Call microphone"])

      try device.startRingtone()
      #expect(device.isRingtonePlaying)
      // The microphone is released: the ringtone's stream is the only one.
      #expect(bench.openStreams == ["Ringtone"])
      bench.clock.advance(by: .milliseconds(200))
      _ = (bench.bus.take(), bench.speaker.take())
      bench.clock.advance(by: .seconds(3))
      let silence = bench.bus.take()
      #expect(silence.signal.isSilent())
      #expect((298...302).contains(silence.writes), "\(silence.writes) periods in three seconds")
      let rung = bench.speaker.take()
      #expect(abs((rung.dominantFrequency() ?? 0) - 660) < 6.6)
      #expect(rung.toneLevel(at: 1000) < -60)
      try device.startRingtone()
      #expect(bench.openStreams == ["Ringtone"])

      device.stopRingtone()
      #expect(!device.isRingtonePlaying)
      #expect(bench.openStreams == ["Call", "Call microphone"])
      bench.clock.advance(by: .milliseconds(200))
      _ = (bench.bus.take(), bench.speaker.take())
      bench.clock.advance(by: .seconds(1))
      #expect(abs((bench.bus.take().signal.dominantFrequency() ?? 0) - 440) < 4.4)
      #expect(abs((bench.speaker.take().dominantFrequency() ?? 0) - 1000) < 10)
      device.stopRingtone()
      #expect(bench.openStreams == ["Call", "Call microphone"])
    }

    @Test func loopsWithoutASeam() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url)
      try bench.manager.setAudioDevice(device)
      try device.startRingtone()
      bench.clock.advance(by: .seconds(5))
      device.stopRingtone()
      let heard = bench.speaker.take()
      var decoder = try MP3Decoder(path: ringtone.url.path)
      var once = [Int16](repeating: 0, count: 48_000 * 2)
      var span = once.mutableSpan
      let frames = try decoder.read(into: &span)
      // Encoder delay and padding are trimmed: what comes out is as long as what went in.
      #expect(frames == 62_400)
      let start = try #require(heard.samples.firstIndex { $0 != 0 })
      let played = Array(heard.samples[start...].prefix(4 * 48_000))
      let first = try #require(once.firstIndex { $0 != 0 })
      for (index, sample) in played.enumerated() where sample != once[(first + index) % frames] {
        Issue.record("sample \(index) of the ringing is \(sample), not \(once[(first + index) % frames])")
        return
      }
    }

    @Test func gainAndFadesAreHeard() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url) { configuration in
        configuration.gain = -12
        configuration.fadeIn = .seconds(2)
      }
      try bench.manager.setAudioDevice(device)
      try device.startRingtone()
      bench.clock.advance(by: .seconds(4))
      let heard = bench.speaker.take()
      let start = try #require(heard.samples.firstIndex { $0 != 0 })
      func level(_ from: Double) -> Double {
        let first = start + Int(from * 48_000)
        return heard.frames(first..<(first + 4_800)).peakLevel
      }
      // The tone is at -6 dB.
      #expect(level(0) < -40)
      #expect(abs(level(0.95) - (-18 - 6)) < 1)
      #expect(abs(level(2.5) + 18) < 0.6)
      device.stopRingtone()
    }

    @Test func vibratesOnceASecondFromTheStart() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url)
      try bench.manager.setAudioDevice(device)
      try device.startRingtone()
      bench.clock.advance(by: .milliseconds(1500))
      #expect(device.shakes.load(ordering: .relaxed) == 0)
      device.vibratesWithRingtone = true
      device.stopRingtone()
      try device.startRingtone()
      bench.clock.advance(by: .milliseconds(4500))
      #expect(device.shakes.load(ordering: .relaxed) == 5)
      device.stopRingtone()
      bench.clock.advance(by: .seconds(3))
      #expect(device.shakes.load(ordering: .relaxed) == 5)
    }

    @Test func canBeStoppedFromWithinTheVibration() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url)
      device.vibratesWithRingtone = true
      device.stopsAtFirst.store(true, ordering: .relaxed)
      try bench.manager.setAudioDevice(device)
      try bench.manager.startCapture()
      try device.startRingtone()
      #expect(eventually(within: .seconds(5)) { !device.isRingtonePlaying && bench.openStreams == ["Call microphone"] })
    }

    @Test(arguments: ["missing", "empty", "text", "directory", "no file URL"])
    func aBadFileThrowsAndTheCallGoesOn(kind: String) throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      var url = ringtone.url
      switch kind {
      case "missing": url = URL(fileURLWithPath: "\(ringtone.folder)/nothing.mp3")
      case "empty": try Data().write(to: url)
      case "text": try Data("These are words and no music.\n".utf8).write(to: url)
      case "directory": url = URL(fileURLWithPath: ringtone.folder)
      default: url = try #require(URL(string: "https://example.invalid/ring.mp3"))
      }
      let device = device(bench, url)
      try bench.manager.setAudioDevice(device)
      try bench.startCall()
      bench.clock.advance(by: .milliseconds(300))
      _ = bench.bus.take()
      #expect(throws: AudioDeviceError.self) { try device.startRingtone() }
      #expect(!device.isRingtonePlaying)
      bench.clock.advance(by: .seconds(1))
      let captured = bench.bus.take()
      #expect(abs((captured.signal.dominantFrequency() ?? 0) - 440) < 4.4)
      #expect(captured.signal.silences(longerThan: .milliseconds(5)).isEmpty)
      #expect(bench.backend.openedCount(.capture) == 1 && bench.backend.openedCount(.render) == 1)
    }

    @Test func anOutputThatCannotBeOpenedThrowsAndTheCallGoesOn() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url) { $0.outputDeviceID = "no such speaker" }
      try bench.manager.setAudioDevice(device)
      try bench.startCall()
      #expect { try device.startRingtone() } throws: { ($0 as? AudioDeviceError)?.code == .deviceNotFound }
      #expect(bench.backend.openedCount(.capture) == 1)
      #expect(bench.openStreams == ["Call", "Call microphone"])
    }

    @Test func aSpeakerForOneStreamAtATimeRingsAfterTheCallGaveItUp() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url)
      try bench.manager.setAudioDevice(device)
      try bench.startCall()
      bench.backend.failOpens(1, of: .render, with: AudioDeviceError(.deviceBusy, "Busy."))
      try device.startRingtone()
      #expect(bench.openStreams == ["Ringtone"])
      device.stopRingtone()
      #expect(bench.openStreams == ["Call", "Call microphone"])
      // Busy also after the call gave it up: the call goes on.
      bench.backend.failOpens(2, of: .render, with: AudioDeviceError(.deviceBusy, "Busy."))
      #expect { try device.startRingtone() } throws: { ($0 as? AudioDeviceError)?.code == .deviceBusy }
      #expect(bench.openStreams == ["Call", "Call microphone"])
    }

    @Test func aRingtoneThatDiesEndsWithAnEventAndTheCallReturns() async throws {
      let bench = try CallBench()
      let events = bench.manager.events()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url)
      try bench.manager.setAudioDevice(device)
      try bench.startCall()
      try device.startRingtone()
      bench.clock.advance(by: .milliseconds(200))
      let gone = AudioDeviceError(.deviceLost, "Gone.")
      bench.backend.send(.lost(gone)) { $0.name == "Ringtone" }
      bench.clock.advance(by: .milliseconds(100))
      #expect(eventually(within: .seconds(5)) { bench.openStreams == ["Call", "Call microphone"] })
      #expect(!device.isRingtonePlaying)
      for await event in events {
        guard case .ringtoneStopped(let error) = event.kind else { continue }
        #expect(error == gone)
        break
      }
    }

    @Test func aFileThatIsEmptiedWhileItRingsEndsTheRinging() throws {
      let bench = try CallBench()
      // Longer than what a decoder may have read ahead.
      let ringtone = try Ringtone(seconds: 60)
      let device = device(bench, ringtone.url)
      try bench.manager.setAudioDevice(device)
      try bench.manager.startCapture()
      try device.startRingtone()
      try FileHandle(forWritingTo: ringtone.url).truncate(atOffset: 0)
      bench.clock.advance(by: .seconds(70))
      #expect(eventually(within: .seconds(5)) { bench.openStreams == ["Call microphone"] })
    }

    @Test func needsAManager() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url)
      #expect { try device.startRingtone() } throws: { ($0 as? AudioDeviceError)?.code == .invalidState }
    }

    @Test func aDeviceThatIsReplacedWhileItRingsFallsSilent() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = device(bench, ringtone.url)
      try bench.manager.setAudioDevice(device)
      try bench.startCall()
      try device.startRingtone()
      try bench.manager.setAudioDevice(DefaultAudioDevice(bench.configuration))
      #expect(eventually(within: .seconds(5)) { !device.isRingtonePlaying })
      #expect(bench.openStreams == ["Call", "Call microphone"])
    }

    @Test func aReleasedDeviceLeavesNoStream() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      do {
        let manager = AudioDeviceManager(clock: bench.clock)
        try manager.setAudioBus(bench.bus)
        let device = device(bench, ringtone.url)
        try manager.setAudioDevice(device)
        try manager.startCapture()
        try device.startRingtone()
      }
      #expect(eventually(within: .seconds(5)) { bench.openStreams == [] })
    }

    @Test func threadsThatRingAndTalkAtOnceEndAsTheLastOneWishes() throws {
      let bench = try CallBench()
      let ringtone = try Ringtone()
      let device = Shaker(ringtone: ringtone.url, configuration: bench.configuration)
      try bench.manager.setAudioDevice(device)
      let threads = try (0..<4).map { number in
        try RealtimeThread(name: "ringer", scheduling: .normal) {
          for turn in 0..<25 {
            switch (number + turn) % 5 {
            case 0: try? device.startRingtone()
            case 1: device.stopRingtone()
            case 2: try? bench.manager.startCapture()
            case 3: bench.manager.stopCapture()
            default: try? bench.manager.startRendering()
            }
          }
        }
      }
      threads.forEach { $0.join() }
      device.stopRingtone()
      bench.manager.stopRendering()
      try bench.manager.startCapture()
      #expect(bench.openStreams == ["Call microphone"])
    }
  }
#endif
