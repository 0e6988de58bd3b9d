public import AudioDeviceCore

extension VirtualBackend {
  /// Plugs a speaker in, behind the others. Watches are told. Any thread but an audio thread.
  ///
  /// - Parameter speaker: The speaker.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `invalidArgument` when the id is taken, or the clock
  ///   cannot be.
  public func addSpeaker(_ speaker: Speaker) throws(AudioDeviceError) {
    try changeDevices { (devices) throws(AudioDeviceError) in try devices.add(speaker) }
  }

  /// Plugs a microphone in, behind the others. Watches are told. Any thread but an audio thread.
  ///
  /// - Parameter microphone: The microphone.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `invalidArgument` when the id is taken, or the source
  ///   or the clock cannot be.
  public func addMicrophone(_ microphone: Microphone) throws(AudioDeviceError) {
    try changeDevices { (devices) throws(AudioDeviceError) in try devices.add(microphone) }
  }

  /// Pulls a device out: its streams are lost with the code `deviceLost`, and the output of a speaker ends. Where it
  /// was the default, the first that is left becomes it. Watches are told. Blocks on the disk where a file is to be
  /// finished; any thread but an audio thread.
  ///
  /// - Parameters:
  ///   - id: The device's id.
  ///   - direction: Its direction.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `deviceNotFound`.
  public func removeDevice(_ id: String, _ direction: AudioDirection) throws(AudioDeviceError) {
    let speaker = try changeDevices { (devices) throws(AudioDeviceError) in try devices.remove(id, direction) }
    let error = AudioDeviceError(.deviceLost, "The virtual device '\(id)' was removed.")
    send(.lost(error)) { $0.deviceID == id && $0.direction == direction }
    _ = speaker?.finish()
  }

  /// Makes a device the default of its direction. Streams stay where they are. Watches are told. Any thread but an
  /// audio thread.
  ///
  /// - Parameters:
  ///   - id: The device's id.
  ///   - direction: Its direction.
  /// - Throws: ``AudioDeviceCore/AudioDeviceError`` with the code `deviceNotFound`.
  public func setDefaultDevice(_ id: String, _ direction: AudioDirection) throws(AudioDeviceError) {
    try changeDevices { (devices) throws(AudioDeviceError) in try devices.setDefault(id, direction) }
  }
}
