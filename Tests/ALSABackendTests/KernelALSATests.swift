#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Testing

  @testable import ALSABackend

  /// The backend on real drivers of the kernel's, in the kernel lane (`Tests/Kernel/run`).
  ///
  /// The buffers are long, because an emulated processor is late now and then; and the emulated cards run slow, never
  /// fast, when the host is busy.
  @Suite(.enabled(if: KernelCard.isLane), .serialized) struct KernelALSATests {
    private let backend = ALSABackend()

    @Test func listsTheCards() throws {
      #expect(backend.isAvailable)
      let devices = try backend.devices()
      func kinds(_ id: String, _ direction: AudioDirection) -> [AudioDeviceInfo.Kind] {
        devices.filter { $0.id == id && $0.direction == direction }.map(\.kind)
      }
      for direction in AudioDirection.allCases {
        #expect(kinds("hw:CARD=Loopback,DEV=0", direction) == [.virtual])
        #expect(kinds("hw:CARD=Loopback,DEV=1", direction) == [.virtual])
        #expect(kinds("hw:CARD=HDA,DEV=0", direction) == [.builtIn])
        #expect(devices.contains { $0.id == "default" && $0.direction == direction && $0.isDefault })
      }
      #expect(kinds("hw:CARD=USB,DEV=0", .render) == [.usb])
      #expect(kinds("hw:CARD=USB,DEV=0", .capture) == [])
      // One entry for each, and none of their other spellings.
      #expect(Set(devices.map { "\($0.id) \($0.direction)" }).count == devices.count)
      #expect(devices.allSatisfy { $0.id.hasPrefix("hw:") || !$0.id.contains("CARD=") }, "\(devices.map(\.id))")
    }

    @Test(arguments: [AudioFormat.voice, .stereo]) func carriesEveryFrameUnchanged(format: AudioFormat) async throws {
      let capture = try OpenStream("hw:CARD=Loopback,DEV=1", .capture, format: format, latency: .seconds(1))
      defer { capture.stream.close() }
      let playback = try OpenStream("hw:CARD=Loopback,DEV=0", .render, format: format, latency: .seconds(1))
      defer { playback.stream.close() }
      #expect(await becomesTrue(within: .seconds(30)) { capture.client.capturedFrames > 144_000 })
      capture.stream.close()
      playback.stream.close()
      let report = IndexCode.examine(capture.client.captured)
      #expect(report.codedFrames > 48_000, "\(report)")
      #expect(report.isContinuous, "\(report)")
      #expect(playback.client.notices.isEmpty && capture.client.notices.isEmpty)
    }

    @Test(arguments: [
      ("hw:CARD=HDA,DEV=0", AudioDirection.render), ("hw:CARD=HDA,DEV=0", .capture), ("hw:CARD=USB,DEV=0", .render),
      ("default", .render), ("default", .capture),
    ])
    func keepsTheDevicesPaceInRealTime(name: String, direction: AudioDirection) async throws {
      let open = try OpenStream(name, direction)
      defer { open.stream.close() }
      #expect(await becomesTrue(within: .seconds(30)) { open.frames > 48_000 })
      #expect((0.4...1.1).contains(open.client.pace), "\(open.client.pace) times real time")
      #expect(open.stream.schedulingClass == .audio)
      #expect(open.client.schedulingClass == .audio)
      #expect(open.stream.latency > .zero && open.stream.latency < .seconds(1))
      #expect(open.close() < .seconds(2))
      #expect(open.client.losses.isEmpty)
    }

    /// A call is mono; the USB speaker is stereo, at one rate.
    @Test(arguments: [(48_000, 1), (16_000, 1), (44_100, 2)])
    func convertsWhatTheHardwareCannot(rate: Int, channels: Int) async throws {
      let format = try AudioFormat(sampleRate: rate, channelCount: channels)
      let open = try OpenStream("hw:CARD=USB,DEV=0", .render, format: format)
      defer { open.stream.close() }
      #expect(await becomesTrue(within: .seconds(30)) { open.frames > rate })
      #expect((0.4...1.1).contains(open.client.pace), "\(open.client.pace) times real time")
      #expect(open.stream.format == format && open.stream.deviceID == "hw:CARD=USB,DEV=0")
      #expect(open.client.losses.isEmpty)
    }

    @Test func aDeviceInUseIsBusy() throws {
      let first = try OpenStream("hw:CARD=HDA,DEV=0", .render)
      defer { first.stream.close() }
      let error = #expect(throws: AudioDeviceError.self) { try OpenStream("hw:CARD=HDA,DEV=0", .render) }
      #expect(error?.code == .deviceBusy)
      first.stream.close()
      try OpenStream("hw:CARD=HDA,DEV=0", .render).stream.close()
    }

    /// Each end with a clock of its own: neither is taken for a PCM without one.
    @Test(arguments: [0.98, 1.02]) func followsAClockThatIsWrong(ratio: Double) async throws {
      try KernelCard.setLoopbackClock(ratio)
      defer { try? KernelCard.setLoopbackClock(1) }
      let capture = try OpenStream("hw:CARD=Loopback,DEV=1", .capture, latency: .seconds(1))
      defer { capture.stream.close() }
      let playback = try OpenStream("hw:CARD=Loopback,DEV=0", .render, latency: .seconds(1))
      defer { playback.stream.close() }
      #expect(await becomesTrue(within: .seconds(30)) { capture.client.capturedFrames > 144_000 })
      #expect(abs(capture.client.pace - ratio) < 0.015, "\(capture.client.pace)")
      #expect(abs(playback.client.pace - ratio) < 0.015, "\(playback.client.pace)")
      capture.stream.close()
      let report = IndexCode.examine(capture.client.captured)
      #expect(report.isContinuous, "\(report)")
    }

    @Test(arguments: KernelCard.allCases) func isLostWhenUnplugged(card: KernelCard) async throws {
      let counter = ChangeCounter()
      let watch = try backend.watchDevices { counter.count() }
      defer { watch.cancel() }
      let name = "hw:CARD=\(card.rawValue),DEV=0"
      let open = try OpenStream(name, .render)
      defer { open.stream.close() }
      #expect(await becomesTrue(within: .seconds(10)) { open.frames > 24_000 })
      let unplugging = Task.detached { try card.unplug() }
      // The stream lets go of the device by itself, or unplugging would wait for it.
      #expect(await becomesTrue(within: .seconds(10)) { !open.client.losses.isEmpty })
      try await unplugging.value
      #expect(open.client.losses.map(\.code) == [.deviceLost])
      #expect(open.close() < .seconds(2))
      #expect(open.client.losses.count == 1)
      #expect(await becomesTrue(within: .seconds(10)) { counter.value > 0 })
      #expect(try !backend.devices().contains { $0.id == name })
      let error = #expect(throws: AudioDeviceError.self) { try OpenStream(name, .render) }
      #expect(error?.code == .deviceNotFound)

      let told = counter.value
      try card.replug()
      #expect(await becomesTrue(within: .seconds(20)) { counter.value > told && card.isPresent })
      #expect(await becomesTrue(within: .seconds(10)) { (try? backend.devices().contains { $0.id == name }) == true })
      let again = try OpenStream(name, .render)
      #expect(await becomesTrue(within: .seconds(10)) { again.frames > 24_000 })
      again.stream.close()
    }
  }

  private final class ChangeCounter: Sendable {
    private let changes = Locked(0)
    var value: Int { changes.withLock { $0 } }
    func count() { changes.withLock { $0 += 1 } }
  }
#endif
