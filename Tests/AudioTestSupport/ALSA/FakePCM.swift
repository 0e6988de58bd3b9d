#if ALSA
  public import AudioDeviceCore
  import CRigControl
  import Foundation
  import Glibc
  import Synchronization

  /// A fake sound device that alsa-lib opens by name. It has one direction and one client at a time, as cheap hardware.
  ///
  /// It keeps time by the machine's clock, or by hand (``setClock(_:)``). What is played is recorded as it leaves the
  /// device: samples that are dropped before their time are not heard. A capture device hears ``setInput(_:)`` from its
  /// first frame on when it is started for the first time after opening, over and over; when it stops, the sound goes
  /// on.
  public final class FakePCM: Sendable {
    /// What the hardware can.
    public struct Options: Sendable {
      /// Sample formats, as alsa-lib names them. The device converts to and from 16 bit; only `U8` loses anything.
      public var formats = ["S16_LE", "S24_LE", "S24_3LE", "S32_LE", "FLOAT_LE", "U8"]
      /// Rates in hertz.
      public var sampleRates = 8_000...192_000
      /// Channel counts.
      public var channelCounts = 1...8
      /// Frames of a period. Exact where ``formats`` and ``channelCounts`` leave no choice; alsa-lib limits bytes.
      public var periodFrames = 16...262_144
      /// Frames of the buffer. Exact where ``formats`` and ``channelCounts`` leave no choice; alsa-lib limits bytes.
      public var bufferFrames = 32...1_048_576
      /// Whether `snd_pcm_hw_params_can_pause`.
      public var canPause = true
      /// Whether `snd_pcm_hw_params_can_resume`.
      public var canResume = true

      /// Everything.
      public init() {}
    }

    /// What a client does to the device.
    public enum Operation: Sendable, CaseIterable {
      /// `snd_pcm_open`.
      case open
      /// `snd_pcm_hw_params`.
      case hwParams
      /// `snd_pcm_sw_params`; also part of `snd_pcm_hw_params`.
      case swParams
      /// `snd_pcm_prepare`; also part of `snd_pcm_hw_params`.
      case prepare
      /// `snd_pcm_start`, or the start threshold.
      case start
      /// `snd_pcm_drop`; also part of `snd_pcm_close`. A failure is not seen: alsa-lib drops it.
      case stop
      /// `snd_pcm_drain`.
      case drain
      /// `snd_pcm_pause`, both ways.
      case pause
      /// `snd_pcm_resume`. A failure is not seen, but leaves the device suspended.
      case resume
      /// Each piece that is written or read.
      case transfer
      /// `snd_pcm_delay`, `snd_pcm_avail_delay`, `snd_pcm_status`.
      case delay
      /// `snd_pcm_poll_descriptors_revents`.
      case poll
      /// `snd_pcm_close`. A failure is not seen.
      case close
    }

    /// What moves the device.
    public enum Clock: Sendable {
      /// Time, with an error in parts per million.
      case realTime(partsPerMillion: Int = 0)
      /// ``FakePCM/step(_:)``.
      case manual
    }

    /// What a client and the device agreed on.
    public struct Parameters: Sendable, Hashable {
      /// Frames per second.
      public let sampleRate: Int
      /// Samples per frame.
      public let channelCount: Int
      /// `SND_PCM_FORMAT_…`
      public let format: Int
      /// `SND_PCM_ACCESS_…`
      public let access: Int
      /// Frames.
      public let periodFrames: Int
      /// Frames.
      public let bufferFrames: Int
      /// Frames; when poll returns.
      public let availMin: Int
      /// Frames; more than the buffer when the device is not to stop at an xrun.
      public let stopThreshold: Int
    }

    /// What alsa-lib opens.
    public let name: String
    /// Capture or playback.
    public let direction: AudioDirection

    private let path: String
    private let options: Options
    private let control: Control

    /// Mapped memory that only the atomic functions of CRigControl touch.
    private final class Control: @unchecked Sendable {
      let block: OpaquePointer
      init(path: String) throws {
        guard let block = rig_control_map(path) else { throw RigError("\(path): \(String(cString: strerror(errno)))") }
        self.block = block
      }
      deinit { rig_control_unmap(block) }
    }

    init(name: String, direction: AudioDirection, folder: String, options: Options) throws {
      self.name = name
      self.direction = direction
      self.options = options
      path = "\(folder)/\(name)"
      control = try Control(path: "\(path).control")
      guard mkfifo("\(path).wake", 0o600) == 0 else {
        throw RigError("mkfifo \(path).wake: \(String(cString: strerror(errno)))")
      }
    }

    var configurationText: String {
      """
      pcm.\(name) {
        type rig
        path "\(path)"
        direction \(direction == .render ? "playback" : "capture")
        formats "\(options.formats.joined(separator: " "))"
        rate_min \(options.sampleRates.lowerBound) rate_max \(options.sampleRates.upperBound)
        channels_min \(options.channelCounts.lowerBound) channels_max \(options.channelCounts.upperBound)
        period_min \(options.periodFrames.lowerBound) period_max \(options.periodFrames.upperBound)
        buffer_min \(options.bufferFrames.lowerBound) buffer_max \(options.bufferFrames.upperBound)
        pause \(options.canPause) resume \(options.canResume)
        hint { show on description "Rig \(name)|IOID\(direction == .render ? "Output" : "Input")" }
      }
      """
    }

    // MARK: Sound

    /// Sets what a capture device hears, from the next time that it is opened. By default it hears silence.
    ///
    /// - Parameter signal: Played over and over. Its rate is not looked at; a device with more channels repeats them.
    ///   `IndexCode.signal(.milliseconds(625))`, 30000 frames at 48 kHz, makes an index code without end.
    /// - Throws: ``RigError`` when it can't be written.
    public func setInput(_ signal: Signal) throws {
      rig_set(control.block, RIG_INPUT_CHANNELS, Int64(signal.format.channelCount))
      let bytes = signal.samples.map(\.littleEndian).withUnsafeBytes { Data($0) }
      guard FileManager.default.createFile(atPath: "\(path).input.new", contents: bytes),
        rename("\(path).input.new", "\(path).input") == 0
      else { throw RigError("Cannot write \(path).input") }
    }

    /// What was played since the parameters were set last: exactly the samples that left the device. Brought up to date
    /// by each call of the client's.
    public var output: Signal? { outputs.last }

    /// What was played, one signal for each time that the parameters were set.
    public var outputs: [Signal] {
      let url = URL(fileURLWithPath: path)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)) ?? []
      let takes = names.compactMap { name -> (take: Int, signal: Signal)? in
        // NAME.TAKE.RATExCHANNELS.output
        let parts = name.split(separator: ".")
        guard parts.count == 4, parts[0] == self.name, parts[3] == "output", let take = Int(parts[1]) else {
          return nil
        }
        let numbers = parts[2].split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2, let format = try? AudioFormat(sampleRate: numbers[0], channelCount: numbers[1]),
          let data = FileManager.default.contents(atPath: "\(url.deletingLastPathComponent().path)/\(name)")
        else { return nil }
        return (take, Signal(littleEndian: Array(data), format: format))
      }
      return takes.sorted { $0.take < $1.take }.map(\.signal)
    }

    // MARK: Clock

    /// Sets what moves the device, from now on.
    ///
    /// - Parameter clock: Time or the test.
    public func setClock(_ clock: Clock) {
      switch clock {
      case .realTime(let error):
        rig_set(control.block, RIG_CLOCK_PPM, Int64(error))
        rig_set(control.block, RIG_CLOCK_IS_MANUAL, 0)
      case .manual:
        rig_set(control.block, RIG_CLOCK_IS_MANUAL, 1)
      }
      wake()
    }

    /// Moves the device when its clock is manual, and wakes a client that polls.
    ///
    /// - Parameter frames: How far. A client that is to keep up must have time to act before the next step.
    public func step(_ frames: Int) {
      rig_add(control.block, RIG_CLOCK_FRAMES, Int64(frames))
      wake()
    }

    // MARK: Faults

    /// An xrun, as soon as the device runs.
    public func injectXrun() { set(RIG_INJECT_XRUN, 1) }

    /// Suspends the device as soon as it runs, as when the machine goes to sleep.
    ///
    /// - Parameter canResume: Whether `snd_pcm_resume` works; else only `snd_pcm_prepare` helps.
    public func suspend(canResume: Bool = true) {
      rig_set(control.block, RIG_CANNOT_RESUME, canResume ? 0 : 1)
      set(RIG_INJECT_SUSPEND, 1)
    }

    /// Lets the device stand still without an error, or go on.
    ///
    /// - Parameter isFrozen: What it shall be.
    public func setFrozen(_ isFrozen: Bool) { set(RIG_IS_FROZEN, isFrozen ? 1 : 0) }

    /// Lets poll report `POLLERR` while the device's state shows no error.
    ///
    /// - Parameter isFailing: Whether to.
    public func setPollErrors(_ isFailing: Bool) { set(RIG_POLLS_ERROR, isFailing ? 1 : 0) }

    /// Unplugs the device, but leaves it in the list; see ``ALSARig/unplug(_:)``.
    public func unplug() {
      rig_set(control.block, RIG_IS_UNPLUGGED, 1)
      rig_add(control.block, RIG_UNPLUGS, 1)
      wake()
    }

    /// Plugs the device in again.
    public func plug() { set(RIG_IS_UNPLUGGED, 0) }

    /// Adds to the delay that the device tells.
    ///
    /// - Parameter frames: May be negative; the delay is negative then as well.
    public func setExtraDelay(_ frames: Int) { set(RIG_EXTRA_DELAY, frames) }

    /// Once, lets a transfer stop early: `snd_pcm_writei` and `snd_pcm_readi` return fewer frames than they were given.
    ///
    /// - Parameter frames: How many they return; a smaller transfer is not cut.
    public func shortenNextTransfer(to frames: Int) { set(RIG_SHORT_TRANSFER, frames) }

    /// Makes an operation fail.
    ///
    /// - Parameters:
    ///   - operation: Which.
    ///   - error: The errno, positive, such as `EIO`.
    ///   - times: How often; by default until ``succeed(_:)``.
    ///   - skipping: How often it works before that.
    public func fail(_ operation: Operation, with error: Int32, times: Int = .max, skipping: Int = 0) {
      rig_fail(control.block, operation.raw, error, Int64(skipping), Int64(times))
      wake()
    }

    /// Makes an operation work again.
    ///
    /// - Parameter operation: Which.
    public func succeed(_ operation: Operation) { fail(operation, with: 0, times: 0) }

    // MARK: What happened

    /// How often a client tried something, failures included.
    ///
    /// - Parameter operation: What.
    /// - Returns: A count since the rig was started.
    public func count(_ operation: Operation) -> Int { Int(rig_count(control.block, operation.raw)) }

    /// Whether a client has the device open now.
    public var isOpen: Bool { rig_is_claimed("\(path).control") != 0 }

    /// Xruns, injected ones included.
    public var xruns: Int { number(RIG_XRUNS) }

    /// Frames that clients wrote or read.
    public var transferredFrames: Int { number(RIG_TRANSFERRED_FRAMES) }

    /// Frames that were played or recorded, as far as the device was looked at.
    public var hardwareFrames: Int { number(RIG_HARDWARE_FRAMES) }

    /// What was agreed on last; nil before.
    public var parameters: Parameters? {
      guard number(RIG_RATE) > 0 else { return nil }
      return Parameters(
        sampleRate: number(RIG_RATE), channelCount: number(RIG_CHANNELS), format: number(RIG_FORMAT),
        access: number(RIG_ACCESS),
        periodFrames: number(RIG_PERIOD_FRAMES), bufferFrames: number(RIG_BUFFER_FRAMES),
        availMin: number(RIG_AVAIL_MIN),
        stopThreshold: number(RIG_STOP_THRESHOLD))
    }

    /// The kernel's id of the thread that wrote or read last; 0 before.
    public var transferringThread: Int { number(RIG_THREAD) }

    /// Whether the thread that wrote or read last was a real-time one then.
    public var wasTransferredInRealTime: Bool { [SCHED_FIFO, SCHED_RR].contains(Int32(number(RIG_THREAD_POLICY))) }

    private func number(_ word: rig_word) -> Int { Int(rig_get(control.block, word)) }

    private func set(_ word: rig_word, _ value: Int) {
      rig_set(control.block, word, Int64(value))
      wake()
    }

    /// Makes a client that polls look.
    private func wake() {
      let fifo = open("\(path).wake", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      // Without a reader nobody has the device open, and nobody needs to be woken.
      guard fifo >= 0 else { return }
      _ = write(fifo, [1], 1)
      close(fifo)
    }
  }

  extension FakePCM.Operation {
    fileprivate var raw: rig_operation {
      switch self {
      case .open: RIG_OPEN
      case .hwParams: RIG_HW_PARAMS
      case .swParams: RIG_SW_PARAMS
      case .prepare: RIG_PREPARE
      case .start: RIG_START
      case .stop: RIG_STOP
      case .drain: RIG_DRAIN
      case .pause: RIG_PAUSE
      case .resume: RIG_RESUME
      case .transfer: RIG_TRANSFER
      case .delay: RIG_DELAY
      case .poll: RIG_POLL
      case .close: RIG_CLOSE
      }
    }
  }
#endif
