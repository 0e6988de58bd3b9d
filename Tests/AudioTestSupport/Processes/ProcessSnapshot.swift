import Foundation
import Glibc

/// What a process has at a moment, as `/proc` tells it: to find what was left behind, and what it cost.
public struct ProcessSnapshot: Sendable {
  /// Open file descriptors, and what each is, such as `socket:[4711]` or a path.
  public let descriptors: [Int32: String]
  /// Threads by their kernel ids.
  public let threads: [Int32: ThreadState]
  /// Memory in use (resident set), in bytes.
  public let residentBytes: Int
  /// Processor time used so far by all threads, those that have ended included.
  public let processorTime: Duration

  /// A thread of a process.
  public struct ThreadState: Sendable, Hashable {
    /// Its name; at most 15 bytes.
    public let name: String
    /// Its real-time priority, 1 … 99; 0 for a thread that is scheduled normally.
    public let realtimePriority: Int
    /// How often it gave the processor away to wait: its wake-ups.
    public let voluntarySwitches: Int
  }

  /// The present state of a process.
  ///
  /// - Parameter processID: Which; nil for this one.
  /// - Throws: ``RigError`` when there is no such process.
  public init(of processID: Int32? = nil) throws {
    let processID = processID ?? getpid()
    let root = "/proc/\(processID)"
    let files = FileManager.default
    guard let links = try? files.contentsOfDirectory(atPath: "\(root)/fd"),
      let tasks = try? files.contentsOfDirectory(atPath: "\(root)/task")
    else { throw RigError("No process \(processID)") }
    var descriptors: [Int32: String] = [:]
    for link in links {
      // The descriptor that listed the folder is gone by now.
      guard let number = Int32(link), let target = try? files.destinationOfSymbolicLink(atPath: "\(root)/fd/\(link)")
      else { continue }
      descriptors[number] = target
    }
    self.descriptors = descriptors
    var threads: [Int32: ThreadState] = [:]
    for task in tasks {
      guard let number = Int32(task), let state = ThreadState(path: "\(root)/task/\(task)") else { continue }
      threads[number] = state
    }
    self.threads = threads
    let pages = readText("\(root)/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    residentBytes = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    processorTime = Self.processorTime(of: processID)
  }

  /// The names of the threads, sorted.
  public var threadNames: [String] { threads.values.map(\.name).sorted() }

  /// How often the threads that run gave the processor away to wait.
  public var voluntarySwitches: Int { threads.values.reduce(0) { $0 + $1.voluntarySwitches } }

  /// Descriptors that are open now and were not, or were something else, at an earlier moment.
  ///
  /// - Parameter earlier: The earlier moment.
  /// - Returns: What they are, sorted.
  public func descriptorsOpened(since earlier: ProcessSnapshot) -> [String] {
    descriptors.filter { earlier.descriptors[$0.key] != $0.value }.map(\.value).sorted()
  }

  /// Threads that run now and did not at an earlier moment.
  ///
  /// - Parameter earlier: The earlier moment.
  /// - Returns: Their names, sorted.
  public func threadsStarted(since earlier: ProcessSnapshot) -> [String] {
    threads.filter { earlier.threads[$0.key] == nil }.map(\.value.name).sorted()
  }

  /// Processor time that a process has used so far, threads that have ended included: a look at that alone.
  ///
  /// - Parameter processID: Which; nil for this one.
  /// - Returns: The time; zero when there is no such process.
  public static func processorTime(of processID: Int32? = nil) -> Duration {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(processID ?? 0, &clock) == 0, clock_gettime(clock, &time) == 0 else { return .zero }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

extension ProcessSnapshot.ThreadState {
  fileprivate init?(path: String) {
    // The name, in parentheses, may contain spaces; rt_priority is the 40th field.
    let stat = readText("\(path)/stat")
    guard let open = stat.firstIndex(of: "("), let close = stat.lastIndex(of: ")") else { return nil }
    name = String(stat[stat.index(after: open)..<close])
    let fields = stat[stat.index(after: close)...].split(separator: " ")
    realtimePriority = fields.count > 37 ? Int(fields[37]) ?? 0 : 0
    let line = readText("\(path)/status").split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
    voluntarySwitches = line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
  }
}
