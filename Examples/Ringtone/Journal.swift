#if MP3
  internal import AudioDeviceKit
  internal import CommandLineSupport

  /// Tells the story of the call: as sentences, or with `--json` as JSON lines. What the audio does is taken from the
  /// manager's events, and told in the order in which it happened. Used on the main thread.
  final class Journal {
    /// What is followed comes at once, unless a device is in trouble.
    private static let patience = Duration.seconds(5)

    /// Why the ringtone ended by itself, if it did.
    private(set) var failure: AudioDeviceError?
    private let console: Console
    private let events: EventReader
    /// The names of what was told since the last ``follow(until:)``.
    private var told: Set<String> = []

    /// A journal of what happens from now on.
    ///
    /// - Parameters:
    ///   - manager: Whose events are told.
    ///   - context: Where they are told.
    /// - Throws: ``AudioDeviceError`` when the process is out of descriptors.
    init(_ manager: AudioDeviceManager, _ context: CommandContext) throws(AudioDeviceError) {
      console = context.console
      events = try EventReader(manager, context, nil)
    }

    /// Tells something that the audio does not know of.
    func tell(
      _ name: String, _ members: [JSONValue.Member] = [], at time: AudioInstant = .now, words: String
    ) {
      if console.isJSON {
        console.writeOutput(console.line(event: name, members, at: time))
      } else {
        console.writeOutput("\((time - console.start).seconds.text(places: 2)) s  \(words)")
      }
    }

    /// Tells what the audio has done so far.
    func tellWhatHappened() {
      while let event = events.next() { tell(event) }
    }

    /// Tells what the audio does until it has done all that is expected, or it takes too long.
    ///
    /// - Parameter expected: The names of what is to be told after the last call.
    func follow(until expected: Set<String>) {
      let deadline = AudioInstant.now + Self.patience
      while !expected.isSubset(of: told), let event = events.next(until: deadline) { tell(event) }
      told = []
    }

    /// Tells what has not been told yet.
    func finish() {
      events.finish()
      tellWhatHappened()
    }

    private func tell(_ event: AudioDeviceEvent) {
      let name = name(of: event.kind)
      told.insert(name)
      if case .ringtoneStopped(let error) = event.kind { failure = failure ?? error }
      // What people are warned of stands on standard error already.
      guard console.isJSON || event.kind.warning == nil else { return }
      let members = event.kind.members.filter { $0.name != "direction" }
      tell(name, members, at: event.time, words: words(for: event.kind))
    }

    /// `captureStarted` for what has a direction; `ringing` for the ringtone.
    private func name(of kind: AudioDeviceEvent.Kind) -> String {
      if kind == .ringtoneStarted { return "ringing" }
      guard let direction = kind.direction else { return kind.name }
      return "\(direction)\(kind.name.prefix(1).uppercased())\(kind.name.dropFirst())"
    }

    private func words(for kind: AudioDeviceEvent.Kind) -> String {
      switch kind {
      case .backendSelected(let name): "The sound system is \(name)."
      case .deviceChanged: "The audio device is installed."
      case .started(let direction, let id): "The \(direction.deviceName) is open\(id.map { ": \($0)" } ?? "")."
      case .stopped(let direction): "The \(direction.deviceName) is closed."
      case .ringtoneStarted: "Ringing."
      case .ringtoneStopped(let error): "The ringing ended\(error.map { ": \($0)" } ?? ".")"
      default: kind.name
      }
    }
  }
#endif
