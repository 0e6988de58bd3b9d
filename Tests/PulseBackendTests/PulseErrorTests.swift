#if PulseAudio
  import AudioDeviceCore
  import CPulse
  @testable import PulseBackend
  import Testing

  @Suite struct PulseErrorTests {
    @Test(arguments: [
      (PA_ERR_CONNECTIONREFUSED, AudioDeviceError.Code.serverUnavailable), (PA_ERR_INVALIDSERVER, .serverUnavailable),
      (PA_ERR_ACCESS, .permissionDenied), (PA_ERR_AUTHKEY, .permissionDenied), (PA_ERR_TIMEOUT, .timedOut),
      (PA_ERR_NOENTITY, .deviceNotFound), (PA_ERR_BUSY, .deviceBusy), (PA_ERR_CONNECTIONTERMINATED, .deviceLost),
      (PA_ERR_KILLED, .deviceLost), (PA_ERR_BADSTATE, .invalidState), (PA_ERR_FORKED, .invalidState),
      (PA_ERR_INVALID, .invalidArgument), (PA_ERR_VERSION, .backendUnavailable), (PA_ERR_IO, .systemFailure),
    ])
    func numbersHaveCodes(number: pa_error_code, code: AudioDeviceError.Code) {
      for sign: Int32 in [1, -1] {
        let error = AudioDeviceError.pulse(Int32(number.rawValue) * sign, call: "pa_call")
        #expect(error.code == code)
        #expect(error.number == Int(number.rawValue))
        #expect(error.call == "pa_call")
        #expect(error.detail == String(cString: pa_strerror(Int32(number.rawValue))))
      }
    }

    @Test(arguments: [Int32.min, .max, 0, 999]) func foreignNumbersAreFailures(number: Int32) {
      #expect(AudioDeviceError.pulse(number, call: "pa_call").code == .systemFailure)
    }

    @Test func everyMessageTellsWhatToDo() {
      for number in 1..<Int32(PA_ERR_MAX.rawValue) {
        let message = AudioDeviceError.pulse(number, call: "pa_call").message
        #expect(message.hasSuffix(".") && message.count > 30)
      }
    }
  }
#endif
