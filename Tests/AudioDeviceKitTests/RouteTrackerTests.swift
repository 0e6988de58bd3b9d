import AudioDeviceCore
import RealtimeSupport
import Testing

@testable import AudioDeviceKit

@Suite struct RouteTrackerTests {
  private func devices(_ ids: String..., defaultID: String) -> [AudioDeviceInfo] {
    // One of the other direction, which counts for nothing.
    [AudioDeviceInfo(id: "usb", name: "Mic", direction: .capture, isDefault: true)]
      + ids.map { AudioDeviceInfo(id: $0, name: "A", direction: .render, isDefault: $0 == defaultID) }
  }

  private func tracker(_ route: AudioRoute, on position: String, _ devices: [AudioDeviceInfo]) -> RouteTracker {
    var tracker = RouteTracker(.render, route: route)
    tracker.didOpen(tracker.target(among: devices), on: position)
    #expect(tracker.judge(devices, position: position, now: time(0)) == .stays)
    return tracker
  }

  private func time(_ seconds: Int) -> AudioInstant { AudioInstant(nanoseconds: Int64(seconds + 100) * 1_000_000_000) }

  @Test func aMissingDeviceIsFallenBackFromAndReturnedTo() {
    let all = devices("spk", "usb", defaultID: "spk")
    let few = devices("spk", defaultID: "spk")
    var tracker = tracker(.device("usb"), on: "usb", all)
    #expect(tracker.judge(few, position: "spk", now: time(1)) == .stays)
    #expect(tracker.judge(few, position: "spk", now: time(2)) == .stays)
    #expect(tracker.judge(all, position: "spk", now: time(3)) == .reopens)
    #expect(tracker.target(among: all) == "usb")
    #expect(tracker.userChoice == nil)
  }

  @Test func whereTheDefaultMayNotStandInTheStreamDoesNotStayThere() {
    let all = devices("spk", "usb", defaultID: "spk")
    var tracker = tracker(.device("usb", orDefault: false), on: "usb", all)
    let few = devices("spk", defaultID: "spk")
    #expect(tracker.judge(few, position: "spk", now: time(1)) == .reopens)
    #expect(tracker.target(among: few) == "usb")
  }

  @Test func theUsersMoveStandsUntilItsDeviceEnds() {
    let all = devices("spk", "usb", "hdmi", defaultID: "spk")
    for route in [AudioRoute.systemDefault, .device("spk")] {
      var tracker = tracker(route, on: "spk", all)
      #expect(tracker.judge(all, position: "hdmi", now: time(1)) == .stays)
      #expect(tracker.userChoice == "hdmi" && tracker.target(among: all) == "hdmi")
      // Neither a change of the default nor another look changes that.
      #expect(tracker.judge(devices("spk", "usb", "hdmi", defaultID: "usb"), position: "hdmi", now: time(2)) == .stays)
      let few = devices("spk", "usb", defaultID: "usb")
      _ = tracker.judge(few, position: "usb", now: time(3))
      #expect(tracker.userChoice == nil)
      tracker.setRoute(.device("usb"))
      #expect(tracker.target(among: few) == "usb")
    }
  }

  /// The server lists the device for a moment longer.
  @Test func aMoveAwayFromADeviceThatEndsIsNotTheUsers() {
    let all = devices("spk", "usb", defaultID: "spk")
    let few = devices("spk", defaultID: "spk")
    var tracker = tracker(.device("usb"), on: "usb", all)
    #expect(tracker.judge(all, position: "spk", now: time(1)) == .stays)
    #expect(tracker.judge(few, position: "spk", now: time(2)) == .stays)
    #expect(tracker.userChoice == nil)
    #expect(tracker.judge(all, position: "spk", now: time(60)) == .reopens)
    // Where the user went long before, the choice stands.
    tracker.didOpen("usb", on: "usb")
    #expect(tracker.judge(all, position: "spk", now: time(70)) == .stays)
    #expect(tracker.judge(few, position: "spk", now: time(80)) == .stays)
    #expect(tracker.userChoice == "spk")
  }

  @Test func aMoveToTheNewDefaultIsTheDefaults() {
    let before = devices("spk", "usb", defaultID: "spk")
    let after = devices("spk", "usb", defaultID: "usb")
    var pinned = tracker(.device("spk"), on: "spk", before)
    #expect(pinned.judge(after, position: "usb", now: time(1)) == .reopens)
    var following = tracker(.systemDefault, on: "spk", before)
    #expect(following.judge(after, position: "usb", now: time(1)) == .stays)
    #expect(following.userChoice == nil)
    // Also where the list came before the move; but not long after.
    var late = tracker(.device("spk"), on: "spk", before)
    #expect(late.judge(after, position: "spk", now: time(1)) == .stays)
    var later = late
    #expect(late.judge(after, position: "usb", now: time(2)) == .reopens)
    #expect(later.judge(after, position: "usb", now: time(9)) == .stays)
    #expect(later.userChoice == "usb")
  }

  /// The stream is still being opened when the devices are looked at, and then the user moves it.
  @Test func theDefaultIsKnownBeforeTheStreamRuns() {
    let all = devices("spk", "usb", defaultID: "spk")
    var tracker = RouteTracker(.render, route: .device("usb"))
    tracker.noteDefault(among: all, now: time(0))
    tracker.didOpen("usb", on: "usb")
    #expect(tracker.judge(all, position: "spk", now: time(1)) == .stays)
    #expect(tracker.userChoice == "spk")
  }

  @Test func aNameThatOnlyTheBackendKnowsStays() {
    let all = devices("default", defaultID: "default")
    var tracker = tracker(.device("plughw:1,0"), on: "plughw:1,0", all)
    #expect(tracker.target(among: all) == "plughw:1,0")
    #expect(tracker.judge(all, position: "plughw:1,0", now: time(1)) == .stays)
    #expect(tracker.judge(all, position: nil, now: time(2)) == .stays)
  }

  @Test func aKindIsPreferredAsSoonAsItIsThere() {
    var headset = AudioDeviceInfo(id: "head", name: "Headset", direction: .render, kind: .headset)
    let speaker = AudioDeviceInfo(id: "spk", name: "Speaker", direction: .render, kind: .builtIn, isDefault: true)
    let route = AudioRoute.preferring([.bluetooth, .headset])
    var tracker = tracker(route, on: "spk", [speaker])
    #expect(tracker.judge([speaker, headset], position: "spk", now: time(1)) == .reopens)
    #expect(tracker.target(among: [speaker, headset]) == "head")
    tracker.didOpen("head", on: "head")
    #expect(tracker.judge([speaker, headset], position: "head", now: time(2)) == .stays)
    // Pulled out of its socket, but still listed.
    headset.isPluggedIn = false
    #expect(tracker.judge([speaker, headset], position: "head", now: time(3)) == .reopens)
    #expect(tracker.target(among: [speaker, headset]) == nil)
  }

  @Test func aWishThatSaysItAllNeedsNoLook() {
    let all = devices("spk", "usb", "hdmi", defaultID: "spk")
    #expect(!RouteTracker(.render, route: .systemDefault).needsLook)
    #expect(!RouteTracker(.render, route: .device("usb")).needsLook)
    #expect(RouteTracker(.render, route: .preferring([.usb])).needsLook)
    // Where the user moved the stream, which may have ended.
    var moved = tracker(.device("usb"), on: "usb", all)
    _ = moved.judge(all, position: "hdmi", now: time(1))
    #expect(moved.needsLook)
  }
}
