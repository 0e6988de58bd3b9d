#if MP3
  internal import AudioDeviceCore
  internal import Glibc

  /// The MP3 frames in a file, found by its structure: one header after the other, each where the one before says.
  ///
  /// A decoder alone finds "frames" in any file that is long enough, because a dozen set bits are all it takes to begin
  /// one, and plays pictures and programs as loud noise. What does not hold together is never given to it.
  struct MPEGStream {
    /// Whether the first frame is an information tag ("Xing", "Info") that tells how many frames follow.
    let tellsLength: Bool

    private let file: SoundFile
    /// The bytes from the first frame to the last, without the tags around them.
    private let range: Range<Int>
    /// The first frame's header.
    let firstHeader: MPEGFrameHeader

    private var position: Int
    private var header: MPEGFrameHeader
    /// How many bytes of main data precede the position without a gap.
    private var reservoir = 0

    /// How many bytes before or between frames may be no part of any. More is an error.
    static let largestGap = 1 << 20

    /// How many frames in a row make a stream: fewer where one is expected than where one is searched for, since the
    /// latter is tried at a million places and must not come about by chance.
    private static let sequence = (expected: 3, searched: 8)
    /// The bytes that a sequence takes at the most.
    private static let sequenceSize = sequence.searched * MPEGFrameHeader.largestFrame + MPEGFrameHeader.size

    /// Looks for the first frame.
    ///
    /// - Parameter file: Is read at its beginning and its end.
    /// - Throws: ``AudioDeviceError`` that says what the file is instead.
    init(in file: SoundFile) throws(AudioDeviceError) {
      let start = try Self.skipTags(in: file, from: 0)
      guard start < file.size else { throw Self.cutOff(file, "inside the tag at its beginning") }
      let whole = start..<(try Self.skipTrailingTags(in: file, from: start))
      guard let first = try Self.findFrames(in: file, whole, after: nil) else { throw try Self.notMP3(file, whole) }
      range = first.position..<whole.upperBound
      firstHeader = first.header
      let frame = try file.bytes(first.position..<(first.position + (first.header.frameSize ?? 0)))
      tellsLength = Self.tellsLength(frame, header: first.header)
      self.file = file
      position = first.position
      header = first.header
    }

    /// A frame of the stream.
    struct Frame {
      let header: MPEGFrameHeader
      /// The whole frame, good until the stream's next call.
      let bytes: UnsafeRawBufferPointer
      /// Whether what follows is no frame, so that the frame's own end is in doubt, or part of its main data was in a
      /// gap. It would decode to noise, up to full scale.
      let isDamaged: Bool
    }

    /// Gives the next frame.
    ///
    /// - Returns: The frame; nil when no whole one follows.
    /// - Throws: ``AudioDeviceError`` when the file cannot be read, or too much of it holds no frame.
    mutating func next() throws(AudioDeviceError) -> Frame? {
      var bytes = try Self.bytes(in: file, range, from: position)
      if let next = Self.header(in: bytes), next.continues(header), next.frameSize != nil {
        header = next
      } else {
        guard let found = try Self.findFrames(in: file, position..<range.upperBound, after: header) else { return nil }
        (position, header) = found
        reservoir = 0
        bytes = try Self.bytes(in: file, range, from: position)
      }
      // The last frame may be cut off.
      guard let size = header.frameSize, size <= bytes.count else { return nil }
      let frame = UnsafeRawBufferPointer(rebasing: bytes[..<size])
      let isDamaged = header.mainDataBegin(in: frame) > reservoir || !Self.isBoundary(in: bytes, at: size)
      position += size
      reservoir = min(reservoir + max(0, size - header.sideInformation.upperBound), 1 << 16)
      return Frame(header: header, bytes: frame, isDamaged: isDamaged)
    }

    /// Goes back to the first frame.
    mutating func rewind() {
      position = range.lowerBound
      header = firstHeader
      reservoir = 0
    }

    // MARK: Searching

    private static func bytes(
      in file: SoundFile, _ range: Range<Int>, from position: Int
    ) throws(AudioDeviceError) -> UnsafeRawBufferPointer {
      try file.bytes(position..<max(position, min(position + sequenceSize, range.upperBound)))
    }

    private static func header(in bytes: UnsafeRawBufferPointer, at offset: Int = 0) -> MPEGFrameHeader? {
      guard offset + MPEGFrameHeader.size <= bytes.count else { return nil }
      return MPEGFrameHeader(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Follows the headers.
    ///
    /// - Returns: How many whole frames follow each other, counted to a limit, and whether the bytes end there.
    private static func countFrames(
      in bytes: UnsafeRawBufferPointer, from first: MPEGFrameHeader, at start: Int, limit: Int
    ) -> (count: Int, reachesEnd: Bool) {
      var offset = start
      var count = 0
      while count < limit {
        guard offset + MPEGFrameHeader.size <= bytes.count else { return (count, true) }
        guard let header = header(in: bytes, at: offset), header.continues(first), let size = header.frameSize else {
          return (count, false)
        }
        guard offset + size <= bytes.count else { return (count, true) }
        offset += size
        count += 1
      }
      return (count, false)
    }

    private static func isSequence(
      in bytes: UnsafeRawBufferPointer, from header: MPEGFrameHeader, at offset: Int, isExpected: Bool
    ) -> Bool {
      guard header.layer == 3 else { return false }
      let needed = isExpected ? sequence.expected : sequence.searched
      let (count, reachesEnd) = countFrames(in: bytes, from: header, at: offset, limit: needed)
      return count >= needed || reachesEnd && count >= 2
    }

    /// Looks for the next frames.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - range: Where they may be.
    ///   - previous: A header of the stream before, if there was one.
    /// - Returns: The first of them; nil when there are none to the end, or none near the beginning of a file.
    /// - Throws: ``AudioDeviceError`` when the file cannot be read, or the gap in a stream is too large.
    private static func findFrames(
      in file: SoundFile, _ range: Range<Int>, after previous: MPEGFrameHeader?
    ) throws(AudioDeviceError) -> (position: Int, header: MPEGFrameHeader)? {
      let start = min(try skipTags(in: file, from: range.lowerBound), range.upperBound)
      let limit = min(start + largestGap, range.upperBound)
      var position = start
      while position < limit {
        let bytes = try file.bytes(position..<min(position + SoundFile.largestRead, range.upperBound))
        // To the end of the range, or as far as there are bytes behind for a whole sequence.
        let isLast = position + bytes.count >= range.upperBound || bytes.count <= sequenceSize
        let searched = min(isLast ? bytes.count : bytes.count - sequenceSize, limit - position)
        var offset = 0
        while let next = firstIndex(of: 0xFF, in: bytes, offset..<searched) {
          if let header = header(in: bytes, at: next) {
            let isExpected = position + next == start || previous.map(header.continues) ?? false
            if isSequence(in: bytes, from: header, at: next, isExpected: isExpected) {
              return (position + next, header)
            }
          }
          offset = next + 1
        }
        guard !isLast else { return nil }
        position += searched
      }
      guard position >= range.upperBound || previous == nil else { throw gapTooLarge(file, at: start) }
      return nil
    }

    private static func firstIndex(of byte: UInt8, in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
      guard let base = bytes.baseAddress, !range.isEmpty,
        let found = memchr(base + range.lowerBound, Int32(byte), range.count)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }

    private static func tellsLength(_ frame: UnsafeRawBufferPointer, header: MPEGFrameHeader) -> Bool {
      let tag = frame.dropFirst(header.informationTagOffset)
      guard tag.count >= 8 else { return false }
      let hasFrameCount = tag[tag.startIndex + 7] & 1 == 1
      return hasFrameCount && (tag.starts(with: "Xing".utf8) || tag.starts(with: "Info".utf8))
    }

    /// Whether a frame can end here: the bytes end too, or another frame, a tag or empty space begins.
    private static func isBoundary(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
      guard offset + MPEGFrameHeader.size <= bytes.count, header(in: bytes, at: offset) == nil else { return true }
      let next = bytes[offset..<(offset + 3)]
      return next.allSatisfy { $0 == 0 } || ["ID3", "TAG", "APE", "LYR"].contains { next.elementsEqual($0.utf8) }
    }

    // MARK: Tags

    /// Skips ID3v2 tags: "ID3", version, flags, and the size in four bytes of seven bits.
    private static func skipTags(in file: SoundFile, from start: Int) throws(AudioDeviceError) -> Int {
      var position = start
      // More than one is rare.
      for _ in 0..<16 {
        let tag = try file.bytes(position..<min(position + 10, file.size))
        guard tag.count == 10, tag.starts(with: "ID3".utf8), tag[6...9].allSatisfy({ $0 < 0x80 }) else { break }
        let hasFooter = tag[5] & 0x10 != 0
        position += 10 + tag[6...9].reduce(0) { $0 << 7 | Int($1) } + (hasFooter ? 10 : 0)
        guard position < file.size else { return file.size }
      }
      return position
    }

    /// ID3v1: the last 128 bytes, "TAG". APEv2: before that, a footer of 32 bytes that tells the size.
    private static func skipTrailingTags(in file: SoundFile, from start: Int) throws(AudioDeviceError) -> Int {
      var end = file.size
      if end - start >= 128, try file.bytes((end - 128)..<end).starts(with: "TAG".utf8) { end -= 128 }
      guard end - start >= 32 else { return end }
      let footer = try file.bytes((end - 32)..<end)
      guard footer.count == 32, footer.starts(with: "APETAGEX".utf8) else { return end }
      let hasHeader = footer[23] & 0x80 != 0
      let size = footer[12...15].reversed().reduce(0) { $0 << 8 | Int($1) } + (hasHeader ? 32 : 0)
      return size >= 32 && size <= end - start ? end - size : end
    }

    // MARK: Errors

    /// Says what is instead of MP3 in a range of a file.
    private static func notMP3(_ file: SoundFile, _ range: Range<Int>) throws(AudioDeviceError) -> AudioDeviceError {
      let bytes = try bytes(in: file, range, from: range.lowerBound)
      if let header = header(in: bytes) {
        guard header.frameSize != nil else {
          return notSupported(file, "has a free-format bit rate, which is not supported; encode it at a standard one.")
        }
        let (count, reachesEnd) = countFrames(in: bytes, from: header, at: 0, limit: sequence.expected)
        if header.layer < 3, count == sequence.expected {
          return notSupported(file, "is MPEG audio of layer \(header.layer), not MP3; convert the sound to MP3.")
        }
        if header.layer == 3, reachesEnd { return cutOff(file, "before its second frame does") }
      }
      let kinds: [(offset: Int, mark: String, name: String)] = [
        (0, "RIFF", "a WAV file"), (0, "OggS", "an Ogg file"), (0, "fLaC", "a FLAC file"), (4, "ftyp", "an MP4 file"),
      ]
      let kind = kinds.first { bytes.dropFirst($0.offset).starts(with: $0.mark.utf8) }?.name
      return notSupported(file, "is \(kind ?? "no MP3 file, or damaged beyond use"); convert the sound to MP3.")
    }

    private static func cutOff(_ file: SoundFile, _ place: String) -> AudioDeviceError {
      notSupported(file, "ends \(place); it was cut off, give it a new copy.")
    }

    private static func gapTooLarge(_ file: SoundFile, at position: Int) -> AudioDeviceError {
      notSupported(file, "holds no MP3 sound for over a megabyte from byte \(position) on; give it a new copy.")
    }

    private static func notSupported(_ file: SoundFile, _ text: String) -> AudioDeviceError {
      AudioDeviceError(.fileFormatNotSupported, "\(quoted(file.path)) \(text)")
    }
  }
#endif
