#if ALSA
  import AudioDeviceCore
  import Foundation
  import Glibc

  /// PCMs for tests of ALSA code where there is no sound card: fake devices that keep time, record and fail on demand
  /// (``FakePCM``), and the plug-ins that need none.
  ///
  /// The names of the PCMs are different in every rig, so that suites can run side by side. What alsa-lib reads instead
  /// of the machine's configuration is one file for the whole process, which holds the PCMs of all rigs that live; the
  /// first rig sets `ALSA_CONFIG_PATH` to it, once, and nothing changes the environment after that. alsa-lib notices
  /// when the file has changed. Only a rig with ``Configuration/definesDefault`` must be alone in that: give its suite
  /// the trait `.serialized`.
  public final class ALSARig: Sendable {
    /// What the rig has.
    public struct Configuration: Sendable {
      /// Of ``ALSARig/speakers``.
      public var speakers = FakePCM.Options()
      /// Of ``ALSARig/microphone``.
      public var microphone = FakePCM.Options()
      /// Of ``ALSARig/secondSpeakers``.
      public var secondSpeakers = FakePCM.Options()
      /// Of ``ALSARig/secondMicrophone``.
      public var secondMicrophone = FakePCM.Options()
      /// A server for the PCM ``ALSARig/pulseName``, such as ``SoundServer/serverString``.
      public var pulseServer: String?
      /// Whether the PCM `default` exists: the speakers and the microphone, with conversion of rate and format.
      public var definesDefault = false

      /// Stereo speakers and microphones that take every format.
      public init() {}
    }

    /// The first playback device.
    public let speakers: FakePCM
    /// The first capture device.
    public let microphone: FakePCM
    /// Another playback device.
    public let secondSpeakers: FakePCM
    /// Another capture device.
    public let secondMicrophone: FakePCM
    /// A PCM for both directions: the first speakers and the first microphone, as `hw:` is for a card.
    public var pairName: String { "pair_\(number)" }
    /// A PCM that keeps no time at all, plays to nowhere and records zeros (`type null`).
    public var nullName: String { "null_\(number)" }
    /// A PCM that keeps no time and writes what is played to ``filePath`` (`type file`).
    public var fileName: String { "file_\(number)" }
    /// Where ``fileName`` writes raw samples.
    public var filePath: String { "\(folder)/file.raw" }
    /// A PCM on a PulseAudio server (`type pulse`), if the configuration names one.
    public var pulseName: String { "pulse_\(number)" }
    /// Where the files of the rig are.
    public let folder: String
    /// For child processes such as `aplay`.
    public let environment: [String: String]

    private let number: Int
    private let configuration: Configuration
    private let unlisted = Locked<Set<String>>([])

    /// Makes the PCMs of a rig known to alsa-lib in this process.
    ///
    /// - Parameter configuration: What it has.
    /// - Returns: The rig.
    /// - Throws: ``RigError`` when the plug-in is not beside the test program, or another rig has the `default`.
    public static func start(_ configuration: Configuration = Configuration()) throws -> ALSARig {
      let rig = try ALSARig(configuration)
      try ALSAConfiguration.shared().add(rig.number, rig.text, definesDefault: configuration.definesDefault)
      return rig
    }

    private init(_ configuration: Configuration) throws {
      let folder = try ProcessWarden.shared().makeFolder("alsa")
      let number = try ALSAConfiguration.shared().nextNumber()
      self.configuration = configuration
      self.folder = folder
      self.number = number
      func device(_ kind: String, _ direction: AudioDirection, _ options: FakePCM.Options) throws -> FakePCM {
        try FakePCM(name: "\(kind)_\(number)", direction: direction, folder: folder, options: options)
      }
      speakers = try device("speakers", .render, configuration.speakers)
      microphone = try device("mic", .capture, configuration.microphone)
      secondSpeakers = try device("headphones", .render, configuration.secondSpeakers)
      secondMicrophone = try device("headset_mic", .capture, configuration.secondMicrophone)
      environment = try Subprocess.plainEnvironment.merging(["ALSA_CONFIG_PATH": ALSAConfiguration.shared().path]) {
        $1
      }
    }

    deinit { stop() }

    /// Takes the PCMs away and removes the files. Idempotent. What a client has open goes on until it closes it.
    public func stop() {
      try? ALSAConfiguration.shared().remove(number)
      try? FileManager.default.removeItem(atPath: folder)
    }

    /// Unplugs a device: whoever has it open finds it disconnected, and it is neither listed nor opened any more.
    ///
    /// - Parameter device: One of this rig.
    /// - Throws: ``RigError`` when the configuration can't be written.
    public func unplug(_ device: FakePCM) throws {
      unlisted.withLock { _ = $0.insert(device.name) }
      try ALSAConfiguration.shared().change(number, text)
      device.unplug()
    }

    /// Plugs a device in again; who opened it before has to open it anew.
    ///
    /// - Parameter device: One of this rig.
    /// - Throws: ``RigError`` when the configuration can't be written.
    public func plug(_ device: FakePCM) throws {
      device.plug()
      unlisted.withLock { _ = $0.remove(device.name) }
      try ALSAConfiguration.shared().change(number, text)
    }

    private var text: String {
      let hidden = unlisted.withLock { $0 }
      let devices = [speakers, microphone, secondSpeakers, secondMicrophone]
      var lines = devices.filter { !hidden.contains($0.name) }.map(\.configurationText)
      lines.append(
        """
        pcm.\(pairName) {
          type asym
          playback.pcm \(speakers.name)
          capture.pcm \(microphone.name)
          hint { show on description "Rig pair \(number)" }
        }
        pcm.\(nullName) { type null hint { show on description "Rig null \(number)" } }
        pcm.\(fileName) {
          type file
          slave.pcm { type null }
          file "\(filePath)"
          format raw
          hint { show on description "Rig file \(number)|IOIDOutput" }
        }
        """)
      if let server = configuration.pulseServer {
        lines.append(
          "pcm.\(pulseName) { type pulse server \"\(server)\" hint { show on description \"Rig pulse \(number)\" } }")
      }
      if configuration.definesDefault {
        lines.append(
          """
          pcm.!default {
            type asym
            playback.pcm { type plug slave.pcm \(speakers.name) }
            capture.pcm { type plug slave.pcm \(microphone.name) }
            hint { show on description "Rig default \(number)" }
          }
          """)
      }
      return lines.joined(separator: "\n") + "\n"
    }
  }
#endif
