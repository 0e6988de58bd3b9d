#if ALSA
  internal import AudioDeviceCore
  internal import Glibc

  /// A PCM that is open and set up, ready to be started.
  ///
  /// The last one to let go of it closes it, which may hang in a server's plug-in; so that is never a thread that
  /// anybody waits for without a limit.
  final class OpenPCM: @unchecked Sendable {
    // Unchecked: `handle` is used by one thread at a time. The stream's thread hands it to a BoundedCall and waits;
    // when that call is left behind, the thread does not touch the handle again.

    /// The C handle.
    let handle: PCMHandle
    /// The name it was asked for by.
    let name: String
    /// Which way.
    let direction: AudioDirection
    /// The client's format.
    let format: AudioFormat
    /// Period, buffer and what follows from them.
    let geometry: PCMGeometry
    /// Who paces it.
    let pacing: PCMPacing
    /// How many descriptors it waits for.
    let descriptorCount: Int
    /// One client period of zeros. Here, and not with the stream's thread, because a call that was left behind may
    /// still be writing it.
    private let silence: UnsafeMutableBufferPointer<Int16>

    /// Longest time that opening may take, and longest time that starting or starting anew may take.
    static let openLimit = Duration.seconds(5)
    /// See ``openLimit``.
    static let restartLimit = Duration.seconds(2)

    private init(name: String, opening spelling: String, _ wish: PCMConfiguration) throws(AudioDeviceError) {
      handle = try PCMHandle(name: spelling, direction: wish.direction)
      geometry = try handle.configure(wish, name: name)
      pacing = PCMPacing(handle)
      descriptorCount = handle.descriptorCount
      direction = wish.direction
      format = wish.format
      self.name = name
      silence = .allocate(capacity: format.samplesPerPeriod)
      silence.initialize(repeating: 0)
    }

    deinit { silence.deallocate() }

    /// Opens a PCM and sets it up exactly as wished, in a bounded time.
    ///
    /// A PCM that refuses the format (raw `hw:` devices have the rates and channels of their converters, often stereo
    /// only) is opened again through alsa-lib's `plug`, which converts.
    ///
    /// - Parameters:
    ///   - name: The PCM's name.
    ///   - wish: Direction, format and buffer.
    /// - Returns: The PCM, prepared and not started.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``; nothing stays open.
    static func open(_ name: String, _ wish: PCMConfiguration) throws(AudioDeviceError) -> OpenPCM {
      let outcome: Result<OpenPCM, AudioDeviceError>?
      do {
        outcome = try BoundedCall.run(limit: openLimit) { openWithFallback(name, wish) }
      } catch {
        throw AudioDeviceError(error, "The system has no thread or descriptor left to open an audio device.")
      }
      guard let outcome else { throw .hangs("Opening", name, call: "snd_pcm_open", limit: openLimit) }
      return try outcome.get()
    }

    private static func openWithFallback(
      _ name: String, _ wish: PCMConfiguration
    ) -> Result<OpenPCM, AudioDeviceError> {
      let refusal: AudioDeviceError
      do throws(AudioDeviceError) {
        return .success(try OpenPCM(name: name, opening: name, wish))
      } catch {
        refusal = error
      }
      guard refusal.code == .formatNotSupported, let plugged = nameThroughPlug(name),
        let opened = try? OpenPCM(name: name, opening: plugged, wish)
      else { return .failure(refusal) }
      return .success(opened)
    }

    /// The name by which alsa-lib's `plug` opens a PCM; nil where the PCM is one already or cannot be quoted.
    ///
    /// A comma would end the argument, so the name is quoted, by the kind of quote that is not in it:
    /// `plug:SLAVE='hw:CARD=PCH,DEV=0'`.
    ///
    /// - Parameter name: The PCM's.
    /// - Returns: The other name.
    static func nameThroughPlug(_ name: String) -> String? {
      guard !name.hasPrefix("plug:"), !name.hasPrefix("plughw:") else { return nil }
      if !name.contains("'") { return "plug:SLAVE='\(name)'" }
      return name.contains("\"") ? nil : "plug:SLAVE=\"\(name)\""
    }

    /// Starts the PCM, from whatever state: drops and prepares it unless it is prepared, fills playback with silence
    /// but for the room of one period, and starts it. Does not allocate; may wait for a server.
    ///
    /// Silence first: the client is then asked for one period at a time from the beginning, as it is later on, and not
    /// for a whole buffer at once.
    ///
    /// A PCM that nobody paces is not filled: it needs none, and a file would show it.
    ///
    /// - Returns: Zero, or the negative error number of what failed.
    func startAnew() -> Int32 {
      let state = handle.state
      if state != .prepared {
        // What drop says is of no interest: what cannot be dropped cannot be prepared either.
        if state != .xrun, state != .setup { _ = handle.drop() }
        let result = handle.prepare()
        if result < 0 { return result }
      }
      if direction == .render, pacing != .none, let silence = silence.baseAddress {
        let period = format.framesPerPeriod
        var missing = geometry.target - period
        while missing > 0 {
          let written = handle.write(silence, frames: min(missing, period))
          if written < 0, written != -Int(EAGAIN) { return Int32(truncatingIfNeeded: written) }
          if written <= 0 { break }
          missing -= written
        }
      }
      return handle.start()
    }
  }
#endif
