package import AudioDeviceKit
internal import Foundation
package import VirtualBackend

/// What stands in for a sound system: a virtual microphone and a virtual speaker that writes a WAV file.
package struct StandIn {
  private static let speaker = "speaker"

  package let backend: VirtualBackend
  /// What was to be heard; nil when nobody wants to know.
  package let outputFile: String?
  /// Whether it stands in because no sound system was found.
  package let isUnasked: Bool

  /// Makes one when the virtual backend is asked for, or nothing else is there.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - program: In the name of a file that nobody has named.
  /// - Throws: ``AudioDeviceError`` when it cannot be.
  package init?(_ arguments: ParsedArguments, program: String) throws(AudioDeviceError) {
    let isAsked = Self.isAsked(arguments)
    if !isAsked, try Self.systemHasSound(arguments) { return nil }
    isUnasked = !isAsked
    outputFile = arguments[DeviceOptions.outputFile] ?? (isUnasked ? Self.temporaryFile(program) : nil)
    // Without a file a tone stands for the voice, so that the call can be told from silence.
    let source = arguments[DeviceOptions.inputFile].map { VirtualBackend.CaptureSource.file(path: $0, repeats: true) }
    let configuration = VirtualBackend.Configuration(
      speakers: [
        .init(id: Self.speaker, format: .voice, target: outputFile.map { .file(path: $0) } ?? .nothing)
      ], microphones: [.init(source: source ?? .tone(frequency: 440, level: -20))])
    backend = try VirtualBackend(configuration: configuration)
  }

  /// Completes the file.
  ///
  /// - Throws: ``AudioDeviceError`` when it could not be written.
  package func finish() throws(AudioDeviceError) { try backend.finishOutput(ofSpeaker: Self.speaker) }

  private static func isAsked(_ arguments: ParsedArguments) -> Bool {
    arguments[DeviceOptions.inputFile] != nil || arguments[DeviceOptions.outputFile] != nil
      || arguments[DeviceOptions.backend] == "virtual"
  }

  /// Whether there is something to be heard on, or something was asked for that says itself why there is not.
  private static func systemHasSound(_ arguments: ParsedArguments) throws(AudioDeviceError) -> Bool {
    guard DeviceOptions.isAutomatic(arguments) else { return true }
    let device = DefaultAudioDevice(try DeviceOptions.configuration(arguments, format: .voice))
    try device.initializeRendering()
    return !(device.backend is VirtualBackend)
  }

  private static func temporaryFile(_ program: String) -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("\(program)-\(UUID().uuidString).wav").path
  }
}
