import AudioTestSupport
import Foundation
import Glibc
import XCTest

final class HeapCallsTests: XCTestCase {
  override func setUpWithError() throws {
    guard HeapCalls.areCounted else { throw XCTSkip("the sanitizers bring a heap of their own") }
  }

  func testCountsWhatTheCLibraryIsAskedFor() {
    let calls = heapCalls {
      var memory = malloc(10)
      memory = realloc(memory, 1_000)
      free(memory)
      free(calloc(2, 3))
      free(nil)
      XCTAssertEqual(posix_memalign(&memory, 64, 100), 0)
      free(memory)
      free(aligned_alloc(64, 128))
    }
    XCTAssertEqual(calls.allocations, 5)
    XCTAssertEqual(calls.releases, 4)
  }

  func testCountsWhatSwiftAsksFor() {
    var box: [Int] = []
    let calls = heapCalls { box = Array(repeating: 1, count: 100) }
    XCTAssertEqual(calls.allocations, 1)
    XCTAssertEqual(box.count, 100)
  }

  func testIsQuietWhereNothingIsAsked() {
    var sum = 0
    let calls = heapCalls { for index in 0..<1_000 { sum &+= index } }
    XCTAssertEqual(calls.total, 0)
    XCTAssertEqual(sum, 499_500)
  }

  func testCountsEachThreadByItself() {
    let calls = heapCalls {
      let thread = Thread { for _ in 0..<1_000 { free(malloc(10)) } }
      thread.start()
      while !thread.isFinished { usleep(1_000) }
    }
    XCTAssertLessThan(calls.allocations, 500)
  }
}
