#if MP3
  /// A generator that gives the same numbers each time (SplitMix64).
  struct PseudoRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }

  /// Bytes without any order in them, the same each time.
  func pseudoRandom(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = PseudoRandom(seed: seed)
    var words: [UInt64] = []
    words.reserveCapacity(count / 8 + 1)
    while words.count * 8 < count { words.append(generator.next()) }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }
#endif
