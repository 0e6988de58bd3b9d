/// How one sample lies in a WAVE file, and what it is as a signed 16-bit one.
enum SampleEncoding: Sendable, CaseIterable {
  case unsigned8, signed16, signed24, signed32, float32, float64, aLaw, muLaw

  /// Bytes that one sample takes.
  var byteCount: Int {
    switch self {
    case .unsigned8, .aLaw, .muLaw: 1
    case .signed16: 2
    case .signed24: 3
    case .signed32, .float32: 4
    case .float64: 8
    }
  }

  /// Decodes samples, rounded to the nearest and saturated.
  ///
  /// - Parameters:
  ///   - bytes: At least `count` times ``byteCount``.
  ///   - output: Room for `count` samples.
  ///   - count: How many.
  func decode(_ bytes: UnsafeRawPointer, into output: UnsafeMutablePointer<Int16>, count: Int) {
    switch self {
    case .unsigned8:
      for index in 0..<count {
        output[index] = (Int16(bytes.load(fromByteOffset: index, as: UInt8.self)) - 128) << 8
      }
    case .signed16:
      for index in 0..<count {
        output[index] = Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self))
      }
    case .signed24:
      for index in 0..<count {
        let low = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 3, as: UInt16.self))
        let high = bytes.load(fromByteOffset: index * 3 + 2, as: Int8.self)
        output[index] = Int16(clamping: (Int(high) << 16 + Int(low) + 128) >> 8)
      }
    case .signed32:
      for index in 0..<count {
        let value = Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: Int32.self))
        output[index] = Int16(clamping: (Int(value) + 32_768) >> 16)
      }
    case .float32:
      for index in 0..<count {
        let bits = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        output[index] = Self.sample(Double(Float(bitPattern: bits)))
      }
    case .float64:
      for index in 0..<count {
        let bits = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        output[index] = Self.sample(Double(bitPattern: bits))
      }
    case .aLaw:
      for index in 0..<count { output[index] = Self.aLaw(bytes.load(fromByteOffset: index, as: UInt8.self)) }
    case .muLaw:
      for index in 0..<count { output[index] = Self.muLaw(bytes.load(fromByteOffset: index, as: UInt8.self)) }
    }
  }

  /// Full scale is 1.0; what is no number is silence.
  private static func sample(_ value: Double) -> Int16 {
    let scaled = (value * 32_768).rounded()
    guard scaled > -32_768 else { return scaled.isNaN ? 0 : .min }
    return scaled >= 32_767 ? .max : Int16(scaled)
  }

  /// ITU-T G.711 A-law.
  private static func aLaw(_ code: UInt8) -> Int16 {
    let value = code ^ 0x55
    let segment = Int16(value >> 4 & 7)
    let mantissa = Int16(value & 0xF) << 4
    let magnitude = segment == 0 ? mantissa + 8 : (mantissa + 0x108) << (segment - 1)
    return value & 0x80 == 0 ? -magnitude : magnitude
  }

  /// ITU-T G.711 µ-law.
  private static func muLaw(_ code: UInt8) -> Int16 {
    let value = ~code
    let magnitude = (Int16(value & 0xF) << 3 + 0x84) << Int16(value >> 4 & 7) - 0x84
    return value & 0x80 == 0 ? magnitude : -magnitude
  }
}
