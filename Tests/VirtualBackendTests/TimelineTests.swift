import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

@testable import VirtualBackend

@Suite struct TimelineTests {
  private let timeline: SpeakerTimeline

  init() throws {
    timeline = try SpeakerTimeline(format: .stereo, epoch: AudioInstant(nanoseconds: 5_000_000_000))
  }

  private func read(_ count: Int, at position: Int) -> [Int16] {
    var samples = [Int16](repeating: 99, count: count * 2)
    timeline.read(&samples, count: count, at: position)
    return samples
  }

  @Test func addsAndSaturates() {
    timeline.mix([100, -100, 30_000, -30_000], count: 2, at: 1_000)
    timeline.mix([1, 1, 30_000, -30_000], count: 2, at: 1_000)
    #expect(read(4, at: 999) == [0, 0, 101, -99, .max, .min, 0, 0])
    // What was beyond the scale is not lost when a part of it goes.
    timeline.mix([0, 0, 30_000, -30_000], count: 2, at: 1_000, isAdded: false)
    #expect(read(2, at: 1_000) == [101, -99, 30_000, -30_000])
  }

  @Test func forgetsALapAndTakesNothingLate() {
    let lap = timeline.frameCount
    #expect(lap >= 2 * 48_000)
    timeline.mix([7, 8], count: 1, at: 10)
    #expect(read(1, at: 10) == [7, 8])
    #expect(read(1, at: 10 + lap) == [0, 0])
    timeline.mix([3, 4], count: 1, at: 10 + lap)
    timeline.mix([50, 50], count: 1, at: 10)
    #expect(read(1, at: 10 + lap) == [3, 4])
    #expect(read(1, at: 10) == [0, 0])
    #expect(read(1, at: -3) == [0, 0])
  }

  @Test func goesAround() {
    let position = timeline.frameCount * 3 - 2
    timeline.mix([1, 2, 3, 4, 5, 6, 7, 8], count: 4, at: position)
    #expect(read(4, at: position) == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func knowsWhatSoundsWhen() {
    let epoch = timeline.epoch
    #expect(timeline.position(at: epoch) == 0)
    #expect(timeline.position(at: epoch + .seconds(86_400 * 365 * 50)) == 86_400 * 365 * 50 * 48_000)
    #expect(timeline.position(at: epoch + .milliseconds(10)) == 480)
    #expect(timeline.position(at: epoch + .microseconds(10)) == 0)
    #expect(timeline.position(at: epoch + .microseconds(11)) == 1)
    #expect(timeline.position(at: epoch + .milliseconds(-10)) == -480)
  }

  @Test func mixesFromManyThreadsAtOnce() {
    let timeline = timeline
    let rounds = 200
    let threads = (0..<4).map { index in
      try? RealtimeThread(name: "mixer", scheduling: .normal) {
        let samples = [Int16](repeating: Int16(index + 1), count: 2 * 64)
        for _ in 0..<rounds { timeline.mix(samples, count: 64, at: 500) }
      }
    }
    for thread in threads { thread?.join() }
    #expect(read(64, at: 500) == [Int16](repeating: Int16(10 * rounds), count: 128))
  }

  @Test func keepsWhatAStreamMixed() {
    var recent = RecentFrames(minimumCount: 10, channelCount: 1)
    func all(from position: Int) -> [Int: Int16] {
      var all: [Int: Int16] = [:]
      recent.forEach(from: position) { samples, count, position in
        for index in 0..<count { all[position + index] = samples[index] }
      }
      return all
    }
    recent.moveEnd(to: 100)
    recent.append([1, 2, 3, 4], count: 4)
    recent.moveEnd(to: 50)
    #expect(all(from: 102) == [102: 3, 103: 4])
    recent.moveEnd(to: 106)
    recent.append([5], count: 1)
    #expect(all(from: 100) == [100: 1, 101: 2, 102: 3, 103: 4, 104: 0, 105: 0, 106: 5])
    recent.append([Int16](repeating: 9, count: 40), count: 40)
    #expect(all(from: 0).count == 16)
    #expect(all(from: 0).values.allSatisfy { $0 == 9 })
    recent.moveEnd(to: 1_000)
    #expect(all(from: 0).values.allSatisfy { $0 == 0 })
  }
}
