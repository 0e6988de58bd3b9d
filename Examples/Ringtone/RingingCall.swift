#if MP3
  internal import AudioDeviceKit
  internal import CommandLineSupport

  /// The call, from its publishing to its end.
  struct RingingCall {
    /// What the network between oneself and oneself takes.
    private static let networkDelay = Duration.milliseconds(100)

    private let manager: AudioDeviceManager
    private let device: RingtoneAudioDevice
    private let journal: Journal
    private let stop: StopSignal

    init(_ manager: AudioDeviceManager, _ device: RingtoneAudioDevice, _ journal: Journal, _ stop: StopSignal) {
      self.manager = manager
      self.device = device
      self.journal = journal
      self.stop = stop
    }

    /// Runs the call. Blocks until it has ended; Ctrl-C ends it early.
    ///
    /// - Parameters:
    ///   - ringFor: When the subscriber connects.
    ///   - callFor: How long the call goes on then.
    /// - Throws: ``AudioDeviceError`` when the devices cannot be opened or the ringtone cannot be played.
    func run(ringFor: Duration, callFor: Duration) throws(AudioDeviceError) {
      // A conference client would take what is captured from this bus and send it, and put there what it receives. Here
      // the network is a thread between the two sides, and the only subscriber is oneself.
      let bus = BufferedAudioBus()
      try manager.setAudioBus(bus)
      try manager.setAudioDevice(device)
      let network = try DelayedReturn(bus, delay: Self.networkDelay)
      defer { network.stop() }

      // Publish: the client wishes its microphone to be sent, and to hear the others.
      try manager.startCapture()
      defer { manager.stopCapture() }
      try manager.startRendering()
      defer { manager.stopRendering() }
      journal.follow(until: ["captureStarted", "renderStarted"])
      journal.tell("published", words: "Published.")

      // Ring: the microphone is closed, and the speaker is the ringtone's alone.
      try device.startRingtone()
      journal.follow(until: ["ringing"])
      pause(ringFor)

      guard !stop.isRequested else {
        // Given up: what is wished no more does not open when the ringing ends.
        end(after: ["ringtoneStopped"])
        return
      }

      // The other side is there: the call has the audio again. What the client wished before is still its wish.
      journal.tell("subscriberConnected", words: "The subscriber connected.")
      device.stopRingtone()
      journal.follow(until: ["ringtoneStopped", "captureStarted", "renderStarted"])
      pause(callFor)

      let gates = manager.gates
      end(after: ["captureStopped", "renderStopped"])
      guard !gates.captureIsLost, !gates.renderIsLost else {
        let lost = gates.captureIsLost ? AudioDirection.capture : .render
        throw AudioDeviceError(
          .deviceLost, "The \(lost.deviceName) was lost and did not come back; ask 'audio-device doctor' why.")
      }
    }

    private func end(after expected: Set<String>) {
      manager.stopCapture()
      manager.stopRendering()
      device.stopRingtone()
      journal.follow(until: expected)
      journal.tell("ended", words: "The call ended.")
    }

    /// Tells what happens meanwhile.
    private func pause(_ duration: Duration) {
      stop.repeating(every: .seconds(1), until: .now + duration) {
        journal.tellWhatHappened()
        return true
      }
    }
  }
#endif
