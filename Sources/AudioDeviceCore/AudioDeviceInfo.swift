/// A device of a backend, as it can be listed and chosen.
public struct AudioDeviceInfo: Sendable, Hashable {
  /// What names the device for good: the server's or alsa-lib's own name for it, never an index or a description.
  public var id: String
  /// What people read. Two devices may share it.
  public var name: String
  /// Which way it goes.
  public var direction: AudioDirection
  /// What it is.
  public var kind: Kind
  /// Whether it is the backend's default of its direction.
  public var isDefault: Bool
  /// The format it works in by itself; nil when unknown.
  public var nativeFormat: AudioFormat?
  /// What it looks like, as the server tells (`headset`, `speaker`, `webcam`, …); nil when unknown.
  public var formFactor: String?
  /// Whether something is plugged into the port in use; `true` where the system does not know.
  public var isPluggedIn: Bool
  /// Whether it is another device with an echo canceller before it, which the server made for one stream's sake.
  public var isHelper: Bool

  /// A device.
  ///
  /// - Parameters:
  ///   - id: What names it for good.
  ///   - name: What people read.
  ///   - direction: Which way it goes.
  ///   - kind: What it is.
  ///   - isDefault: Whether it is the default of its direction.
  ///   - nativeFormat: The format it works in by itself.
  ///   - formFactor: What it looks like.
  ///   - isPluggedIn: Whether something is plugged into the port in use.
  ///   - isHelper: Whether it is another device with an echo canceller before it.
  public init(
    id: String, name: String, direction: AudioDirection, kind: Kind = .unknown, isDefault: Bool = false,
    nativeFormat: AudioFormat? = nil, formFactor: String? = nil, isPluggedIn: Bool = true, isHelper: Bool = false
  ) {
    self.id = id
    self.name = name
    self.direction = direction
    self.kind = kind
    self.isDefault = isDefault
    self.nativeFormat = nativeFormat
    self.formFactor = formFactor
    self.isPluggedIn = isPluggedIn
    self.isHelper = isHelper
  }

  /// Whether a person would choose it: no monitor of a speaker, and no helper that was not made the default.
  public var isOffered: Bool { kind != .monitor && (!isHelper || isDefault) }

  /// The kinds of devices. More may come: give a `switch` a `default`.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Part of the machine.
    case builtIn
    /// Worn on the head, with a wire or a dongle.
    case headset
    /// Over Bluetooth.
    case bluetooth
    /// At a USB port.
    case usb
    /// A screen's speakers.
    case hdmi
    /// What is played on a speaker, as a source.
    case monitor
    /// Made of software.
    case virtual
    /// Not known.
    case unknown
  }
}
