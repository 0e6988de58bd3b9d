#if PulseAudio
  internal import AudioDeviceCore
  internal import CPulse

  /// Watching devices. Mainloop's thread.
  ///
  /// The server tells of every change of a volume or a state, several at a time. Watchers hear of it once, when the
  /// changes have settled and the list of devices is another than before. When the server goes, they hear that there
  /// are no devices any more, and again when it is back.
  extension PulseConnection {
    /// Begins to tell a watch of changes.
    ///
    /// - Parameters:
    ///   - key: Its number.
    ///   - watch: Who is told.
    ///   - reply: Resolved when nothing that comes from now on is missed.
    func addWatch(_ key: Int, _ watch: PulseDelivery<Void>, _ reply: PulseReply<Void>) {
      use { [self] result in
        switch result {
        case .failure(let error): reply.resolve(.failure(error))
        case .success(let context):
          subscribe(context)
          listDevices(context) { [self] result in
            switch result {
            case .failure(let error): reply.resolve(.failure(error))
            case .success(let devices):
              guard reply.resolve(.success(())) else { return }
              if watches.isEmpty { watchedDevices = devices }
              watches[key] = watch
            }
          }
        }
      }
    }

    /// Ends a watch.
    func removeWatch(_ key: Int) {
      watches[key] = nil
      guard watches.isEmpty else { return }
      watchedDevices = nil
      settling.cancel()
      reconnecting.cancel()
    }

    private func subscribe(_ context: OpaquePointer) {
      pa_context_set_subscribe_callback(
        context,
        { _, event, _, data in
          guard let data else { return }
          let connection = Unmanaged<PulseConnection>.fromOpaque(data).takeUnretainedValue()
          connection.noteEvent(event)
          // Not put off by further changes: they may come without end, as when a volume slider is dragged.
          guard !connection.settling.isScheduled else { return }
          connection.settling.schedule(after: connection.limits.settling)
        }, Unmanaged.passUnretained(self).toOpaque())
      let events =
        PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
        | PA_SUBSCRIPTION_MASK_SERVER.rawValue | PA_SUBSCRIPTION_MASK_CARD.rawValue
      PulseOperation.follow(pa_context_subscribe(context, pa_subscription_mask_t(rawValue: events), nil, nil)) { _ in }
    }

    /// A device that went and came back before the list was read again is a new one all the same.
    private func noteEvent(_ event: pa_subscription_event_type_t) {
      let type = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
      let facility = event.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue
      guard type == PA_SUBSCRIPTION_EVENT_NEW.rawValue else { return }
      if facility == PA_SUBSCRIPTION_EVENT_SINK.rawValue || facility == PA_SUBSCRIPTION_EVENT_SOURCE.rawValue {
        deviceCame = true
      }
    }

    /// Tells the watches when the devices are others than before.
    func tellWatches() {
      guard !watches.isEmpty else { return }
      use { [self] result in
        guard case .success(let context) = result else { return }
        listDevices(context) { [self] result in
          if case .success(let devices) = result { didList(devices) }
        }
      }
    }

    private func didList(_ devices: [AudioDeviceInfo]) {
      guard !watches.isEmpty, deviceCame || devices != watchedDevices else { return }
      deviceCame = false
      watchedDevices = devices
      for watch in watches.values { watch.send(()) }
    }

    /// The connection is up: what the watches missed is told, and what comes.
    func contextIsReadyForWatches(_ context: OpaquePointer) {
      guard !watches.isEmpty else { return }
      subscribe(context)
      tellWatches()
    }

    /// The connection is gone, and all devices with it.
    func contextIsGoneForWatches() {
      guard !watches.isEmpty else { return }
      settling.cancel()
      didList([])
      reconnecting.schedule(after: limits.reconnect)
    }

    /// Tries to reach the server again; a failure comes back to ``contextIsGoneForWatches()``.
    func watchAgain() {
      if !watches.isEmpty { use { _ in } }
    }
  }

  /// A watch, as its owner holds it.
  final class PulseDeviceWatch: AudioDeviceWatch {
    private let mainloop: PulseMainloop
    private let key: Int
    private let delivery: PulseDelivery<Void>

    init(mainloop: PulseMainloop, key: Int, delivery: PulseDelivery<Void>) {
      self.mainloop = mainloop
      self.key = key
      self.delivery = delivery
    }

    deinit { cancel() }

    func cancel() {
      mainloop.post { [key] in $0.removeWatch(key) }
      delivery.close(limit: mainloop.isCurrentThread ? .zero : mainloop.limits.request)
    }
  }
#endif
