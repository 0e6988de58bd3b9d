internal import Synchronization

/// The bus that a manager gives its device: it stands between the device and the client's bus.
///
/// Two feeders take turns on each direction: the device while it runs, and a ``SilencePacer`` while a gate is closed or
/// the device is still opening. The device's first period ends the pacer's turn. `…IsBusy` keeps the two apart without
/// a lock: where both come at one moment, the later one steps back.
final class GateBus: AudioBus, @unchecked Sendable {
  // Unchecked: `silence` is only read, and `scratch` belongs to whoever holds `renderIsBusy`.

  let client: any AudioBus
  let captureFormat: AudioFormat
  let renderFormat: AudioFormat
  private let counters: GateCounters
  private let captureIsBusy = Atomic<Bool>(false)
  private let renderIsBusy = Atomic<Bool>(false)
  private let deviceCaptures = Atomic<Bool>(false)
  private let deviceRenders = Atomic<Bool>(false)
  private let isMuted = Atomic<Bool>(false)
  private let onDeviceStop = Locked<[AudioDirection: @Sendable () -> Void]>([:])
  private let silence: UnsafeMutableBufferPointer<Int16>
  private let scratch: UnsafeMutableBufferPointer<Int16>

  init(client: any AudioBus, captureFormat: AudioFormat, renderFormat: AudioFormat, counters: GateCounters) {
    self.client = client
    self.captureFormat = captureFormat
    self.renderFormat = renderFormat
    self.counters = counters
    silence = .allocate(capacity: captureFormat.samplesPerPeriod)
    silence.initialize(repeating: 0)
    scratch = .allocate(capacity: renderFormat.samplesPerPeriod)
    scratch.initialize(repeating: 0)
  }

  deinit {
    silence.deallocate()
    scratch.deallocate()
  }

  // MARK: For the device

  func writeCaptureData(_ samples: borrowing Span<Int16>, capturedAt time: AudioInstant) {
    deviceCaptures.store(true, ordering: .relaxed)
    let frames = samples.count / captureFormat.channelCount
    guard !captureIsBusy.exchange(true, ordering: .acquiring) else {
      counters.capture.lostFrames.wrappingAdd(frames, ordering: .relaxed)
      return
    }
    counters.capture.frames.wrappingAdd(frames, ordering: .relaxed)
    if isMuted.load(ordering: .relaxed) {
      writeSilence(samples: samples.count, capturedAt: time)
    } else {
      client.writeCaptureData(samples, capturedAt: time)
    }
    captureIsBusy.store(false, ordering: .releasing)
  }

  func readRenderData(into samples: inout MutableSpan<Int16>) -> Int {
    deviceRenders.store(true, ordering: .relaxed)
    let wanted = samples.count / renderFormat.channelCount
    guard !renderIsBusy.exchange(true, ordering: .acquiring) else {
      counters.render.lostFrames.wrappingAdd(wanted, ordering: .relaxed)
      return 0
    }
    // What a client claims beyond the room it was given is not believed.
    let given = min(max(client.readRenderData(into: &samples), 0), wanted)
    renderIsBusy.store(false, ordering: .releasing)
    counters.render.frames.wrappingAdd(given, ordering: .relaxed)
    counters.render.shortfallFrames.wrappingAdd(wanted - given, ordering: .relaxed)
    return given
  }

  // MARK: For the pacer

  /// Gives the client a silent period or drops one of its own, unless the device does its part already.
  func pace(_ direction: AudioDirection, at time: AudioInstant) {
    switch direction {
    case .capture:
      guard !deviceCaptures.load(ordering: .relaxed) else { return }
      guard !captureIsBusy.exchange(true, ordering: .acquiring) else { return }
      counters.capture.frames.wrappingAdd(captureFormat.framesPerPeriod, ordering: .relaxed)
      writeSilence(samples: captureFormat.samplesPerPeriod, capturedAt: time)
      captureIsBusy.store(false, ordering: .releasing)
    case .render:
      guard !deviceRenders.load(ordering: .relaxed) else { return }
      guard !renderIsBusy.exchange(true, ordering: .acquiring) else { return }
      var span = scratch.mutableSpan
      let given = min(max(client.readRenderData(into: &span), 0), renderFormat.framesPerPeriod)
      renderIsBusy.store(false, ordering: .releasing)
      counters.render.frames.wrappingAdd(given, ordering: .relaxed)
      counters.render.silentFrames.wrappingAdd(given, ordering: .relaxed)
    }
  }

  /// Whether the device has the turn: it has brought a period, and did not stop since.
  func isFedByDevice(_ direction: AudioDirection) -> Bool {
    switch direction {
    case .capture: deviceCaptures.load(ordering: .relaxed)
    case .render: deviceRenders.load(ordering: .relaxed)
    }
  }

  /// Has something called each time the device stops, on a control thread.
  func setOnDeviceStop(_ direction: AudioDirection, _ body: (@Sendable () -> Void)?) {
    onDeviceStop.withLock { $0[direction] = body }
  }

  // MARK: For the controller

  /// Says that the device has stopped, so that the pacer's turn comes.
  func deviceDidStop(_ direction: AudioDirection) {
    switch direction {
    case .capture: deviceCaptures.store(false, ordering: .relaxed)
    case .render: deviceRenders.store(false, ordering: .relaxed)
    }
    onDeviceStop.withLock { $0[direction] }?()
  }

  /// Puts zeros in place of what the device captures, from the next period on.
  func setMuted(_ muted: Bool) { isMuted.store(muted, ordering: .relaxed) }

  /// Writes zeros to the client; the caller holds `captureIsBusy`.
  private func writeSilence(samples: Int, capturedAt time: AudioInstant) {
    counters.capture.silentFrames.wrappingAdd(samples / captureFormat.channelCount, ordering: .relaxed)
    var written = 0
    while written < samples {
      let part = min(silence.count, samples - written)
      client.writeCaptureData(
        silence.span.extracting(first: part),
        capturedAt: time + captureFormat.duration(ofFrames: written / captureFormat.channelCount))
      written += part
    }
  }
}
