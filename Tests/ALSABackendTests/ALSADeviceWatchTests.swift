#if ALSA
  import AudioDeviceCore
  import AudioTestSupport
  import Foundation
  import Testing

  @testable import ALSABackend

  /// The watch on the kernel's devices, in a folder that stands for `/dev`.
  @Suite(.serialized) struct ALSADeviceWatchTests {
    private final class Folder: Sendable {
      let path = "\(NSTemporaryDirectory())/dev-\(UUID().uuidString)"
      private let changes = Locked<[AudioInstant]>([])
      var count: Int { changes.withLock { $0.count } }
      var lastChange: AudioInstant? { changes.withLock { $0.last } }
      var firstChange: AudioInstant? { changes.withLock { $0.first } }

      init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
      deinit { try? FileManager.default.removeItem(atPath: path) }

      func watch() throws -> any AudioDeviceWatch {
        let backend = ALSABackend(clock: SystemPeriodClock.shared, deviceFolder: path)
        return try backend.watchDevices { [weak self] in self?.changes.withLock { $0.append(.now) } }
      }
      func makeSoundFolder() throws {
        try FileManager.default.createDirectory(atPath: "\(path)/snd", withIntermediateDirectories: false)
      }
      func removeSoundFolder() throws { try FileManager.default.removeItem(atPath: "\(path)/snd") }
      func plugCard(_ number: Int) throws {
        for file in ["pcmC\(number)D0p", "pcmC\(number)D0c", "controlC\(number)"] {
          guard FileManager.default.createFile(atPath: "\(path)/snd/\(file)", contents: nil) else {
            throw RigError(file)
          }
        }
      }
      func unplugCard(_ number: Int) throws {
        for file in ["pcmC\(number)D0p", "pcmC\(number)D0c", "controlC\(number)"] {
          try FileManager.default.removeItem(atPath: "\(path)/snd/\(file)")
        }
      }
    }

    @Test func tellsOnceForAllFilesOfACard() async throws {
      let folder = try Folder()
      try folder.makeSoundFolder()
      let watch = try folder.watch()
      defer { watch.cancel() }
      try folder.plugCard(0)
      #expect(await becomesTrue { folder.count == 1 })
      try folder.unplugCard(0)
      #expect(await becomesTrue { folder.count == 2 })
      // Rights that udev sets later are a change too: the device can be opened only now.
      try folder.plugCard(1)
      #expect(await becomesTrue { folder.count == 3 })
      chmod("\(folder.path)/snd/controlC1", 0o660)
      #expect(await becomesTrue { folder.count == 4 })
    }

    /// The fastest of some, because a busy machine is late now and then.
    @Test func tellsWithin200Milliseconds() async throws {
      let folder = try Folder()
      try folder.makeSoundFolder()
      let watch = try folder.watch()
      defer { watch.cancel() }
      var fastest = Duration.seconds(60)
      for card in 0..<8 where fastest > .milliseconds(200) {
        let count = folder.count
        try folder.plugCard(card)
        let plugged = AudioInstant.now
        #expect(await becomesTrue { folder.count > count })
        fastest = min(fastest, try #require(folder.lastChange) - plugged)
      }
      #expect(fastest < .milliseconds(200))
    }

    @Test func waitsForTheFolderToAppear() async throws {
      let folder = try Folder()
      let watch = try folder.watch()
      defer { watch.cancel() }
      for round in 1...3 {
        let count = folder.count
        try folder.makeSoundFolder()
        #expect(await becomesTrue { folder.count > count }, "round \(round)")
        let appeared = folder.count
        try folder.plugCard(0)
        #expect(await becomesTrue { folder.count > appeared }, "round \(round)")
        let plugged = folder.count
        try folder.unplugCard(0)
        try folder.removeSoundFolder()
        #expect(await becomesTrue { folder.count > plugged }, "round \(round)")
      }
    }

    /// Events that never end are told all the same.
    @Test func isPatientOnlyForAWhile() async throws {
      let folder = try Folder()
      try folder.makeSoundFolder()
      let watch = try folder.watch()
      defer { watch.cancel() }
      let start = AudioInstant.now
      let told = await becomesTrue(within: .seconds(10)) {
        try? folder.plugCard(0)
        try? folder.unplugCard(0)
        return folder.count > 0
      }
      #expect(told)
      #expect(try #require(folder.firstChange) - start < .seconds(8))
    }

    @Test func isSilentAfterItsEnd() async throws {
      let folder = try Folder()
      try folder.makeSoundFolder()
      let watch = try folder.watch()
      try folder.plugCard(0)
      watch.cancel()
      watch.cancel()
      let count = folder.count
      try folder.plugCard(1)
      try await Task.sleep(for: ALSADeviceWatch.quiet * 2)
      #expect(folder.count == count)
    }

    @Test func endsWhenNobodyHoldsIt() async throws {
      let folder = try Folder()
      try folder.makeSoundFolder()
      do { _ = try folder.watch() }
      let count = folder.count
      try folder.plugCard(0)
      try await Task.sleep(for: ALSADeviceWatch.quiet * 2)
      #expect(folder.count == count)
    }

    @Test func saysWhyItCannotWatch() {
      let backend = ALSABackend(clock: SystemPeriodClock.shared, deviceFolder: "/nonexistent/\(UUID().uuidString)")
      let error = #expect(throws: AudioDeviceError.self) { try backend.watchDevices {} }
      #expect(error?.code == .systemFailure && error?.call == "inotify_add_watch")
    }
  }
#endif
