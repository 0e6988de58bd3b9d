@_exported public import AudioDeviceCore

/// Which backend a device uses.
public enum BackendChoice: Sendable {
  /// PulseAudio or PipeWire where a server answers, else ALSA where it has a device, else the virtual backend.
  case automatic
  /// PulseAudio, or PipeWire's pulse server.
  case pulse
  /// ALSA.
  case alsa
  /// No sound system at all: silence in, nothing out, at the right pace.
  case virtual
  /// A backend that the app made, for instance a ``VirtualBackend`` that writes a file.
  case custom(any AudioBackend)
}

extension BackendChoice {
  /// The choices that have a name, as command lines spell them.
  ///
  /// - Parameter name: `automatic`, `pulse`, `alsa` or `virtual`.
  public init?(name: String) {
    switch name {
    case "automatic": self = .automatic
    case "pulse": self = .pulse
    case "alsa": self = .alsa
    case "virtual": self = .virtual
    default: return nil
    }
  }
}
