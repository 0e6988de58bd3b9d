import AudioDeviceCore
import Synchronization
import Testing

/// Ten thousand random orders from four real threads at once; at the end the last wish holds. Worth most under ThreadSanitizer.
@Suite struct AudioDeviceManagerStormTests {
  /// A deterministic generator, so that a failure can be repeated.
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  @Test func theLastWishWins() throws {
    let manager = AudioDeviceManager()
    let bus = RecordingBus()
    let devices = [ScriptedDevice(), ScriptedDevice()]
    try manager.setAudioBus(bus)
    try manager.setAudioDevice(devices[0])
    manager.audioSessionManager.enableCallingServicesMode()
    let threads = try (0..<4).map { number in
      try RealtimeThread(name: "storm", scheduling: .normal) {
        var random = Generator(state: UInt64(number))
        for _ in 0..<2_500 {
          switch Int.random(in: 0..<11, using: &random) {
          case 0: try? manager.startCapture()
          case 1: manager.stopCapture()
          case 2: try? manager.startRendering()
          case 3: manager.stopRendering()
          case 4: manager.setAudioSoftMute(Bool.random(using: &random))
          case 5: try? manager.setAudioHardMute(Bool.random(using: &random))
          case 6: manager.audioSessionManager.audioSessionDidActivate()
          case 7: manager.audioSessionManager.audioSessionDidDeactivate()
          case 8: devices.forEach { $0.host?.setRinging(Bool.random(using: &random)) }
          case 9: try? manager.setAudioDevice(devices[Int.random(in: 0..<2, using: &random)])
          default: devices.forEach { $0.host?.didLose(.capture, AudioDeviceError(.deviceLost, "Gone.")) }
          }
          for device in devices {
            device.capture(1)
            _ = device.render()
          }
        }
      }
    }
    threads.forEach { $0.join() }
    let device = devices[1]
    try manager.setAudioDevice(device)
    device.host?.setRinging(false)
    try manager.setAudioHardMute(false)
    manager.audioSessionManager.audioSessionDidActivate()
    try manager.startCapture()
    manager.stopRendering()
    #expect(eventually { device.isCapturing && !device.isRendering })
    #expect(!devices[0].isCapturing && !devices[0].isRendering)
    manager.setAudioSoftMute(false)
    _ = bus.takeCaptured()
    device.capture(8)
    #expect(bus.takeCaptured().last == 8)
    manager.stopCapture()
    #expect(!device.isCapturing)
  }
}
