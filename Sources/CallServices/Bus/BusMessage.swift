#if CallServices
  internal import CSystemd
  internal import Glibc

  /// Values into and out of a message of sd-bus. Its variadic functions cannot be imported; these can.
  enum BusMessage {
    /// Appends values to a message.
    ///
    /// - Throws: ``BusError/unsendable(_:)``.
    static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusError) {
      for value in values { try append(value, to: message) }
    }

    /// Reads all values that are left in a message, or in the container that was entered.
    ///
    /// - Throws: ``BusError/unsendable(_:)`` for a message that is not what it says.
    static func read(from message: OpaquePointer) throws(BusError) -> [BusValue] {
      var values: [BusValue] = []
      while sd_bus_message_at_end(message, 0) == 0 {
        guard let value = try readOne(from: message) else { break }
        values.append(value)
      }
      return values
    }

    // MARK: Writing

    private static func append(_ value: BusValue, to message: OpaquePointer) throws(BusError) {
      switch value {
      case .boolean(let flag): try append(flag ? 1 : 0 as Int32, "b", to: message)
      case .byte(let number): try append(number, "y", to: message)
      case .int16(let number): try append(number, "n", to: message)
      case .uint16(let number): try append(number, "q", to: message)
      case .int32(let number): try append(number, "i", to: message)
      case .uint32(let number): try append(number, "u", to: message)
      case .int64(let number): try append(number, "x", to: message)
      case .uint64(let number): try append(number, "t", to: message)
      case .double(let number): try append(number, "d", to: message)
      case .string(let text): try append(text, "s", to: message)
      case .objectPath(let text): try append(text, "o", to: message)
      case .signature(let text): try append(text, "g", to: message)
      case .descriptor(let descriptor): try append(descriptor.number, "h", to: message)
      case .array(let element, let values):
        try append(values, in: "a", element, to: message)
      case .dictionary(let entries):
        try open("a", "{sv}", in: message)
        for (key, value) in entries { try append([.string(key), .variant(value)], in: "e", "sv", to: message) }
        try check(sd_bus_message_close_container(message))
      case .variant(let value): try append([value], in: "v", value.signature, to: message)
      case .structure(let values): try append(values, in: "r", values.map(\.signature).joined(), to: message)
      }
    }

    private static func append(
      _ values: [BusValue], in container: Character, _ contents: String, to message: OpaquePointer
    ) throws(BusError) {
      try open(container, contents, in: message)
      try append(values, to: message)
      try check(sd_bus_message_close_container(message))
    }

    private static func open(
      _ container: Character, _ contents: String, in message: OpaquePointer
    ) throws(BusError) {
      try check(sd_bus_message_open_container(message, container.type, contents))
    }

    private static func append<Number: BitwiseCopyable>(
      _ number: Number, _ type: Character, to message: OpaquePointer
    ) throws(BusError) {
      var number = number
      try check(sd_bus_message_append_basic(message, type.type, &number))
    }

    private static func append(_ text: String, _ type: Character, to message: OpaquePointer) throws(BusError) {
      try check(text.withCString { sd_bus_message_append_basic(message, type.type, $0) })
    }

    // MARK: Reading

    private static func readOne(from message: OpaquePointer) throws(BusError) -> BusValue? {
      var type: CChar = 0
      var contents: UnsafePointer<CChar>?
      guard try check(sd_bus_message_peek_type(message, &type, &contents)) > 0 else { return nil }
      let inside = contents.map { String(cString: $0) } ?? ""
      switch Character(UnicodeScalar(UInt8(bitPattern: type))) {
      case "b": return .boolean(try read(Int32(0), type, from: message) != 0)
      case "y": return .byte(try read(0, type, from: message))
      case "n": return .int16(try read(0, type, from: message))
      case "q": return .uint16(try read(0, type, from: message))
      case "i": return .int32(try read(0, type, from: message))
      case "u": return .uint32(try read(0, type, from: message))
      case "x": return .int64(try read(0, type, from: message))
      case "t": return .uint64(try read(0, type, from: message))
      case "d": return .double(try read(0, type, from: message))
      case "s": return .string(try readText(type, from: message))
      case "o": return .objectPath(try readText(type, from: message))
      case "g": return .signature(try readText(type, from: message))
      case "h":
        // The message keeps its own.
        guard let descriptor = BusDescriptor(duplicating: try read(-1, type, from: message)) else {
          throw .unsendable(-Int32(EMFILE))
        }
        return .descriptor(descriptor)
      case "a":
        let values = try readContainer(type, inside, from: message)
        guard inside == "{sv}" else { return .array(of: inside, values) }
        var entries: [String: BusValue] = [:]
        for case .structure(let pair) in values where pair.count == 2 {
          if let key = pair[0].text { entries[key] = pair[1].inner }
        }
        return .dictionary(entries)
      case "v":
        return try readContainer(type, inside, from: message).first.map { .variant($0) }
      default:
        return .structure(try readContainer(type, inside, from: message))
      }
    }

    private static func readContainer(
      _ type: CChar, _ contents: String, from message: OpaquePointer
    ) throws(BusError) -> [BusValue] {
      try check(sd_bus_message_enter_container(message, type, contents))
      let values = try read(from: message)
      try check(sd_bus_message_exit_container(message))
      return values
    }

    private static func read<Number: BitwiseCopyable>(
      _ initial: Number, _ type: CChar, from message: OpaquePointer
    ) throws(BusError) -> Number {
      var number = initial
      try check(sd_bus_message_read_basic(message, type, &number))
      return number
    }

    private static func readText(_ type: CChar, from message: OpaquePointer) throws(BusError) -> String {
      var text: UnsafePointer<CChar>?
      try check(sd_bus_message_read_basic(message, type, &text))
      return text.map { String(cString: $0) } ?? ""
    }

    @discardableResult
    private static func check(_ result: Int32) throws(BusError) -> Int32 {
      guard result >= 0 else { throw .unsendable(result) }
      return result
    }
  }

  extension Character {
    fileprivate var type: CChar { CChar(bitPattern: asciiValue ?? 0) }
  }
#endif
