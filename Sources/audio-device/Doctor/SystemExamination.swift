internal import AudioDeviceKit
internal import Glibc

/// What the machine has for sound, before anything is opened.
struct SystemExamination {
  private(set) var findings: [Finding] = []
  /// Whether a sound server or a sound card was found.
  private(set) var hasSound = false

  /// Looks at the sound server, the kernel's devices and the rights.
  ///
  /// - Parameter configuration: Whose backend is wished.
  init(_ configuration: DefaultAudioDevice.Configuration) {
    switch configuration.backend {
    case .pulse: examineServer(isWished: true)
    case .alsa: examineCards(isWished: true)
    case .automatic:
      examineServer(isWished: false)
      examineCards(isWished: false)
    default: hasSound = true
    }
    examineScheduling()
  }

  private mutating func add(
    _ subject: String, _ verdict: Finding.Verdict, _ message: String, _ advice: String? = nil
  ) {
    findings.append(Finding(subject: subject, verdict: verdict, message: message, advice: advice))
  }

  // MARK: Sound server

  private mutating func examineServer(isWished: Bool) {
    let subject = "sound server"
    switch Self.devices(of: .pulse) {
    case .success:
      hasSound = true
      add(subject, .good, "PulseAudio or PipeWire answers.")
    case .failure(let error) where error.code == .backendUnavailable:
      add(subject, isWished ? .problem : .information, error.message)
    case .failure(let error):
      add(subject, isWished ? .problem : .information, error.message, serverAdvice)
    }
  }

  private var serverAdvice: String {
    let start = "Start one with 'systemctl --user start pipewire-pulse' or 'pulseaudio --start'."
    if getenv("PULSE_SERVER") != nil { return "PULSE_SERVER is set in the environment: see whether it is right." }
    guard let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }) else {
      return "XDG_RUNTIME_DIR is not set, by which a user's server is found: log in as that user, or set it. \(start)"
    }
    var status = stat()
    guard stat(folder, &status) == 0 else {
      return "XDG_RUNTIME_DIR is \(folder), which does not exist: log in as the user whose server it is. \(start)"
    }
    guard status.st_uid == getuid() else {
      return "XDG_RUNTIME_DIR is \(folder), which is another user's: run the command as that user."
    }
    return start
  }

  // MARK: Kernel

  private mutating func examineCards(isWished: Bool) {
    let subject = "sound card"
    let nodes = Self.deviceNodes
    guard !nodes.isEmpty else {
      examineSoftwareCards(subject, isWished: isWished)
      return
    }
    let refused = nodes.filter { access($0, R_OK | W_OK) != 0 && errno == EACCES }
    guard refused.isEmpty else {
      add(
        subject, isWished || !hasSound ? .problem : .information,
        "This user may not open \(refused.joined(separator: ", ")).",
        "Add the user to the group 'audio' ('sudo usermod -aG audio NAME'), and log in again.")
      return
    }
    switch Self.devices(of: .alsa) {
    case .success:
      hasSound = true
      let plural = nodes.count == 1 ? "" : "s"
      add(subject, .good, "The kernel has \(nodes.count) sound device\(plural), and this user may open them.")
    case .failure(let error): add(subject, isWished ? .problem : .information, error.message)
    }
  }

  /// Cards that exist in alsa-lib's configuration alone.
  private mutating func examineSoftwareCards(_ subject: String, isWished: Bool) {
    switch Self.devices(of: .alsa) {
    case .success(let backend) where backend.isAvailable:
      hasSound = true
      add(subject, .good, "alsa-lib has devices of its configuration; the kernel has none.")
    case .failure(let error) where error.code == .backendUnavailable:
      add(subject, isWished ? .problem : .information, error.message)
    default:
      add(
        subject, isWished ? .problem : .information, "The kernel has no sound device (there is no /dev/snd/pcm…).",
        "Plug one in, or load its driver; 'lspci' and 'lsusb' tell whether the machine has one, 'dmesg' what is wrong.")
    }
  }

  private static var deviceNodes: [String] {
    guard let folder = opendir("/dev/snd") else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          String(cString: $0)
        }
      }
      if name.hasPrefix("pcm") { names.append("/dev/snd/\(name)") }
    }
    return names.sorted()
  }

  /// The backend, once it has listed its devices.
  private static func devices(of choice: BackendChoice) -> Result<any AudioBackend, AudioDeviceError> {
    Result { () throws(AudioDeviceError) in
      var configuration = DefaultAudioDevice.Configuration()
      configuration.backend = choice
      let device = DefaultAudioDevice(configuration)
      try device.initializeRendering()
      guard let backend = device.backend else {
        throw AudioDeviceError(.backendUnavailable, "No audio backend was chosen.")
      }
      _ = try backend.devices()
      return backend
    }
  }

  // MARK: Scheduling

  private mutating func examineScheduling() {
    let thread = Result { () throws(SystemCallError) in
      try RealtimeThread(name: "doctor", scheduling: .audio) {}
    }
    switch thread {
    case .success(let thread):
      thread.join()
      if thread.schedulingClass == .audio {
        add("scheduling", .good, "Audio threads run in real time (\(thread.schedulingClass)).")
      } else {
        add(
          "scheduling", .warning,
          "Audio threads get no real time (\(thread.schedulingClass)): a busy machine is heard.",
          "Allow it: '@audio - rtprio 95' in /etc/security/limits.d/audio.conf and the user in the group 'audio', or "
            + "LimitRTPRIO=95 in a service's unit.")
      }
    case .failure(let error): add("scheduling", .problem, "No thread can be made: \(error).")
    }
  }
}
