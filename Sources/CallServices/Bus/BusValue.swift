/// A value in a D-Bus message.
indirect enum BusValue: Sendable, Hashable {
  case boolean(Bool)
  case byte(UInt8)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case signature(String)
  case descriptor(BusDescriptor)
  /// An array, with the signature of its elements.
  case array(of: String, [BusValue])
  /// An array of entries from strings to variants, `a{sv}`: what has a name in most interfaces. The values are those in
  /// the variants.
  case dictionary([String: BusValue])
  case variant(BusValue)
  /// A structure, or an entry of a dictionary of another kind.
  case structure([BusValue])

  /// The type's signature.
  var signature: String {
    switch self {
    case .boolean: "b"
    case .byte: "y"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .array(let element, _): "a\(element)"
    case .dictionary: "a{sv}"
    case .variant: "v"
    case .structure(let values): "(\(values.map(\.signature).joined()))"
    }
  }

  /// The text of a string or a path.
  var text: String? {
    switch self {
    case .string(let text), .objectPath(let text): text
    default: nil
    }
  }

  /// The number, where it is of 32 bits without a sign, as ids are.
  var id: UInt32? {
    guard case .uint32(let id) = self else { return nil }
    return id
  }

  /// Whether it is true; nil for all but booleans.
  var flag: Bool? {
    guard case .boolean(let flag) = self else { return nil }
    return flag
  }

  /// What is in a variant.
  var inner: BusValue? {
    guard case .variant(let value) = self else { return nil }
    return value
  }

  /// An array of strings.
  static func strings(_ strings: [String]) -> BusValue { .array(of: "s", strings.map { .string($0) }) }
}
