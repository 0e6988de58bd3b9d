import AudioDeviceCore
import Testing

@Suite struct AudioDeviceChangeTests {
  private func device(
    _ id: String, _ direction: AudioDirection = .render, name: String = "A", isDefault: Bool = false
  ) -> AudioDeviceInfo { AudioDeviceInfo(id: id, name: name, direction: direction, isDefault: isDefault) }

  @Test func equalListsDoNotDiffer() {
    let list = [device("a", isDefault: true), device("a", .capture), device("b")]
    #expect(AudioDeviceChange.changes(from: list, to: list) == [])
    // The order is the backend's business.
    #expect(AudioDeviceChange.changes(from: list, to: list.reversed()) == [])
  }

  @Test func tellsWhatWentCameAndChanged() {
    let old = [device("a", isDefault: true), device("b"), device("c", .capture)]
    let new = [device("a"), device("c", .capture, name: "C"), device("b", .capture, isDefault: true)]
    #expect(
      AudioDeviceChange.changes(from: old, to: new) == [
        .disappeared(old[1]), .changed(new[1]), .appeared(new[2]),
        .defaultChanged(.capture, deviceID: "b"), .defaultChanged(.render, deviceID: nil),
      ])
  }

  @Test func devicesOfOneNameAreToldApart() {
    let twins = [device("one", name: "Twin"), device("two", name: "Twin")]
    #expect(AudioDeviceChange.changes(from: [twins[0]], to: twins) == [.appeared(twins[1])])
  }
}

@Suite struct AudioRouteTests {
  private let devices = [
    AudioDeviceInfo(id: "hdmi", name: "Screen", direction: .render, kind: .hdmi),
    AudioDeviceInfo(id: "spk", name: "Speaker", direction: .render, kind: .builtIn, isDefault: true),
    AudioDeviceInfo(id: "head", name: "Headset", direction: .render, kind: .headset),
    AudioDeviceInfo(id: "head2", name: "Headset", direction: .render, kind: .headset),
    AudioDeviceInfo(id: "hidden", name: "Canceller", direction: .render, kind: .bluetooth, isHelper: true),
    AudioDeviceInfo(id: "bt", name: "Buds", direction: .capture, kind: .bluetooth),
  ]

  @Test func choosesByName() {
    #expect(AudioRoute.device("hdmi").deviceID(among: devices, .render) == "hdmi")
    #expect(AudioRoute.device("hdmi").deviceID(among: devices, .capture) == nil)
    #expect(AudioRoute.systemDefault.deviceID(among: devices, .render) == nil)
  }

  @Test func choosesByKind() {
    let route = AudioRoute.preferring([.bluetooth, .headset])
    #expect(route.deviceID(among: devices, .render) == "head")
    #expect(route.deviceID(among: devices, .capture) == "bt")
    #expect(AudioRoute.preferring([.usb]).deviceID(among: devices, .render) == nil)
    var others = devices
    others[3].isDefault = true
    #expect(route.deviceID(among: others, .render) == "head2")
    others[3].isPluggedIn = false
    #expect(route.deviceID(among: others, .render) == "head")
  }
}
