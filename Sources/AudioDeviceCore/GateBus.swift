internal import Synchronization

/// The bus that a manager gives its device: it stands between the device and the client's bus.
///
/// Two feeders take turns on each direction: the device while it runs, and a ``SilencePacer`` while a gate is closed, the
/// device is still opening, or it runs and brings nothing. The device's next period ends the pacer's turn. `…IsBusy` keeps
/// the two apart without a lock: where both come at one moment, the later one steps back.
///
/// What the pacer gave in place of a running device was that time's audio. Captured periods of that time which come late,
/// as from a server that hung, are dropped and counted as lost, so that the client's delay stays where it was.
final class GateBus: AudioBus, @unchecked Sendable {
  // Unchecked: `silence` is only read, and `scratch` belongs to whoever holds `renderIsBusy`.

  let client: any AudioBus
  let captureFormat: AudioFormat
  let renderFormat: AudioFormat
  private let counters: GateCounters
  private let clock: any PeriodClock
  private let captureIsBusy = Atomic<Bool>(false)
  private let renderIsBusy = Atomic<Bool>(false)
  /// Periods that the device brought since it was started; none says that the pacer has the turn.
  private let capturePeriods = Atomic<Int>(0)
  private let renderPeriods = Atomic<Int>(0)
  /// When the device brought the last of them.
  private let lastCapture = Atomic<Int64>(0)
  private let lastRender = Atomic<Int64>(0)
  /// Until when silence stood in for the running device, and how many periods at the most are late and useless by that.
  private let stoodInUntil = Atomic<Int64>(0)
  private let coveredPeriods = Atomic<Int>(0)
  private let isMuted = Atomic<Bool>(false)
  private let onDeviceStop = Locked<[AudioDirection: @Sendable () -> Void]>([:])
  private let silence: UnsafeMutableBufferPointer<Int16>
  private let scratch: UnsafeMutableBufferPointer<Int16>

  init(
    client: any AudioBus, captureFormat: AudioFormat, renderFormat: AudioFormat, counters: GateCounters,
    clock: any PeriodClock
  ) {
    self.client = client
    self.clock = clock
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
    lastCapture.store(clock.now.nanoseconds, ordering: .relaxed)
    capturePeriods.wrappingAdd(1, ordering: .relaxed)
    let frames = samples.count / captureFormat.channelCount
    guard !isCovered(time) else {
      counters.capture.lostFrames.wrappingAdd(frames, ordering: .relaxed)
      return
    }
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
    lastRender.store(clock.now.nanoseconds, ordering: .relaxed)
    renderPeriods.wrappingAdd(1, ordering: .relaxed)
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

  /// Gives the client a silent period or drops one of its own, unless the device does its part.
  ///
  /// - Parameters:
  ///   - direction: Which.
  ///   - time: When the period began.
  ///   - seen: What ``devicePeriods(_:)`` said last; the device does its part when it says something else now.
  func pace(_ direction: AudioDirection, at time: AudioInstant, seen: Int) {
    guard devicePeriods(direction) == seen else { return }
    switch direction {
    case .capture:
      guard !captureIsBusy.exchange(true, ordering: .acquiring) else { return }
      counters.capture.frames.wrappingAdd(captureFormat.framesPerPeriod, ordering: .relaxed)
      writeSilence(samples: captureFormat.samplesPerPeriod, capturedAt: time)
      if seen > 0 {
        stoodInUntil.store((time + captureFormat.periodDuration).nanoseconds, ordering: .relaxed)
        // At first also what the client went without until silence stood in.
        let isFirst = coveredPeriods.load(ordering: .relaxed) == 0
        let missed = isFirst ? time.nanoseconds - lastCapture.load(ordering: .relaxed) : 0
        coveredPeriods.wrappingAdd(1 + max(captureFormat.periods(in: missed), 0), ordering: .releasing)
      }
      captureIsBusy.store(false, ordering: .releasing)
    case .render:
      guard !renderIsBusy.exchange(true, ordering: .acquiring) else { return }
      var span = scratch.mutableSpan
      let given = min(max(client.readRenderData(into: &span), 0), renderFormat.framesPerPeriod)
      renderIsBusy.store(false, ordering: .releasing)
      counters.render.frames.wrappingAdd(given, ordering: .relaxed)
      counters.render.silentFrames.wrappingAdd(given, ordering: .relaxed)
    }
  }

  /// How many periods the device has brought since it was started.
  func devicePeriods(_ direction: AudioDirection) -> Int {
    switch direction {
    case .capture: capturePeriods.load(ordering: .relaxed)
    case .render: renderPeriods.load(ordering: .relaxed)
    }
  }

  /// When the device brought its last period.
  func lastDevicePeriod(_ direction: AudioDirection) -> AudioInstant {
    switch direction {
    case .capture: AudioInstant(nanoseconds: lastCapture.load(ordering: .relaxed))
    case .render: AudioInstant(nanoseconds: lastRender.load(ordering: .relaxed))
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
    case .capture:
      capturePeriods.store(0, ordering: .relaxed)
      coveredPeriods.store(0, ordering: .relaxed)
    case .render: renderPeriods.store(0, ordering: .relaxed)
    }
    onDeviceStop.withLock { $0[direction] }?()
  }

  /// Puts zeros in place of what the device captures, from the next period on.
  func setMuted(_ muted: Bool) { isMuted.store(muted, ordering: .relaxed) }

  /// Whether a period that was captured at a time comes after the silence for that time. A driver whose times make no
  /// sense loses no more than the silence lasted.
  private func isCovered(_ time: AudioInstant) -> Bool {
    guard coveredPeriods.load(ordering: .acquiring) > 0 else { return false }
    let middle = time + captureFormat.periodDuration / 2
    guard middle.nanoseconds < stoodInUntil.load(ordering: .relaxed) else {
      coveredPeriods.store(0, ordering: .relaxed)
      return false
    }
    coveredPeriods.wrappingSubtract(1, ordering: .relaxed)
    return true
  }

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
