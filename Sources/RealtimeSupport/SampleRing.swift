public import Synchronization

/// A lock-free ring for one producer thread and one consumer thread (SPSC).
///
/// Head and tail only ever grow; each is written by one side with release order and read by the other with acquire
/// order. Only the initialiser and `deinit` allocate or free. The two cursors lie two cache lines apart.
///
/// The functions of the producer are ``write(_:)`` and ``availableToWrite``; those of the consumer are
/// ``read(into:limit:)``, ``discard(_:)`` and ``availableToRead``. Each side may be called from one thread at a time.
public final class SampleRing<Sample: BitwiseCopyable & Sendable>: @unchecked Sendable {
  // Unchecked: `storage` is shared between the two sides, and the cursors say which part belongs to whom.

  /// How many samples fit: the wish of the initialiser, rounded up to a power of two.
  public let capacity: Int

  @usableFromInline let mask: Int
  @usableFromInline let storage: UnsafeMutableRawPointer
  @usableFromInline let head = Atomic<Int>(0)
  @usableFromInline let padding = InlineArray<16, Int>(repeating: 0)
  @usableFromInline let tail = Atomic<Int>(0)

  /// Makes an empty ring. Allocates.
  ///
  /// - Parameter minimumCapacity: The least number of samples it holds; clamped to 1 … 2^30.
  public init(minimumCapacity: Int) {
    var capacity = 1
    while capacity < min(max(minimumCapacity, 1), 1 << 30) { capacity <<= 1 }
    self.capacity = capacity
    mask = capacity - 1
    storage = .allocate(
      byteCount: capacity * MemoryLayout<Sample>.stride, alignment: max(MemoryLayout<Sample>.alignment, 16))
    storage.initializeMemory(as: UInt8.self, repeating: 0, count: capacity * MemoryLayout<Sample>.stride)
  }

  deinit { storage.deallocate() }

  /// How many samples the consumer can read now. Exact for the consumer, a lower bound for others.
  @inlinable
  public var availableToRead: Int {
    head.load(ordering: .acquiring) &- tail.load(ordering: .acquiring)
  }

  /// How many samples the producer can write now. Exact for the producer, a lower bound for others.
  @inlinable
  public var availableToWrite: Int {
    capacity &- (head.load(ordering: .acquiring) &- tail.load(ordering: .acquiring))
  }

  /// Producer: appends as much of `samples` as fits. Wait-free.
  ///
  /// - Parameter samples: What to append, in order.
  /// - Returns: How many were taken; the rest was not.
  @inlinable
  public func write(_ samples: borrowing Span<Sample>) -> Int {
    let start = head.load(ordering: .relaxed)
    let count = min(samples.count, capacity &- (start &- tail.load(ordering: .acquiring)))
    guard count > 0 else { return 0 }
    let first = min(count, capacity &- (start & mask))
    let stride = MemoryLayout<Sample>.stride
    // Locals, because a closure that captures `self` would retain it.
    let storage = storage
    let position = storage + (start & mask) &* stride
    samples.withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      position.copyMemory(from: base, byteCount: first &* stride)
      if count > first { storage.copyMemory(from: base + first &* stride, byteCount: (count &- first) &* stride) }
    }
    head.store(start &+ count, ordering: .releasing)
    return count
  }

  /// Consumer: takes as many samples as there are and fit. Wait-free.
  ///
  /// - Parameters:
  ///   - samples: Filled from its beginning; what lies behind the returned count is not touched.
  ///   - limit: How many to take at the most.
  /// - Returns: How many were taken.
  @inlinable
  public func read(into samples: inout MutableSpan<Sample>, limit: Int = .max) -> Int {
    let start = tail.load(ordering: .relaxed)
    let count = min(min(samples.count, limit), head.load(ordering: .acquiring) &- start)
    guard count > 0 else { return 0 }
    let first = min(count, capacity &- (start & mask))
    let stride = MemoryLayout<Sample>.stride
    let storage = storage
    let position = storage + (start & mask) &* stride
    samples.withUnsafeMutableBytes { target in
      guard let base = target.baseAddress else { return }
      base.copyMemory(from: position, byteCount: first &* stride)
      if count > first { (base + first &* stride).copyMemory(from: storage, byteCount: (count &- first) &* stride) }
    }
    tail.store(start &+ count, ordering: .releasing)
    return count
  }

  /// Consumer: drops the oldest samples. Wait-free.
  ///
  /// - Parameter count: How many to drop at the most.
  /// - Returns: How many were dropped.
  @inlinable
  public func discard(_ count: Int) -> Int {
    let start = tail.load(ordering: .relaxed)
    let dropped = max(0, min(count, head.load(ordering: .acquiring) &- start))
    tail.store(start &+ dropped, ordering: .releasing)
    return dropped
  }
}

// Proofs for the compiler: in debug and release these fail to build if the ring ever locks or allocates. They stand
// beside the ring because a generic can be specialised, and so be checked, only where its body is seen.

@_noLocks @_noAllocation
func proofThatWriteIsRealtime(_ ring: SampleRing<Int16>, _ samples: borrowing Span<Int16>) -> Int {
  ring.write(samples)
}

@_noLocks @_noAllocation
func proofThatReadIsRealtime(_ ring: SampleRing<Int16>, _ samples: inout MutableSpan<Int16>) -> Int {
  ring.read(into: &samples)
}

@_noLocks @_noAllocation
func proofThatDiscardIsRealtime(_ ring: SampleRing<Int16>) -> Int {
  ring.discard(ring.availableToRead &- ring.availableToWrite)
}
