import AudioDeviceCore
import Foundation
import Testing

@testable import Sounds

@Suite struct BundledSoundTests {
  @Test(arguments: BundledSound.allCases) func isFoundAndSmall(sound: BundledSound) throws {
    let size = try Data(contentsOf: sound.url()).count
    #expect((5_000..<60_000).contains(size))
  }

  @Test func allFilesInTheFolderAreListed() throws {
    let folder = try BundledSound.marimba.url().deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".mp3") }
    #expect(Set(files) == Set(BundledSound.allCases.map { "\($0.rawValue).mp3" }))
    #expect(BundledSound.ringtones.count >= 2 && !BundledSound.ringtones.contains(.ringback))
  }

  /// A program that was copied somewhere finds the sounds that were copied with it, and says what is missing otherwise.
  @Test func isLookedForBesideTheProgram() throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("program-\(UUID().uuidString)")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let program = folder.appendingPathComponent("program")
    #expect {
      _ = try BundledSound.classic.url(beside: program)
    } throws: { error in
      guard let error = error as? AudioDeviceError else { return false }
      return error.code == .fileNotFound && error.message.contains("AudioDeviceKit_Sounds.resources")
        && error.message.contains(folder.path)
    }
    let resources = try BundledSound.classic.url().deletingLastPathComponent()
    try files.copyItem(at: resources, to: folder.appendingPathComponent(resources.lastPathComponent))
    let found = try BundledSound.classic.url(beside: program)
    #expect(found.path.hasPrefix(folder.path))
    #expect(try Data(contentsOf: found) == Data(contentsOf: BundledSound.classic.url()))
  }
}
