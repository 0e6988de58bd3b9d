#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import Testing

  @testable import ALSABackend

  @Suite struct ALSADevicesTests {
    /// In a process of its own, because alsa-lib reads one configuration for a whole process.
    @Test func anEmptyConfigurationHasNoDevices() async {
      await #expect(processExitsWith: .success) {
        try withConfiguration("") { backend in
          let devices = try backend.devices()
          #expect(devices.isEmpty)
          #expect(!backend.isAvailable)
          #expect { try OpenStream("default", .render, backend: backend) } throws: { error in
            (error as? AudioDeviceError)?.code == .deviceNotFound
          }
        }
      }
    }

    @Test func aMissingConfigurationHasNoDevices() async {
      await #expect(processExitsWith: .success) {
        setenv("ALSA_CONFIG_PATH", "/nonexistent/alsa.conf", 1)
        let devices = try ALSABackend().devices()
        #expect(devices.isEmpty)
        #expect(!ALSABackend().isAvailable)
      }
    }

    /// The machine without a card: a `default` that leads nowhere is no device, and a server that is not there is none.
    @Test func whatLeadsNowhereIsNotAvailable() async {
      await #expect(processExitsWith: .success) {
        for text in [
          "pcm.default { type null }",
          "pcm.default { type plug slave.pcm { type null } }",
          "pcm.default { type file slave.pcm { type null } file \"/dev/null\" format raw }",
          "pcm.default { type hw card 31 }",
          "pcm.default { type pulse server \"unix:/nonexistent\" }",
          "pcm.null { type null hint { show on description Null } }",
          "pcm.pulse { type pulse server \"unix:/nonexistent\" hint { show on description Pulse } }",
        ] {
          try withConfiguration(text) { backend in #expect(!backend.isAvailable, "\(text)") }
        }
      }
    }

    @Test func listsWhatTheConfigurationOffers() async {
      await #expect(processExitsWith: .success) {
        let text = """
          pcm.default { type null hint { show on description "The default" } }
          pcm.intercom { type null hint { show on description "Door intercom" } }
          pcm.mouth { type null hint { show on description "Mouth|IOIDOutput" } }
          pcm.ear { type null hint { show on description "Ear|IOIDInput" } }
          pcm.unlisted { type null }
          pcm.samplerate { type null hint { show on description "Converter" } }
          pcm.dmix { type null hint { show on description "Mixer" } }
          pcm.surround51 { type null hint { show on description "Surround" } }
          pcm.null { type null hint { show on description "Nothing" } }
          """
        try withConfiguration(text) { backend in
          let devices = try backend.devices()
          #expect(devices.map(\.id) == ["default", "default", "intercom", "intercom", "mouth", "ear", "null", "null"])
          #expect(
            devices.map(\.direction.rawValue).joined(separator: " ")
              == "capture render capture render render capture capture render")
          #expect(devices.filter(\.isDefault).map(\.id) == ["default", "default"])
          #expect(devices[2].name == "Door intercom" && devices[4].name == "Mouth")
          #expect(devices.allSatisfy { $0.nativeFormat == nil })
          #expect(devices.last?.kind == .virtual)
          // What is not listed can be opened all the same.
          for name in ["unlisted", "samplerate", "surround51"] { try OpenStream(name, .render).stream.close() }
        }
      }
    }

    /// A `default` without a hint is listed where it is defined.
    @Test func findsADefaultThatGivesNoHint() async {
      await #expect(processExitsWith: .success) {
        try withConfiguration("pcm.default { type null }") { backend in
          let devices = try backend.devices()
          #expect(devices.map(\.id) == ["default", "default"])
        }
      }
    }

    @Test func listsAndFindsTheRig() throws {
      let rig = try ALSARig.start()
      defer { rig.stop() }
      let backend = ALSABackend()
      #expect(backend.name == "alsa")
      let devices = try backend.devices()
      let speakers = devices.filter { $0.id == rig.speakers.name }
      #expect(speakers.map(\.direction) == [.render])
      #expect(speakers.first?.name == "Rig \(rig.speakers.name)")
      #expect(devices.filter { $0.id == rig.microphone.name }.map(\.direction) == [.capture])
      #expect(devices.filter { $0.id == rig.nullName }.map(\.direction) == [.capture, .render])
      try rig.unplug(rig.speakers)
      #expect(try !backend.devices().contains { $0.id == rig.speakers.name })
    }

    /// In a process of its own: to find out whether a device can be had does open one, where the kernel has none.
    @Test func listingOpensNothing() async {
      await #expect(processExitsWith: .success) {
        let rig = try ALSARig.start()
        for _ in 0..<5 { _ = try ALSABackend().devices() }
        #expect(rig.speakers.count(.open) == 0 && rig.microphone.count(.open) == 0)
        #expect(ALSABackend().isAvailable)
        #expect(!rig.speakers.isOpen && !rig.microphone.isOpen)
        rig.stop()
      }
    }

    @Test func leavesOutWhatIsNoDevice() {
      for name in [
        "default", "sysdefault", "sysdefault:CARD=PCH", "front:CARD=PCH,DEV=0", "surround51:CARD=PCH,DEV=0",
        "iec958:CARD=PCH,DEV=0", "hdmi:CARD=PCH,DEV=0", "dmix:CARD=PCH,DEV=0", "dsnoop:CARD=PCH,DEV=0",
        "hw:CARD=PCH,DEV=0", "plughw:CARD=PCH,DEV=0", "usbstream:CARD=PCH", "lavrate", "samplerate", "speexrate",
        "jack",
        "oss", "speex", "upmix", "vdownmix",
      ] {
        #expect(!ALSADevices.isWorthListing(name), "\(name)")
      }
      for name in ["pulse", "pipewire", "null", "intercom", "bluealsa:DEV=00:11:22:33:44:55"] {
        #expect(ALSADevices.isWorthListing(name), "\(name)")
      }
    }

    @Test func putsDescriptionsOnOneLine() {
      #expect(
        PCMHint.oneLine("HDA Intel PCH, ALC255 Analog\nDirect hardware device")
          == "HDA Intel PCH, ALC255 Analog, Direct hardware device")
      #expect(PCMHint.oneLine("Speaker\n") == "Speaker")
    }

    @Test func tellsTheKindByWhatTheKernelSays() {
      func kind(_ driver: String, _ card: String, _ pcm: String) -> AudioDeviceInfo.Kind {
        ALSACards.kind(driver: driver, card: card, pcm: pcm)
      }
      #expect(kind("HDA-Intel", "HDA Intel PCH", "ALC255 Analog") == .builtIn)
      #expect(kind("HDA-Intel", "HDA Intel PCH", "HDMI 0") == .hdmi)
      #expect(kind("vc4-hdmi", "vc4-hdmi-0", "MAI PCM i2s-hifi-0") == .hdmi)
      #expect(kind("USB-Audio", "C-Media USB Audio", "USB Audio") == .usb)
      #expect(kind("USB-Audio", "Acme Headset 20", "USB Audio") == .headset)
      #expect(kind("Loopback", "Loopback", "Loopback PCM") == .virtual)
      #expect(kind("Dummy", "Dummy", "Dummy PCM") == .virtual)
    }
  }

  /// Gives alsa-lib another configuration. For exit tests, which have a process to themselves.
  private func withConfiguration(_ text: String, _ body: (ALSABackend) throws -> Void) throws {
    let path = "\(NSTemporaryDirectory())/alsa-\(UUID().uuidString).conf"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    setenv("ALSA_CONFIG_PATH", path, 1)
    try body(ALSABackend())
  }
#endif
