public import Foundation

/// A folder for a test's files, which goes with this object.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let url: URL

  /// Makes an empty folder.
  ///
  /// - Throws: When the system cannot.
  public init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("audio-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in it.
  ///
  /// - Parameter name: The file's name.
  /// - Returns: The path.
  public func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
