import AudioDeviceCore
import Testing

@Suite struct AudioFormatTests {
  @Test(arguments: [7_999, 192_001, 0, -1, Int.max]) func refusesRates(rate: Int) {
    #expect { try AudioFormat(sampleRate: rate, channelCount: 1) } throws: { error in
      (error as? AudioDeviceError)?.code == .formatNotSupported
    }
  }

  @Test(arguments: [0, 9, -3]) func refusesChannels(channels: Int) {
    #expect { try AudioFormat(sampleRate: 48_000, channelCount: channels) } throws: { error in
      (error as? AudioDeviceError)?.code == .formatNotSupported
    }
  }

  @Test(arguments: [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 192_000])
  func periodIsTenMillisecondsRoundedDown(rate: Int) throws {
    let format = try AudioFormat(sampleRate: rate, channelCount: 2)
    #expect(format.framesPerPeriod == rate / 100)
    #expect(format.samplesPerPeriod == rate / 100 * 2)
    #expect(format.frames(in: format.duration(ofFrames: 12_345_678)) - 12_345_678 <= 0)
    #expect(format.frames(in: format.duration(ofFrames: 12_345_678)) - 12_345_678 >= -1)
    #expect(format.frames(in: .seconds(3)) == rate * 3)
  }

  @Test func saturates() throws {
    #expect(AudioFormat.voice.frames(in: .seconds(Int64.max)) == 86_400 * 48_000)
  }
}
