package import AudioDeviceKit
internal import VirtualBackend

/// The options that choose devices, the same for all that opens some.
package enum DeviceOptions {
  package static let backend = Option(
    "backend",
    .choice("NAME", ["automatic": "automatic", "pulse": "pulse", "alsa": "alsa", "virtual": "virtual"]),
    default: "automatic",
    help: "The sound system: pulse (also PipeWire), alsa, virtual (none at all), or automatic, the first that works.")
  package static let input = Option(
    "input", .text("ID"), help: "The microphone, by its id from 'audio-device list'; else the default.")
  package static let output = Option(
    "output", .text("ID"), help: "The speaker, by its id from 'audio-device list'; else the default.")
  package static let inputFile = Option(
    "input-wav", .text("FILE"), help: "What the microphone hears, for the virtual backend.")
  package static let outputFile = Option(
    "output-wav", .text("FILE"), help: "Where what the speaker sounds is written to, for the virtual backend.")
  package static let rate = Option(
    "rate", .integer("HZ", in: AudioFormat.sampleRates), default: AudioFormat.voice.sampleRate,
    help: "Frames per second.")
  package static let channels = Option(
    "channels", .integer("N", in: AudioFormat.channelCounts), default: AudioFormat.voice.channelCount,
    help: "Channels.")
  package static let latency = Option(
    "latency", .milliseconds(in: 1...2000),
    help: "The wished delay of each direction; else what the backend does best.")

  /// The id that the virtual speaker has which writes a file.
  private static let fileSpeaker = "file"

  /// Whether the choice of the backend is left to the library.
  package static func isAutomatic(_ arguments: ParsedArguments) -> Bool {
    arguments[backend] == "automatic" && arguments[inputFile] == nil && arguments[outputFile] == nil
  }

  /// What the options mean together.
  ///
  /// - Throws: ``UsageError`` when a file of the virtual backend is named and another backend wished.
  package static func check(_ arguments: ParsedArguments) throws(UsageError) {
    for (file, device) in [(inputFile, input), (outputFile, output)] where arguments[file] != nil {
      if arguments.isGiven(backend), arguments[backend] != "virtual" {
        throw UsageError(
          "--\(file.name) belongs to the virtual backend, not to '\(arguments[backend])'; leave --\(backend.name) out")
      }
      if arguments[device] != nil {
        throw UsageError("--\(file.name) is a device by itself; leave --\(device.name) out")
      }
    }
  }

  /// The format that the options ask for.
  ///
  /// - Throws: ``AudioDeviceError`` when there is no such format.
  package static func format(_ arguments: ParsedArguments) throws(AudioDeviceError) -> AudioFormat {
    try AudioFormat(sampleRate: arguments[rate], channelCount: arguments[channels])
  }

  /// A device's configuration from the options.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - format: Of both directions.
  /// - Returns: The configuration, whose backend is a new one where files are named.
  /// - Throws: ``AudioDeviceError`` when the virtual backend cannot be made.
  package static func configuration(
    _ arguments: ParsedArguments, format: AudioFormat
  ) throws(AudioDeviceError) -> DefaultAudioDevice.Configuration {
    var configuration = DefaultAudioDevice.Configuration()
    if arguments[inputFile] != nil || arguments[outputFile] != nil {
      configuration.backend = .custom(
        try fileBackend(input: arguments[inputFile], output: arguments[outputFile], format: format))
    } else {
      configuration.backend = BackendChoice(name: arguments[backend]) ?? .automatic
    }
    configuration.captureFormat = format
    configuration.renderFormat = format
    if let id = arguments[input] { configuration.inputRoute = .device(id, orDefault: false) }
    if let id = arguments[output] { configuration.outputRoute = .device(id, orDefault: false) }
    configuration.latency = arguments[latency]
    configuration.application.name = "audio-device"
    return configuration
  }

  /// A virtual backend whose microphone hears a file and whose speaker writes one.
  ///
  /// - Parameters:
  ///   - input: A WAVE file, heard once; nil for silence.
  ///   - output: Where to write a WAVE file; nil for nowhere.
  ///   - format: Of the file that is written.
  /// - Returns: The backend.
  /// - Throws: ``AudioDeviceError`` when it cannot be.
  package static func fileBackend(
    input: String?, output: String?, format: AudioFormat
  ) throws(AudioDeviceError) -> any AudioBackend {
    let speaker = VirtualBackend.Speaker(
      id: fileSpeaker, name: "File speaker", format: format,
      target: output.map { .file(path: $0) } ?? .nothing)
    let microphone = VirtualBackend.Microphone(
      id: fileSpeaker, name: "File microphone", source: input.map { .file(path: $0, repeats: false) } ?? .silence)
    return try VirtualBackend(configuration: .init(speakers: [speaker], microphones: [microphone]))
  }

  /// Waits until all that has sounded is in the file of the virtual speaker, and closes it.
  ///
  /// - Parameter device: A device that does not run any more.
  /// - Throws: ``AudioDeviceError`` when it could not be written.
  package static func finishOutputFile(of device: DefaultAudioDevice) throws(AudioDeviceError) {
    guard case .custom(let backend) = device.configuration.backend, let backend = backend as? VirtualBackend else {
      return
    }
    try backend.finishOutput(ofSpeaker: fileSpeaker)
  }
}
