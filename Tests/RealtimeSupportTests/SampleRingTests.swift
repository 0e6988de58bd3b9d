import RealtimeSupport
import Testing

@Suite struct SampleRingTests {
  @Test func wrapsAroundInOrder() {
    let ring = SampleRing<Int16>(minimumCapacity: 5)
    #expect(ring.capacity == 8)
    var next: Int16 = 0
    var expected: Int16 = 0
    for _ in 0..<1000 {
      let input = (0..<5).map { _ in
        defer { next &+= 1 }
        return next
      }
      #expect(ring.write(input.span) == 5)
      var output = [Int16](repeating: -1, count: 5)
      var span = output.mutableSpan
      #expect(ring.read(into: &span) == 5)
      for sample in output {
        #expect(sample == expected)
        expected &+= 1
      }
    }
  }

  @Test func takesOnlyWhatFits() {
    let ring = SampleRing<Int16>(minimumCapacity: 4)
    #expect(ring.write([1, 2, 3, 4, 5, 6].span) == 4)
    #expect(ring.write([7].span) == 0)
    #expect(ring.discard(2) == 2)
    #expect(ring.availableToWrite == 2)
    var output: [Int16] = [0, 0, 0]
    var span = output.mutableSpan
    #expect(ring.read(into: &span) == 2)
    #expect(output == [3, 4, 0])
    #expect(ring.discard(9) == 0)
  }
}
