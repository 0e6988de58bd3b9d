#if PulseAudio
  import AudioDeviceCore
  import Testing

  @testable import PulseBackend

  @Suite struct PulseCardTests {
    private let music = PulseCard.Profile(name: "a2dp-sink", priority: 40, sinks: 1, sources: 0)
    private let handsFree = PulseCard.Profile(name: "headset-head-unit", priority: 30, sinks: 1, sources: 1)
    private let wideBand = PulseCard.Profile(name: "headset-head-unit-msbc", priority: 31, sinks: 1, sources: 1)
    private let off = PulseCard.Profile(name: "off", priority: 0, sinks: 0, sources: 0)

    private func headset(_ profiles: [PulseCard.Profile], active: PulseCard.Profile) -> PulseCard {
      PulseCard(name: "bluez_card.1", isBluetooth: true, profiles: profiles, activeProfile: active.name)
    }

    @Test func aVoiceCallTakesTheBestHandsFreeProfile() {
      let card = headset([off, music, handsFree, wideBand], active: music)
      #expect(card.profile(for: .voiceChat) == wideBand.name)
    }

    @Test func aVideoCallLeavesTheHeadsetAlone() {
      #expect(headset([music, handsFree], active: music).profile(for: .videoChat) == nil)
    }

    @Test func aProfileThatHasAMicrophoneStays() {
      #expect(headset([music, handsFree, wideBand], active: handsFree).profile(for: .voiceChat) == nil)
    }

    @Test func aHeadsetThatIsSwitchedOffStaysSo() {
      #expect(headset([off, music, handsFree], active: off).profile(for: .voiceChat) == nil)
    }

    @Test func whatIsNotAvailableIsNotChosen() {
      var gone = wideBand
      gone.isAvailable = false
      #expect(headset([music, handsFree, gone], active: music).profile(for: .voiceChat) == handsFree.name)
      #expect(headset([music, gone], active: music).profile(for: .voiceChat) == nil)
    }

    @Test func otherCardsAreLeftAlone() {
      let output = PulseCard.Profile(name: "output:analog-stereo", priority: 60, sinks: 1, sources: 0)
      let duplex = PulseCard.Profile(
        name: "output:analog-stereo+input:analog-stereo", priority: 65, sinks: 1, sources: 1)
      let card = PulseCard(
        name: "alsa_card.pci", isBluetooth: false, profiles: [output, duplex], activeProfile: output.name)
      #expect(card.profile(for: .voiceChat) == nil)
    }
  }
#endif
