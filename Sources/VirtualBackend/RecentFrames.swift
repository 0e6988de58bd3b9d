/// The last frames that a stream mixed into a timeline, by their position there.
///
/// Only the initialiser allocates. For one thread at a time.
struct RecentFrames: ~Copyable {
  /// The position behind the last frame.
  private(set) var end = 0

  private let samples: UnsafeMutablePointer<Int16>
  private let count: Int
  private let channelCount: Int

  /// Room for a number of frames, rounded up to a power of two.
  init(minimumCount: Int, channelCount: Int) {
    var count = 1
    while count < minimumCount { count <<= 1 }
    self.count = count
    self.channelCount = channelCount
    samples = .allocate(capacity: count * channelCount)
    samples.initialize(repeating: 0, count: count * channelCount)
  }

  deinit { samples.deallocate() }

  /// Moves the end on; a gap is silence. Never moves it back.
  mutating func moveEnd(to position: Int) {
    var first = max(end, position - count)
    while first < position {
      let part = contiguous(from: first, to: position)
      (samples + part.offset).update(repeating: 0, count: part.count * channelCount)
      first += part.count
    }
    end = max(end, position)
  }

  /// Adds frames at the end.
  mutating func append(_ frames: UnsafePointer<Int16>, count: Int) {
    var done = 0
    while done < count {
      let part = contiguous(from: end, to: end + count - done)
      (samples + part.offset).update(from: frames + done * channelCount, count: part.count * channelCount)
      done += part.count
      end += part.count
    }
  }

  /// Visits the frames from a position on, as far as they are kept.
  func forEach(
    from position: Int, _ body: (_ frames: UnsafePointer<Int16>, _ count: Int, _ position: Int) -> Void
  ) {
    var first = max(position, end - count)
    while first < end {
      let part = contiguous(from: first, to: end)
      body(samples + part.offset, part.count, first)
      first += part.count
    }
  }

  private func contiguous(from first: Int, to end: Int) -> (offset: Int, count: Int) {
    let index = first & (count - 1)
    return (index * channelCount, min(end - first, count - index))
  }
}
