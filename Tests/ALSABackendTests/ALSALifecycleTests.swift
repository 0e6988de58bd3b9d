#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import Testing

  @testable import ALSABackend

  /// What has to hold for a process as a whole, each in a process of its own.
  @Suite(.serialized) struct ALSALifecycleTests {
    @Test func twoHundredCallsLeaveNothingBehind() async {
      await #expect(processExitsWith: .success) {
        let rig = try ALSARig.start()
        func call() throws {
          let playback = try OpenStream(rig.speakers.name, .render)
          let capture = try OpenStream(rig.microphone.name, .capture)
          let null = try OpenStream(rig.nullName, .render)
          for open in [playback, capture, null] { open.stream.close() }
        }
        // The first loads plug-ins and makes what stays.
        try call()
        let (descriptors, threads) = (count("/proc/self/fd"), count("/proc/self/task"))
        for _ in 0..<200 { try call() }
        // The runtime's own threads come and go.
        let isClean = eventually {
          count("/proc/self/fd") <= descriptors && count("/proc/self/task") <= threads
        }
        #expect(isClean)
        #expect(rig.speakers.count(.open) == rig.speakers.count(.close))
        #expect(rig.speakers.count(.open) == 201 && rig.microphone.count(.open) == 201)
        #expect(rig.speakers.count(.drain) == 0 && rig.microphone.count(.drain) == 0)
        rig.stop()
      }
    }

    @Test func lossesLeaveNothingBehind() async {
      await #expect(processExitsWith: .success) {
        let rig = try ALSARig.start()
        func lose() throws {
          let open = try OpenStream(rig.speakers.name, .render)
          rig.speakers.unplug()
          let isLost = eventually { !open.client.losses.isEmpty }
          #expect(isLost)
          open.stream.close()
          rig.speakers.plug()
        }
        try lose()
        let (descriptors, threads) = (count("/proc/self/fd"), count("/proc/self/task"))
        for _ in 0..<20 { try lose() }
        let isClean = eventually {
          count("/proc/self/fd") <= descriptors && count("/proc/self/task") <= threads
        }
        #expect(isClean)
        rig.stop()
      }
    }

    /// alsa-lib and its plug-ins write to stderr for every trifle; with a backend in the process they do not.
    @Test func nothingIsPrinted() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
      ) {
        let rig = try ALSARig.start()
        let backend = ALSABackend()
        _ = backend.isAvailable
        _ = try backend.devices()
        for name in ["nonsense", "hw:31,7", "plug:SLAVE='nonsense'", "pulse", rig.pairName + ":1,2,3"] {
          _ = try? OpenStream(name, .render, backend: backend)
        }
        let open = try OpenStream(rig.speakers.name, .render)
        rig.speakers.fail(.prepare, with: EIO)
        rig.speakers.injectXrun()
        let isLost = eventually { !open.client.losses.isEmpty }
        #expect(isLost)
        open.stream.close()
        rig.stop()
      }
      #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
      #expect(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self) == "")
    }
  }

  /// The entries of a folder of `/proc`, without the descriptor that lists it.
  private func count(_ path: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
  }
#endif
