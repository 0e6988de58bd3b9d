import AudioDeviceCore
import Glibc
import RealtimeSupport

/// A PCM of the kernel's that somebody has open, so that nobody else can open it: `EBUSY`.
public final class HeldPCM: Sendable {
  private let descriptor: Locked<OwnedDescriptor?>

  /// Takes device 0 of a card, which must be free.
  init(_ card: KernelCard, _ direction: AudioDirection) throws {
    // The link /proc/asound/HDA leads to card1.
    var target = [UInt8](repeating: 0, count: 64)
    let length = readlink("/proc/asound/\(card.rawValue)", &target, target.count)
    let number = String(decoding: target.prefix(max(length, 0)).dropFirst("card".count), as: UTF8.self)
    let path = "/dev/snd/pcmC\(number)D0\(direction == .capture ? "c" : "p")"
    descriptor = Locked(try OwnedDescriptor(open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC), from: "open \(path)"))
  }

  /// Lets it go, as the end of the object does. Idempotent.
  public func release() { descriptor.withLock { $0 = nil } }
}
