#if ALSA
  public import AudioDeviceCore
  internal import CALSA

  /// The kernel's sound devices and whatever else alsa-lib's configuration names, through alsa-lib.
  ///
  /// Every PCM can be opened by its name, in the client's own format: 16-bit at the exact rate and channel count, by
  /// way of alsa-lib's `plug` where the hardware has others. A stream's thread sleeps in `poll(2)` until the device has
  /// or wants a period; xruns, suspends, unplugging and plug-ins that misbehave are told apart, counted and recovered
  /// from.
  ///
  /// What alsa-lib would print to stderr is caught, for the whole process, from the first use of a backend on; it comes
  /// back as ``AudioDeviceCore/AudioDeviceError/detail``.
  public final class ALSABackend: AudioBackend {
    /// How long ``isAvailable`` may take.
    static let availabilityLimit = Duration.seconds(2)
    /// How long ``devices()`` may take.
    static let listLimit = Duration.seconds(3)

    private let clock: any PeriodClock
    private let deviceFolder: String

    /// A backend. Opens nothing.
    ///
    /// - Parameter clock: Paces PCMs that have no clock of their own, such as `null` and `file`.
    public convenience init(clock: any PeriodClock = SystemPeriodClock.shared) {
      self.init(clock: clock, deviceFolder: "/dev")
    }

    /// For tests: a backend that watches another folder for sound devices.
    init(clock: any PeriodClock, deviceFolder: String) {
      self.clock = clock
      self.deviceFolder = deviceFolder
      _ = ALSALog.isInstalled
    }

    /// `alsa`.
    public var name: String { "alsa" }

    /// Whether there is a device to be had: a card of the kernel's, or else a `default` or another configured PCM that
    /// opens and is more than a `null`. Blocks for up to two seconds; opens a PCM only where the kernel has no card, so
    /// that nobody is kept from one.
    public var isAvailable: Bool {
      let answer = try? BoundedCall.run(limit: Self.availabilityLimit) { ALSADevices.canBeHad() }
      return answer == true
    }

    /// All devices: `default`, the kernel's PCMs as `hw:CARD=…,DEV=…`, and what else the configuration offers
    /// (`snd_device_name_hint`). No PCM is opened for it. Blocks for up to three seconds; allocates.
    ///
    /// A `hw:` PCM belongs to one program at a time, and is the fastest way to the device; `default` is shared on most
    /// machines. Left out are the other spellings of the kernel's devices (`sysdefault:`, `front:`, `dmix:`, `plughw:`,
    /// `surround51:`, `iec958:` …) and PCMs that only convert (`samplerate`, `upmix` …). Each can be opened by its
    /// name.
    ///
    /// - Returns: The default first, then the kernel's, then the rest, each in alsa-lib's order. Empty where nothing is
    ///   configured.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when reading the configuration hangs.
    public func devices() throws(AudioDeviceError) -> [AudioDeviceInfo] {
      let found: [AudioDeviceInfo]?
      do {
        found = try BoundedCall.run(limit: Self.listLimit) { ALSADevices.all() }
      } catch {
        throw AudioDeviceError(error, "The system has no thread or descriptor left to list the audio devices.")
      }
      guard let found else {
        throw AudioDeviceError(
          .timedOut,
          "Listing the ALSA devices did not end within \(Self.listLimit). A sound server that the configuration asks may "
            + "hang: restart the server.", call: "snd_device_name_hint")
      }
      return found
    }

    /// Watches the kernel's sound devices (`inotify(7)` on `/dev/snd`). Configured PCMs that are no devices of the
    /// kernel's come and go unnoticed.
    ///
    /// - Parameter onChange: Called on a thread of the watch's, once for all that happens within a tenth of a second.
    /// - Returns: The watch.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError`` when the system has no descriptor, thread or inotify watch left.
    public func watchDevices(
      onChange: @escaping @Sendable () -> Void
    ) throws(AudioDeviceError) -> any AudioDeviceWatch {
      do {
        return try ALSADeviceWatch(folder: deviceFolder, onChange: onChange)
      } catch {
        throw AudioDeviceError(error, "The audio devices cannot be watched for changes.")
      }
    }

    /// Opens a PCM by its name and sets it up, without starting it. Blocks for up to five seconds; allocates.
    ///
    /// A wish for the latency of playback sets the buffer, 40 ms without one. Capture is as fast as the device's period
    /// whatever the wish; its buffer holds at least 200 ms, so that a scheduling gap costs nothing.
    ///
    /// - Parameters:
    ///   - configuration: Direction, format, the PCM's name (nil: `default`), latency. ALSA has no role and no name.
    ///   - client: Called on the stream's thread.
    /// - Returns: The stream.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``; nothing stays half open.
    public func openStream(
      _ configuration: AudioStreamConfiguration, client: any AudioStreamClient
    ) throws(AudioDeviceError) -> any AudioStream {
      let name = configuration.deviceID ?? ALSADevices.defaultName
      guard !name.isEmpty, !name.utf8.contains(0) else {
        throw AudioDeviceError(
          .invalidArgument, "An ALSA device needs a name, such as \"default\" or \"hw:CARD=PCH,DEV=0\".")
      }
      let wish = PCMConfiguration(
        direction: configuration.direction, format: configuration.format, latency: configuration.latency)
      return try ALSAStream(pcm: try OpenPCM.open(name, wish), client: client, clock: clock)
    }
  }
#endif
