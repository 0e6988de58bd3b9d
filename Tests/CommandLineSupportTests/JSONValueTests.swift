import AudioDeviceCore
import Foundation
import Testing

@testable import CommandLineSupport

@Suite struct JSONValueTests {
  @Test func keepsTheOrderOfMembers() {
    let value: JSONValue = ["b": 1, "a": [true, false, .null], "c": ["d": "e"]]
    #expect(value.text == #"{"b":1,"a":[true,false,null],"c":{"d":"e"}}"#)
  }

  @Test func writesNumbers() {
    #expect(JSONValue.number(0.1).text == "0.1")
    #expect(JSONValue.number(-3).text == "-3")
    #expect(JSONValue.number(1e300).text == "1e+300")
    #expect(JSONValue.number(.nan).text == "null")
    #expect(JSONValue.number(-.infinity).text == "null")
    #expect(JSONValue.integer(.min).text == "-9223372036854775808")
    #expect(JSONValue.seconds(.nanoseconds(1_234_567_890)).text == "1.234568")
    #expect(JSONValue.milliseconds(.microseconds(12_345)).text == "12.345")
  }

  @Test func anotherParserReadsBackWhatWasWritten() throws {
    var everything = ""
    for code in (0...0x2100) { Unicode.Scalar(code).map { everything.unicodeScalars.append($0) } }
    everything += "\u{1F600}\u{10FFFF}\\\"/"
    let value: JSONValue = ["text": .string(everything), "number": .number(-0.0009765625)]
    #expect(!value.text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{2028}" || $0 == "\u{85}" })
    let read = try #require(
      try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
    #expect((read["text"] as? String)?.unicodeScalars.elementsEqual(everything.unicodeScalars) == true)
    #expect(read["number"] as? Double == -0.0009765625)
  }

  @Test func writesErrorsWithWhatIsKnown() {
    let short = AudioDeviceError(.deviceBusy, "It is held.")
    #expect(JSONValue(short).text == #"{"code":"deviceBusy","message":"It is held."}"#)
    let long = AudioDeviceError(.deviceLost, "It went.", call: "snd_pcm_wait", number: -19, detail: "No such device")
    #expect(
      JSONValue(long).text
        == #"{"code":"deviceLost","message":"It went.","call":"snd_pcm_wait","number":-19,"detail":"No such device"}"#)
  }

  @Test func writesWhatEventsSay() {
    let kinds: [AudioDeviceEvent.Kind] = [
      .started(.capture, deviceID: nil), .xrun(.render, count: 2, lostFrames: 960),
      .muteChanged(soft: true, hard: false), .ringtoneStopped(nil),
    ]
    #expect(
      kinds.map { JSONValue.object($0.members).text } == [
        #"{"direction":"capture","deviceID":null}"#, #"{"direction":"render","count":2,"lostFrames":960}"#,
        #"{"soft":true,"hard":false}"#, "{}",
      ])
  }
}
