#if ALSA
  internal import AudioDeviceCore
  internal import CAudioSupport
  internal import Glibc

  /// Watches the folder of the kernel's sound devices, and waits for it where it does not exist yet (no card, no
  /// module).
  final class ALSADeviceWatch: AudioDeviceWatch {
    /// Quiet after the last event before it is told: a card makes a dozen files within a few milliseconds. When udev
    /// sets their rights later than that, it is told again.
    static let quiet = Duration.milliseconds(100)
    /// The longest that events may keep coming before they are told.
    static let patience = Duration.seconds(2)

    private let gate = StreamGate()
    private let wake: WakeEvent
    private let thread: RealtimeThread

    /// Begins to watch. Allocates.
    ///
    /// - Parameters:
    ///   - folder: Where `snd` is or will be: `/dev`.
    ///   - onChange: Called on the watch's thread.
    /// - Throws: ``SystemCallError`` when the system has no descriptor, thread or inotify watch left.
    init(folder: String, onChange: @escaping @Sendable () -> Void) throws(SystemCallError) {
      let wake = try WakeEvent()
      let folder = try SoundFolder(parent: folder)
      // Here, so that what changes from the return on is seen.
      let watched = folder.watchDevices()
      self.wake = wake
      let gate = gate
      thread = try RealtimeThread(name: "alsa-watch", scheduling: .normal) {
        Self.run(folder, watched, gate, wake, onChange)
      }
    }

    deinit { cancel() }

    func cancel() {
      gate.shutDoor()
      wake.signal()
      thread.join()
    }

    private static func run(
      _ folder: SoundFolder, _ watched: Int32?, _ gate: StreamGate, _ wake: WakeEvent,
      _ onChange: @Sendable () -> Void
    ) {
      var watched = watched
      var first: AudioInstant?
      var last = AudioInstant.now
      while !gate.isShut {
        let deadline = first.map { min(last + quiet, $0 + patience) }
        folder.wait(wake, limit: deadline.map { $0 - .now } ?? .seconds(3600))
        if gate.isShut { return }
        if folder.takeEvents(&watched) {
          last = .now
          first = first ?? last
        }
        guard let deadline, AudioInstant.now >= min(deadline, last + quiet), gate.enter() else { continue }
        first = nil
        onChange()
        gate.leave()
      }
    }
  }

  /// An inotify queue on the folder that holds the sound devices' folder, and on that one while it exists.
  private final class SoundFolder: Sendable {
    private static let name = "snd"
    private let descriptor: Int32
    private let path: String

    init(parent: String) throws(SystemCallError) {
      descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { throw SystemCallError(call: "inotify_init1", number: errno) }
      path = "\(parent)/\(Self.name)"
      guard inotify_add_watch(descriptor, parent, UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)) >= 0 else {
        throw SystemCallError(call: "inotify_add_watch", number: errno)
      }
    }

    deinit { close(descriptor) }

    /// Watches the devices' folder.
    ///
    /// - Returns: The watch's number; nil where the folder does not exist.
    func watchDevices() -> Int32? {
      let events = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR
      let watch = inotify_add_watch(descriptor, path, UInt32(events))
      return watch >= 0 ? watch : nil
    }

    func wait(_ wake: WakeEvent, limit: Duration) {
      withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { room in
        room.initialize(repeating: pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        room[1].fd = wake.fileDescriptor
        guard let base = room.baseAddress else { return }
        _ = cas_poll(base, 2, max(limit.wholeNanoseconds, 0))
      }
    }

    /// Reads the events that came.
    ///
    /// - Parameter watched: The number of the watch on the devices' folder, kept up to date.
    /// - Returns: Whether devices may have changed.
    func takeEvents(_ watched: inout Int32?) -> Bool {
      let headerSize = MemoryLayout<inotify_event>.size
      return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        var hasChanged = false
        while true {
          let count = read(descriptor, buffer.baseAddress, buffer.count)
          guard count >= headerSize else { return hasChanged }
          var offset = 0
          while offset + headerSize <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: EventHeader.self)
            let nameStart = offset + headerSize
            let nameEnd = min(nameStart + Int(event.nameLength), count)
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || event.watch == watched {
              hasChanged = true
              if event.mask & UInt32(IN_IGNORED) != 0 { watched = watchDevices() }
            } else if buffer[nameStart..<nameEnd].prefix(while: { $0 != 0 }).elementsEqual(Self.name.utf8) {
              watched = watchDevices()
              hasChanged = true
            }
            offset = nameEnd
          }
        }
      }
    }

    /// The fixed part of an `inotify_event`.
    private struct EventHeader: BitwiseCopyable {
      var watch: Int32
      var mask: UInt32
      var cookie: UInt32
      var nameLength: UInt32
    }
  }
#endif
