internal import AudioDeviceKit
internal import WaveFile

#if MP3
  internal import SoundDecoding
#endif

/// Reads a sound file of either kind.
struct SoundReader: ~Copyable {
  let format: AudioFormat
  /// How long it is; nil where the file does not tell.
  let frameCount: Int?
  private var wave: WaveReader?
  #if MP3
    private var mp3: MP3Decoder?
  #endif

  /// Opens a file. Its content says what it is; its name only when the content does not.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``AudioDeviceError`` that names the file.
  init(path: String) throws(AudioDeviceError) {
    let waveFailure: AudioDeviceError
    do throws(AudioDeviceError) {
      let wave = try WaveReader(path: path)
      format = wave.format
      frameCount = wave.frameCount
      self.wave = consume wave
      return
    } catch {
      guard error.code == .fileFormatNotSupported, !path.hasSuffix(".wav") else { throw error }
      waveFailure = error
    }
    #if MP3
      _ = waveFailure
      let mp3 = try MP3Decoder(path: path)
      format = mp3.format
      frameCount = mp3.lengthInFrames
      self.mp3 = consume mp3
    #else
      throw waveFailure
    #endif
  }

  /// Reads the next frames. Blocks on the disk.
  ///
  /// - Parameter samples: Filled from its beginning.
  /// - Returns: How many frames; 0 at the end.
  /// - Throws: ``AudioDeviceError`` when the file cannot be read on.
  mutating func read(into samples: inout MutableSpan<Int16>) throws(AudioDeviceError) -> Int {
    if let frames = try wave?.read(into: &samples) { return frames }
    #if MP3
      if let frames = try mp3?.read(into: &samples) { return frames }
    #endif
    return 0
  }
}
