public import AudioDeviceCore
import Glibc

/// The cards of the kernel lane (`Tests/Kernel/run`): a virtual machine with real ALSA drivers, where tests are root
/// and nothing can be broken.
///
/// A suite for the lane has `Kernel` in its name, which is what the lane filters by, and runs only there:
/// ```swift
/// @Suite(.enabled(if: KernelCard.isLane)) struct KernelStreamTests { … }
/// ```
/// The lane runs one test at a time, since they share the cards. A test puts back what it changed. Emulation is slow:
/// buffers of 40 ms and more keep up, and no limit below a few seconds is safe.
public enum KernelCard: String, Sendable, CaseIterable {
  /// `snd-aloop`: what is played to `hw:Loopback,0,N` is recorded from `hw:Loopback,1,N`, N being 0 or 1, bit for bit.
  case loopback = "Loopback"
  /// An HDA controller with a duplex codec, `hw:HDA,0`. It takes and gives silence in real time.
  case hda = "HDA"
  /// A USB speaker, `hw:USB,0`: playback only, stereo at 48 kHz.
  case usb = "USB"

  /// Whether this process runs in the lane.
  public static var isLane: Bool { getenv("AUDIODEVICEKIT_KERNEL_LANE") != nil }

  /// Whether what takes long is tested as well: `Tests/run --faults`.
  public static var isFull: Bool { getenv("AUDIODEVICEKIT_FAULTS") != nil }

  /// Whether the kernel has the card now.
  public var isPresent: Bool { access("/proc/asound/\(rawValue)", F_OK) == 0 }

  /// Pulls the card out, as far as the kernel can tell.
  ///
  /// Open PCMs of the card get `ENODEV`. For ``hda`` the call blocks until they are closed, so make it on a thread of
  /// its own.
  ///
  /// - Throws: ``RigError`` when the kernel refuses.
  public func unplug() throws {
    switch self {
    case .loopback: try Self.write("snd_aloop.0", to: "/sys/bus/platform/drivers/snd_aloop/unbind")
    case .hda: try Self.write("1", to: "/sys/bus/pci/drivers/snd_hda_intel/0000:*/remove")
    case .usb: try Self.write("0", to: "/sys/bus/usb/devices/1-1/authorized")
    }
  }

  /// Puts the card back. It may take a second until it is present.
  ///
  /// - Throws: ``RigError`` when the kernel refuses.
  public func replug() throws {
    switch self {
    case .loopback: try Self.write("snd_aloop.0", to: "/sys/bus/platform/drivers/snd_aloop/bind")
    case .hda: try Self.write("1", to: "/sys/bus/pci/rescan")
    case .usb: try Self.write("1", to: "/sys/bus/usb/devices/1-1/authorized")
    }
  }

  /// Takes the card's device 0, as another program does that plays or records.
  ///
  /// - Parameter direction: Which of its two PCMs.
  /// - Returns: The PCM, taken until it is released.
  /// - Throws: ``RigError`` when the card is not there or its PCM is in use.
  public func hold(_ direction: AudioDirection) throws -> HeldPCM { try HeldPCM(self, direction) }

  /// Makes the clock of the loopback's cables from device 0 to device 1 faster or slower than the system's.
  ///
  /// Both ends of the cable run at the changed rate. 1 is the system's; 0.8 … 1.2 is possible.
  ///
  /// - Parameter ratio: Frames per frame of the system's clock.
  /// - Throws: ``RigError`` when the mixer refuses.
  public static func setLoopbackClock(_ ratio: Double) throws {
    // The control holds how much slower the cable is, in 1/100000.
    try Subprocess.check([
      "amixer", "--quiet", "--card", loopback.rawValue, "cset",
      "iface=PCM,name='PCM Rate Shift 100000',device=1", String(Int((100_000 / ratio).rounded())),
    ])
  }

  /// Puts the machine to sleep, as far as its devices go, and wakes it after a second. Blocks until then.
  ///
  /// Only in suites named `SuspendedKernel…`, which run from memory (`Tests/Kernel/run --suspend`): a file that is not
  /// there can't be read afterwards, nor a program be started.
  ///
  /// - Throws: ``RigError`` when the kernel refuses.
  public static func suspendMachine() throws {
    try write("1", to: "/sys/module/suspend/parameters/pm_test_delay")
    try write("devices", to: "/sys/power/pm_test")
    try write("mem", to: "/sys/power/state")
  }

  /// Writes to the one file that matches a pattern of the shell.
  private static func write(_ text: String, to pattern: String) throws {
    var matches = glob_t()
    defer { globfree(&matches) }
    guard glob(pattern, 0, nil, &matches) == 0, matches.gl_pathc == 1, let path = matches.gl_pathv?[0] else {
      throw RigError("\(pattern): not one file")
    }
    let descriptor = try OwnedDescriptor(open(path, O_WRONLY | O_CLOEXEC), from: "open \(pattern)")
    try Array(text.utf8).withUnsafeBytes { try descriptor.write($0) }
  }
}
