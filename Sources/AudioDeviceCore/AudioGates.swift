/// All that decides whether the call's audio flows: what the client wishes and which gates are closed.
///
/// ``decision`` is the one place that says what follows; nothing else starts or stops a device.
public struct AudioGates: Sendable, Hashable, BitwiseCopyable {
  /// The client wants to send what the microphone hears.
  public var captureIsWished = false
  /// The client wants its audio to be heard.
  public var renderingIsWished = false
  /// A device is installed.
  public var hasDevice = false
  /// The soft mute: the microphone stays open, silence is sent.
  public var isSoftMuted = false
  /// The hard mute: the microphone is closed, nothing is sent.
  public var isHardMuted = false
  /// A ringtone has the audio.
  public var isRinging = false
  /// Calling services rule the session, and it is not active.
  public var sessionIsInactive = false
  /// Something else took the audio: another stream, or the machine's sleep.
  public var isInterrupted = false
  /// The server holds the microphone back (its stream is corked, or its device suspended) and gives it back by itself.
  public var captureIsHeld = false
  /// The server holds the speaker back and gives it back by itself.
  public var renderIsHeld = false
  /// The microphone is wished and could not be opened, or was lost.
  public var captureIsLost = false
  /// The speaker is wished and could not be opened, or was lost.
  public var renderIsLost = false

  /// No wish, no device, every gate open.
  public init() {}

  /// What follows from the wishes and the gates.
  public var decision: AudioDecision {
    AudioDecision(capture: captureDecision, render: renderDecision)
  }

  /// Whether a gate that concerns both directions is closed.
  private var callIsHalted: Bool { !hasDevice || isRinging || sessionIsInactive }

  private var captureDecision: AudioDecision.Capture {
    // A hard mute promises that nothing is sent, whatever else is the case.
    if !captureIsWished || isHardMuted { return .closed }
    if callIsHalted { return .silent }
    if captureIsHeld { return .held }
    if isInterrupted { return .silent }
    if captureIsLost { return .recovering }
    return isSoftMuted ? .muted : .live
  }

  private var renderDecision: AudioDecision.Render {
    if !renderingIsWished { return .closed }
    if callIsHalted { return .drained }
    if renderIsHeld { return .held }
    if isInterrupted { return .drained }
    return renderIsLost ? .recovering : .live
  }
}

/// What is done with the two directions of the audio.
public struct AudioDecision: Sendable, Hashable, BitwiseCopyable {
  /// The microphone and what the client gets of it.
  public var capture: Capture
  /// The speaker and what becomes of the client's audio.
  public var render: Render

  /// A decision from its halves.
  ///
  /// - Parameters:
  ///   - capture: The microphone's.
  ///   - render: The speaker's.
  public init(capture: Capture, render: Render) {
    self.capture = capture
    self.render = render
  }

  /// The microphone and what the client gets of it.
  public enum Capture: Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// The device is closed and nothing comes to the client.
    case closed
    /// The device is closed; the client gets zeros at the period pace.
    case silent
    /// The device stays open, where the server holds it back; the client gets zeros at the period pace.
    case held
    /// The device is being opened again and again; the client gets zeros at the period pace.
    case recovering
    /// The device is open; the client gets zeros in place of what it hears.
    case muted
    /// The device is open; the client gets what it hears.
    case live
  }

  /// The speaker and what becomes of the client's audio.
  public enum Render: Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// The device is closed and the client is not asked.
    case closed
    /// The device is closed; the client's audio is taken at the period pace and dropped.
    case drained
    /// The device stays open, where the server holds it back; the client's audio is taken and dropped.
    case held
    /// The device is being opened again and again; the client's audio is taken and dropped.
    case recovering
    /// The device is open and plays the client's audio.
    case live
  }
}
