#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  /// Cards and levels. Mainloop's thread.
  extension PulseConnection {
    /// Lists the cards, `pa_context_get_card_info_list`.
    ///
    /// - Parameters:
    ///   - context: The connection's, ready.
    ///   - onEnd: Called once.
    func listCards(
      _ context: OpaquePointer, onEnd: @escaping (Result<[PulseCard], AudioDeviceError>) -> Void
    ) {
      let cards = PulseAnswer<[PulseCard]>([])
      let call = "pa_context_get_card_info_list"
      let operation = pa_context_get_card_info_list(
        context,
        { _, card, end, data in
          if let card, end == 0 { PulseAnswer<[PulseCard]>.from(data)?.value.append(PulseCard(card.pointee)) }
        }, cards.data)
      PulseOperation.follow(operation) { [self] wasAnswered in
        onEnd(wasAnswered ? .success(cards.value) : .failure(.pulse(in: self.context(context), call: call)))
      }
    }

    /// Switches a card's profile, `pa_context_set_card_profile_by_name`.
    ///
    /// - Parameters:
    ///   - card: The card's name.
    ///   - profile: The profile's name.
    ///   - context: The connection's, ready.
    ///   - onEnd: Called once with nil when it is done, or why it is not.
    func setProfile(
      of card: String, to profile: String, _ context: OpaquePointer, onEnd: @escaping (AudioDeviceError?) -> Void
    ) {
      demand(context, "pa_context_set_card_profile_by_name", onEnd) {
        pa_context_set_card_profile_by_name(context, card, profile, $0, $1)
      }
    }

    /// A sink's level, `pa_context_get_sink_info_by_name`.
    ///
    /// - Parameters:
    ///   - sink: The sink's name.
    ///   - context: The connection's, ready.
    ///   - onEnd: Called once with the volume of each channel.
    func level(
      of sink: String, _ context: OpaquePointer, onEnd: @escaping (Result<pa_cvolume, AudioDeviceError>) -> Void
    ) {
      let volume = PulseAnswer<pa_cvolume?>(nil)
      let call = "pa_context_get_sink_info_by_name"
      let operation = pa_context_get_sink_info_by_name(
        context, sink,
        { _, info, end, data in
          if let info, end == 0 { PulseAnswer<pa_cvolume?>.from(data)?.value = info.pointee.volume }
        }, volume.data)
      PulseOperation.follow(operation) { [self] wasAnswered in
        if let volume = volume.value { return onEnd(.success(volume)) }
        onEnd(
          .failure(
            wasAnswered
              ? .pulseDeviceNotFound(sink, .render, call: call) : .pulse(in: self.context(context), call: call)))
      }
    }

    /// Sets a sink's level, `pa_context_set_sink_volume_by_name`.
    ///
    /// - Parameters:
    ///   - sink: The sink's name.
    ///   - volume: Of each channel.
    ///   - context: The connection's, ready.
    ///   - onEnd: Called once with nil when it is done, or why it is not.
    func setLevel(
      of sink: String, to volume: pa_cvolume, _ context: OpaquePointer, onEnd: @escaping (AudioDeviceError?) -> Void
    ) {
      var volume = volume
      demand(context, "pa_context_set_sink_volume_by_name", onEnd) {
        pa_context_set_sink_volume_by_name(context, sink, &volume, $0, $1)
      }
    }

    /// Has the server do something that it only confirms or refuses.
    private func demand(
      _ context: OpaquePointer, _ call: String, _ onEnd: @escaping (AudioDeviceError?) -> Void,
      _ start: (pa_context_success_cb_t, UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
      let refusal = PulseAnswer<Int32?>(nil)
      let operation = start(
        { context, success, data in
          if success == 0 { PulseAnswer<Int32?>.from(data)?.value = pa_context_errno(context) }
        }, refusal.data)
      PulseOperation.follow(operation) { [self] wasAnswered in
        guard wasAnswered else { return onEnd(.pulse(in: self.context(context), call: call)) }
        onEnd(refusal.value.map { .pulse($0, call: call) })
      }
    }
  }

  /// What a callback of libpulse's leaves behind. Whoever follows the operation keeps it until its end.
  private final class PulseAnswer<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }

    /// For the callback, whose other end is ``from(_:)``.
    var data: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ data: UnsafeMutableRawPointer?) -> PulseAnswer? {
      data.map { Unmanaged<PulseAnswer>.fromOpaque($0).takeUnretainedValue() }
    }
  }
#endif
