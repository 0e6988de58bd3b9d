#if ALSA
  import Foundation
  import Glibc
  import RealtimeSupport

  /// The one file that alsa-lib reads in this process.
  final class ALSAConfiguration: Sendable {
    let path: String

    private struct State {
      var last = 0
      var changes = 0
      var owner: Int?
      var parts: [Int: String] = [:]
    }
    private let plugin: String
    private let state = Locked(State())

    private static let common = Result { try ALSAConfiguration() }

    /// The one of this process; made, and put into the environment, at the first call.
    static func shared() throws -> ALSAConfiguration { try common.get() }

    private init() throws {
      path = try "\(ProcessWarden.shared().folder)/asound.conf"
      // SwiftPM puts the plug-in where it puts the test program.
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      plugin =
        URL(fileURLWithPath: program).deletingLastPathComponent()
        .appendingPathComponent("libasound_module_pcm_rig.so").path
      guard FileManager.default.isReadableFile(atPath: plugin) else {
        throw RigError("\(plugin) is missing; `swift build --build-tests` makes it")
      }
      try write(State())
      // A variable that did not exist is added without freeing what other threads may be reading.
      setenv("ALSA_CONFIG_PATH", path, 1)
    }

    /// A number that no other rig has had.
    func nextNumber() -> Int {
      state.withLock { state in
        state.last += 1
        return state.last
      }
    }

    /// Adds a rig.
    ///
    /// - Parameters:
    ///   - number: The rig's.
    ///   - text: Its PCMs.
    ///   - definesDefault: Whether `default` is among them.
    /// - Throws: ``RigError`` when another rig has the default.
    func add(_ number: Int, _ text: String, definesDefault: Bool) throws {
      try state.withLock { state in
        if definesDefault {
          guard state.owner == nil else {
            throw RigError("Another rig defines the PCM `default`; serialise the suites")
          }
          state.owner = number
        }
        state.parts[number] = text
        state.changes += 1
        try write(state)
      }
    }

    /// Changes what a rig has, if it is still there.
    ///
    /// - Parameters:
    ///   - number: The rig's.
    ///   - text: Its PCMs.
    /// - Throws: ``RigError``.
    func change(_ number: Int, _ text: String) throws {
      try state.withLock { state in
        guard state.parts[number] != nil else { return }
        state.parts[number] = text
        state.changes += 1
        try write(state)
      }
    }

    /// Removes a rig.
    ///
    /// - Parameter number: The rig's.
    /// - Throws: ``RigError``.
    func remove(_ number: Int) throws {
      try state.withLock { state in
        guard state.parts.removeValue(forKey: number) != nil else { return }
        if state.owner == number { state.owner = nil }
        state.changes += 1
        try write(state)
      }
    }

    private func write(_ state: State) throws {
      let head = """
        defaults.namehint.basic on
        defaults.namehint.extended on
        defaults.namehint.showall off
        defaults.pcm.minperiodtime 5000
        pcm_type.rig { lib "\(plugin)" }
        pcm.plug { @args [ SLAVE ] @args.SLAVE { type string } type plug slave.pcm $SLAVE }

        """
      // A new file under the old name, so that readers see the whole of one or the other. alsa-lib takes a file for
      // unchanged when its inode, which may be used again, and the second of its last change are the same.
      try writeText(head + state.parts.sorted { $0.key < $1.key }.map(\.value).joined(), to: "\(path).new")
      let seconds = timeval(tv_sec: 1_000_000_000 + state.changes, tv_usec: 0)
      guard utimes("\(path).new", [seconds, seconds]) == 0, rename("\(path).new", path) == 0 else {
        throw RigError("rename \(path): \(String(cString: strerror(errno)))")
      }
    }
  }
#endif
