public import AudioDeviceCore
public import Foundation

/// A sound that comes with the package: an MP3, 48 kHz mono, that begins and ends in silence and loops without a seam.
///
/// The files are in the folder `AudioDeviceKit_Sounds.resources`, which SwiftPM puts beside the program that it builds.
/// A program that is moved or installed takes the folder along. How each sound was made is in `Sounds/make-sounds`.
/// More may come: give a `switch` a `default`.
public enum BundledSound: String, CaseIterable, Sendable, Hashable {
  /// A ringtone: a melody on a marimba, 6 s.
  case marimba
  /// A ringtone: the bell of an old telephone, twice, and a rest; 3 s.
  case classic
  /// What a caller hears while the other side rings, in the North American cadence: 440 and 480 Hz, 2 s on and 4 s off.
  case ringback

  /// The sounds that tell of an incoming call.
  public static let ringtones: [BundledSound] = [.marimba, .classic]

  /// Finds the file. Looks on the disk; any thread but an audio thread.
  ///
  /// It is looked for beside the program's executable alone, with symbolic links resolved. SwiftPM's own
  /// `Bundle.module` would also look at the path it was built at, which says nothing about the machine it runs on, and
  /// then trap.
  ///
  /// - Returns: A file URL.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `fileNotFound` when the program came without its
  ///   resources.
  public func url() throws(AudioDeviceError) -> URL {
    try url(beside: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath())
  }

  func url(beside executable: URL) throws(AudioDeviceError) -> URL {
    let folder = executable.deletingLastPathComponent()
    let file = folder.appendingPathComponent(Self.bundle).appendingPathComponent("\(rawValue).mp3")
    guard FileManager.default.isReadableFile(atPath: file.path) else {
      throw AudioDeviceError(
        .fileNotFound,
        "The sound \"\(rawValue)\" is missing: \"\(file.path)\" cannot be read. "
          + "Copy the folder \(Self.bundle) from where the program was built to \"\(folder.path)\".")
    }
    return file
  }

  /// As SwiftPM names it: the package, the target.
  private static let bundle = "AudioDeviceKit_Sounds.resources"
}
