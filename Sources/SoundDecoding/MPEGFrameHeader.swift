#if MP3
  /// The four bytes that begin a frame of MPEG audio (ISO 11172-3, 13818-3, and the unofficial MPEG 2.5).
  struct MPEGFrameHeader: Equatable {
    /// Bytes in a header.
    static let size = 4
    /// Bytes in the largest Layer III frame: 320 kbit/s at 32 kHz, or 160 kbit/s at 8 kHz, padded.
    static let largestFrame = 1441

    enum Version { case mpeg1, mpeg2, mpeg25 }

    let version: Version
    /// 1, 2 or 3.
    let layer: Int
    let sampleRate: Int
    let channelCount: Int
    /// The frame's size in bytes, this header included; nil in a free-format stream, where no header tells it.
    let frameSize: Int?
    private let hasChecksum: Bool

    /// Reads a header; nil when these are not the beginning of a frame.
    ///
    /// - Parameter bits: Four bytes, the first of them on top.
    init?(_ bits: UInt32) {
      guard bits >> 21 == 0x7FF else { return nil }
      switch bits >> 19 & 3 {
      case 0: version = .mpeg25
      case 2: version = .mpeg2
      case 3: version = .mpeg1
      default: return nil
      }
      layer = 4 - Int(bits >> 17 & 3)
      let rateIndex = Int(bits >> 10 & 3)
      let bitRateIndex = Int(bits >> 12 & 15)
      guard layer < 4, rateIndex < 3, bitRateIndex < 15 else { return nil }
      let fullRate = Self.sampleRates[rateIndex]
      switch version {
      case .mpeg1: sampleRate = fullRate
      case .mpeg2: sampleRate = fullRate / 2
      case .mpeg25: sampleRate = fullRate / 4
      }
      channelCount = bits >> 6 & 3 == 3 ? 1 : 2
      hasChecksum = bits >> 16 & 1 == 0
      let padding = Int(bits >> 9 & 1)
      let bitRate = Self.bitRates(version: version, layer: layer)[bitRateIndex] * 1000
      switch (bitRateIndex, layer) {
      case (0, _): frameSize = nil
      case (_, 1): frameSize = (12 * bitRate / sampleRate + padding) * 4
      case (_, 3) where version != .mpeg1: frameSize = 72 * bitRate / sampleRate + padding
      default: frameSize = 144 * bitRate / sampleRate + padding
      }
    }

    /// Whether both can stand in one stream: same version, layer and rate. Bit rate and channels may vary.
    func continues(_ other: MPEGFrameHeader) -> Bool {
      version == other.version && layer == other.layer && sampleRate == other.sampleRate
    }

    /// Where in a Layer III frame an information tag of the encoder begins, if the frame is one.
    var informationTagOffset: Int { Self.size + sideInformationSize }

    /// Where in a Layer III frame the side information lies: how to decode the main data, which follows.
    var sideInformation: Range<Int> {
      let start = Self.size + (hasChecksum ? 2 : 0)
      return start..<(start + sideInformationSize)
    }

    private var sideInformationSize: Int {
      switch (version, channelCount) {
      case (.mpeg1, 2): 32
      case (.mpeg1, _), (_, 2): 17
      default: 9
      }
    }

    /// Reads where the main data of a Layer III frame begins: 9 bits, in MPEG 2 only 8.
    ///
    /// - Parameter frame: The bytes of the whole frame.
    /// - Returns: How many bytes before the frame's own.
    func mainDataBegin(in frame: UnsafeRawBufferPointer) -> Int {
      let side = sideInformation
      guard side.upperBound <= frame.count else { return 0 }
      let high = Int(frame[side.lowerBound])
      return version == .mpeg1 ? high << 1 | Int(frame[side.lowerBound + 1]) >> 7 : high
    }

    // Tables, made once: the headers are read all the time.
    private static let sampleRates = [44_100, 48_000, 32_000]
    /// In kbit/s, by the index in the header; 0 stands for the free format.
    private static let bitRates = (
      mpeg1: (
        layer1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        layer2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        layer3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      ),
      mpeg2: (
        layer1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        layers2And3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
      )
    )

    private static func bitRates(version: Version, layer: Int) -> [Int] {
      switch (version, layer) {
      case (.mpeg1, 1): bitRates.mpeg1.layer1
      case (.mpeg1, 2): bitRates.mpeg1.layer2
      case (.mpeg1, _): bitRates.mpeg1.layer3
      case (_, 1): bitRates.mpeg2.layer1
      default: bitRates.mpeg2.layers2And3
      }
    }
  }
#endif
