#if ALSA
  internal import Synchronization

  /// The door between a stream's thread and its client: once shut, the client is not called again, whatever the thread
  /// is doing.
  ///
  /// The thread may hang in a plug-in when the stream is closed, and cannot be waited for then; the door is what makes
  /// the promise of ``AudioDeviceCore/AudioStream/close()`` hold all the same. Lock-free.
  final class StreamGate: Sendable {
    private static let shut: UInt8 = 1
    private static let inside: UInt8 = 2
    private let bits = Atomic<UInt8>(0)

    /// The stream's thread: asks to call the client, and calls ``leave()`` after it.
    ///
    /// - Returns: Whether it may.
    func enter() -> Bool {
      let (old, _) = bits.bitwiseOr(Self.inside, ordering: .acquiringAndReleasing)
      guard old & Self.shut != 0 else { return true }
      leave()
      return false
    }

    /// The stream's thread: the call is over.
    func leave() { bits.bitwiseAnd(~Self.inside, ordering: .acquiringAndReleasing) }

    /// Shuts the door for good. Any thread.
    func shutDoor() { bits.bitwiseOr(Self.shut, ordering: .acquiringAndReleasing) }

    /// Whether the door is shut.
    var isShut: Bool { bits.load(ordering: .acquiring) & Self.shut != 0 }

    /// Whether the client is being called now.
    var isInside: Bool { bits.load(ordering: .acquiring) & Self.inside != 0 }
  }
#endif
