public import AudioDeviceCore

extension VirtualBackend {
  /// Which devices there are. The first of each direction is the default.
  public struct Configuration: Sendable {
    /// The speakers.
    public var speakers: [Speaker]
    /// The microphones.
    public var microphones: [Microphone]

    /// A configuration.
    ///
    /// - Parameters:
    ///   - speakers: The first is the default.
    ///   - microphones: The first is the default.
    public init(speakers: [Speaker], microphones: [Microphone]) {
      self.speakers = speakers
      self.microphones = microphones
    }

    /// The speaker `speaker`, which sounds to nobody, and the microphones `microphone` (silence), `tone:440` and
    /// `loopback:speaker` (what the speaker sounds, 20 ms later).
    public static let standard = Configuration(
      speakers: [Speaker()],
      microphones: [
        Microphone(),
        Microphone(id: "tone:440", name: "440 Hz tone", source: .tone(frequency: 440, level: -20)),
        Microphone(
          id: "loopback:speaker", name: "Loopback of the virtual speaker",
          source: .loopback(speakerID: "speaker", delay: .milliseconds(20))),
      ])
  }

  /// A speaker. All streams on it are mixed as in the air: added, saturated, silence where nothing plays.
  ///
  /// It comes to life when it is first opened. From that moment its target gets every frame of its timeline until the
  /// backend goes or ``VirtualBackend/finishOutput(ofSpeaker:)`` is called, also while nobody plays.
  public struct Speaker: Sendable {
    /// Its ``AudioDeviceCore/AudioDeviceInfo/id``, unique among the speakers.
    public var id: String
    /// What people read.
    public var name: String
    /// The format of its timeline and of its target; streams in others are converted.
    public var format: AudioFormat
    /// Where its sound goes.
    public var target: RenderTarget
    /// How fast its clock runs against the backend's, in parts per million within ±10000; negative is slow. Hardware
    /// is within some 100 of the truth.
    public var clockDrift: Double

    /// A speaker.
    ///
    /// - Parameters:
    ///   - id: Unique among the speakers.
    ///   - name: What people read.
    ///   - format: The format of its timeline and of its target.
    ///   - target: Where its sound goes.
    ///   - clockDrift: How fast its clock runs against the backend's, in parts per million.
    public init(
      id: String = "speaker", name: String = "Virtual speaker", format: AudioFormat = .stereo,
      target: RenderTarget = .nothing, clockDrift: Double = 0
    ) {
      self.id = id
      self.name = name
      self.format = format
      self.target = target
      self.clockDrift = clockDrift
    }
  }

  /// Where the sound of a speaker goes. More may come: give a `switch` a `default`.
  public enum RenderTarget: Sendable {
    /// Nowhere. Loopback microphones hear it all the same.
    case nothing
    /// Into a WAVE file, which replaces what is there when the speaker is first opened.
    ///
    /// A thread of its own writes it. When that fails, on a full disk for instance, every stream on the speaker is
    /// lost with the error, and opening another fails with it until ``VirtualBackend/finishOutput(ofSpeaker:)`` gives
    /// the file up.
    case file(path: String)
    /// To a function, called on an audio thread with one period (the last one may be shorter): it may not block, lock
    /// or allocate. The samples are interleaved and valid during the call.
    case function(@Sendable (_ samples: borrowing Span<Int16>, _ format: AudioFormat) -> Void)
  }

  /// A microphone. Every stream on it hears the source by itself, in the format it wishes.
  public struct Microphone: Sendable {
    /// Its ``AudioDeviceCore/AudioDeviceInfo/id``, unique among the microphones.
    public var id: String
    /// What people read.
    public var name: String
    /// What it hears.
    public var source: CaptureSource
    /// How fast its clock runs against the backend's, in parts per million within ±10000; negative is slow. A loopback
    /// microphone runs by its speaker's clock and has none of its own.
    public var clockDrift: Double

    /// A microphone.
    ///
    /// - Parameters:
    ///   - id: Unique among the microphones.
    ///   - name: What people read.
    ///   - source: What it hears.
    ///   - clockDrift: How fast its clock runs against the backend's, in parts per million.
    public init(
      id: String = "microphone", name: String = "Virtual microphone", source: CaptureSource = .silence,
      clockDrift: Double = 0
    ) {
      self.id = id
      self.name = name
      self.source = source
      self.clockDrift = clockDrift
    }
  }

  /// What a microphone hears. More may come: give a `switch` a `default`.
  public enum CaptureSource: Sendable {
    /// Nothing.
    case silence
    /// A sine, in all channels: its frequency in hertz (1 … 96000, below half the stream's rate) and the level of its
    /// peak in decibels, 0 for full scale and negative below.
    case tone(frequency: Double, level: Double)
    /// A WAVE file from its beginning, with the start of the stream: over and over, or once and then silence. It is
    /// read ahead on a thread of its own.
    case file(path: String, repeats: Bool)
    /// What sounds at a speaker of the backend, a time of 0 … 1 s later.
    case loopback(speakerID: String, delay: Duration)
    /// A function that fills one period, zeros at first, in the stream's format, and is told when its first frame is
    /// captured. Called on the stream's audio thread: it may not block, lock or allocate.
    case function(
      @Sendable (_ samples: inout MutableSpan<Int16>, _ format: AudioFormat, _ capturedAt: AudioInstant) -> Void)
  }
}
