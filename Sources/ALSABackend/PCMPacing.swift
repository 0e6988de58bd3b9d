#if ALSA
  internal import CALSA
  internal import CAudioSupport
  internal import Glibc

  /// Who keeps a PCM at the pace of time.
  enum PCMPacing: Sendable, Hashable {
    /// The kernel: all that is waited for are devices of the sound subsystem. Real-time scheduling is safe here.
    case kernel
    /// A plug-in, in code and threads of its own. A real-time thread could spin in it until the kernel ends the process
    /// (`RLIMIT_RTTIME`), so the stream declines the class, and a ``PacingGovernor`` watches the pace.
    case plugin
    /// Nobody: `null`, and `file` that ends in it, take and give without end. The stream paces by itself.
    case none

    /// Linux's number for the sound subsystem's character devices.
    private static let soundMajor: UInt64 = 116
    /// And for `/dev/null`, `/dev/zero`, `/dev/full`.
    private static let memoryMajor: UInt64 = 1

    /// Looks at what a PCM waits for. Allocates.
    ///
    /// The descriptors tell what no type does: `default` is a `plug` whatever lies under it.
    init(_ pcm: borrowing PCMHandle) {
      let count = pcm.descriptorCount
      var majors: [UInt64] = []
      withUnsafeTemporaryAllocation(of: pollfd.self, capacity: max(count, 1)) { room in
        room.initialize(repeating: pollfd())
        for descriptor in room.prefix(pcm.descriptors(into: room)) {
          var status = stat()
          let isDevice = fstat(descriptor.fd, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
          majors.append(isDevice ? Self.major(of: UInt64(status.st_rdev)) : .max)
        }
      }
      // A `file` writes to a disk that may stall, whatever paces it.
      let isFile = snd_pcm_type(pcm.raw) == SND_PCM_TYPE_FILE
      if majors.isEmpty || majors.allSatisfy({ $0 == Self.memoryMajor }) {
        self = .none
      } else if majors.allSatisfy({ $0 == Self.soundMajor }), !isFile {
        self = .kernel
      } else {
        self = .plugin
      }
    }

    /// The major number in a `dev_t` of glibc, whose macro Swift does not see.
    private static func major(of device: UInt64) -> UInt64 { device >> 8 & 0xfff | device >> 32 & ~0xfff }
  }
#endif
