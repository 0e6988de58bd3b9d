#if PulseAudio
  public import AudioDeviceCore
  internal import CPulse

  extension PulseBackend {
    /// Switches Bluetooth headsets that are set to play music to their hands-free profile for a voice call
    /// (`pa_context_get_card_info_list`, `pa_context_set_card_profile_by_name`), so that the call has their microphone.
    /// Any thread but an audio thread; blocks for four seconds at the most.
    ///
    /// - Parameter session: What the call is.
    /// - Returns: What switches them back, where the user has not switched meanwhile; nil where there was nothing to do.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``: no server, no permission, no answer in time, or a profile that the
    ///   card refuses.
    public func prepare(for session: AudioSession) throws(AudioDeviceError) -> (any AudioSessionPreparation)? {
      let changes: [PulseProfileChange] = try cards().compactMap { card in
        card.profile(for: session.mode).map {
          PulseProfileChange(card: card.name, former: card.activeProfile, current: $0)
        }
      }
      guard !changes.isEmpty else { return nil }
      let preparation = PulsePreparation { [self] in
        let cards = (try? cards()) ?? []
        for change in changes {
          let card = cards.first { $0.name == change.card }
          if card?.activeProfile == change.current { try? setProfile(of: change.card, to: change.former) }
        }
      }
      do throws(AudioDeviceError) {
        for change in changes { try setProfile(of: change.card, to: change.current) }
      } catch {
        preparation.end()
        throw error
      }
      return preparation
    }

    /// Raises a sink's level (`pa_context_get_sink_info_by_name`, `pa_context_set_sink_volume_by_name`): all its
    /// channels alike, so that the balance stays. Any thread but an audio thread; blocks for eight seconds at the most.
    ///
    /// - Parameters:
    ///   - deviceID: The sink.
    ///   - level: From 0 to 1, as the user's mixer shows it.
    /// - Returns: What lowers it again, where the user has not changed it meanwhile; nil where it was as loud already.
    /// - Throws: ``AudioDeviceCore/AudioDeviceError``: no server, no permission, no such sink, or no answer in time.
    public func raiseLevel(
      of deviceID: String, to level: Double
    ) throws(AudioDeviceError) -> (any AudioSessionPreparation)? {
      let former = try volume(of: deviceID)
      let wanted = pa_volume_t((min(max(level, 0), 1) * Double(PA_VOLUME_NORM)).rounded())
      var raised = former
      guard pa_cvolume_max(&raised) < wanted, pa_cvolume_scale(&raised, wanted) != nil else { return nil }
      try setVolume(of: deviceID, to: raised)
      // The server may round it.
      let granted = try volume(of: deviceID)
      return PulsePreparation { [self] in
        guard var now = try? volume(of: deviceID) else { return }
        var expected = granted
        if pa_cvolume_equal(&now, &expected) != 0 { try? setVolume(of: deviceID, to: former) }
      }
    }

    // MARK: Asking the server

    private func cards() throws(AudioDeviceError) -> [PulseCard] {
      try ask("pa_context_get_card_info_list") { $0.listCards($1, onEnd: $2) }
    }

    private func setProfile(of card: String, to profile: String) throws(AudioDeviceError) {
      try ask("pa_context_set_card_profile_by_name") { connection, context, onEnd in
        connection.setProfile(of: card, to: profile, context) { onEnd($0.map(Result.failure) ?? .success(())) }
      }
    }

    private func volume(of sink: String) throws(AudioDeviceError) -> pa_cvolume {
      try ask("pa_context_get_sink_info_by_name") { $0.level(of: sink, $1, onEnd: $2) }
    }

    private func setVolume(of sink: String, to volume: pa_cvolume) throws(AudioDeviceError) {
      try ask("pa_context_set_sink_volume_by_name") { connection, context, onEnd in
        connection.setLevel(of: sink, to: volume, context) { onEnd($0.map(Result.failure) ?? .success(())) }
      }
    }

    private func ask<Value: Sendable>(
      _ call: String,
      _ body:
        @escaping @Sendable (
          PulseConnection, OpaquePointer, @escaping (Result<Value, AudioDeviceError>) -> Void
        ) -> Void
    ) throws(AudioDeviceError) -> Value {
      try request(call) { (connection: PulseConnection, reply: PulseReply<Value>) in
        connection.use { result in
          switch result {
          case .failure(let error): reply.resolve(.failure(error))
          case .success(let context): body(connection, context) { reply.resolve($0) }
          }
        }
      }
    }
  }

  /// A card whose profile was switched.
  private struct PulseProfileChange: Sendable {
    var card: String
    var former: String
    var current: String
  }

  /// Puts something back, once.
  private final class PulsePreparation: AudioSessionPreparation {
    private let body: Locked<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = Locked(body) }

    func end() {
      let body = body.withLock { body in
        defer { body = nil }
        return body
      }
      body?()
    }
  }
#endif
