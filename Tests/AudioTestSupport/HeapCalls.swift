import CHeapCounter

/// How often a thread asked something of the heap.
///
/// For heap counts of real-time code. Use it in XCTest: Swift Testing observes each `throw`, and allocates for that.
public struct HeapCalls: Sendable, Hashable, CustomStringConvertible {
  /// `malloc`, `calloc`, `realloc`, `posix_memalign` and the like.
  public let allocations: Int
  /// `free`.
  public let releases: Int
  /// Either, where a library asked that ``countApart(_:)`` named.
  public let foreign: Int

  /// Whether calls are counted in this build; under the address and thread sanitizers they are not.
  public static var areCounted: Bool { chc_is_active() != 0 }

  /// The calling thread's calls so far. Does not allocate itself, so that an audio thread can ask between two periods.
  public static var ofThisThread: HeapCalls {
    HeapCalls(allocations: Int(chc_allocations()), releases: Int(chc_releases()), foreign: Int(chc_foreign()))
  }

  /// Counts apart, from now on and in the whole process, what loaded libraries' own code asks for: what a third party
  /// does on our threads. What it asks for through another library is not told from ours.
  ///
  /// - Parameter name: A part of the libraries' file names.
  /// - Returns: Whether one was found.
  public static func countApart(_ name: String) -> Bool { chc_count_apart(name) > 0 }

  /// Both kinds together, foreign ones left out: a release can take a lock and give memory back to the kernel as well.
  public var total: Int { allocations + releases }

  /// The calls between two readings of one thread.
  public static func - (lhs: HeapCalls, rhs: HeapCalls) -> HeapCalls {
    HeapCalls(
      allocations: lhs.allocations - rhs.allocations, releases: lhs.releases - rhs.releases,
      foreign: lhs.foreign - rhs.foreign)
  }

  /// `2 allocations, 1 releases`.
  public var description: String { "\(allocations) allocations, \(releases) releases" }
}

/// Counts what a piece of code asks of the heap on the calling thread.
///
/// - Parameter body: Run once. Run it before as well, so that what is made on first use is not counted.
/// - Returns: Its calls; none when they are not counted.
/// - Throws: What the body throws.
public func heapCalls<Failure: Error>(during body: () throws(Failure) -> Void) throws(Failure) -> HeapCalls {
  let before = HeapCalls.ofThisThread
  try body()
  return HeapCalls.ofThisThread - before
}
