#if PulseAudio
  import AudioDeviceCore
  import AudioTestSupport
  import Glibc
  @testable import PulseBackend
  import Testing

  extension PulseTests {
    /// Opening, starting, closing and forgetting streams.
    @Suite struct Lifecycle {
      @Test func startAndCloseAreIdempotent() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let probe = StreamProbe()
        let stream = try rig.open(.render, probe)
        try stream.start()
        try stream.start()
        #expect(probe.waitForPeriods(20, .render))
        #expect(try rig.sinkInputs().count == 1)
        stream.close()
        stream.close()
        #expect(failure { try stream.start() }?.code == .invalidState)
      }

      @Test func nothingIsCalledAfterClose() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        for direction in AudioDirection.allCases {
          let probe = StreamProbe()
          let stream = try rig.open(direction, probe)
          try stream.start()
          #expect(probe.waitForPeriods(10, direction))
          stream.close()
          let counts = (probe.renderedPeriods, probe.capturedPeriods, probe.notices.count)
          try rig.server.setDefaultSink("hdmi")
          try rig.server.setDefaultSink("spk")
          let watcher = StreamProbe()
          let other = try rig.open(.capture, watcher)
          try other.start()
          #expect(watcher.waitForPeriods(20, .capture))
          other.close()
          #expect((probe.renderedPeriods, probe.capturedPeriods, probe.notices.count) == counts)
        }
      }

      @Test func aClosedStreamLetsItsClientGo() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        weak var weakProbe: StreamProbe?
        func runOnce() throws -> any AudioStream {
          let probe = StreamProbe(seconds: 1)
          weakProbe = probe
          let stream = try rig.open(.capture, probe)
          try stream.start()
          #expect(probe.waitForPeriods(5, .capture))
          stream.close()
          return stream
        }
        let stream = try runOnce()
        #expect(eventually { weakProbe == nil })
        stream.close()
      }

      @Test func aForgottenStreamGoesByItself() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        func forget() throws {
          let probe = StreamProbe(seconds: 1)
          let stream = try rig.open(.render, probe)
          try stream.start()
          #expect(try rig.sinkInputs().count == 1)
        }
        try forget()
        #expect(try eventually { try rig.sinkInputs().isEmpty })
      }

      @Test func aForgottenBackendEndsItsThreadAndConnection() throws {
        let server = try PulseServer.start()
        defer { server.stop() }
        func threads() throws -> Int {
          try ProcessSnapshot().threadNames.filter { $0 == "pulse-audio" }.count
        }
        let before = try threads()
        func use() throws {
          let rig = PulseRig(server)
          let stream = try rig.open(.render, StreamProbe(seconds: 1))
          let watch = try rig.backend.watchDevices {}
          #expect(try threads() == before + 1)
          #expect(try server.clients(ofApplication: "Rig Client").count == 1)
          watch.cancel()
          stream.close()
        }
        try use()
        #expect(try eventually { try server.clients(ofApplication: "Rig Client").isEmpty && threads() == before })
      }

      @Test(arguments: SoundServerKind.allCases) func twoHundredStreamsLeaveNothing(kind: SoundServerKind) throws {
        let rig = try PulseRig(kind)
        defer { rig.stop() }
        let probe = StreamProbe(seconds: 1)
        func cycle(_ direction: AudioDirection) throws {
          let stream = try rig.open(direction, probe)
          try stream.start()
          stream.close()
        }
        try cycle(.render)
        try cycle(.capture)
        let before = try ProcessSnapshot()
        for _ in 0..<100 {
          try cycle(.render)
          try cycle(.capture)
        }
        let after = try ProcessSnapshot()
        #expect(try rig.sinkInputs().isEmpty && rig.sourceOutputs().isEmpty)
        #expect(try rig.server.clients(ofApplication: "Rig Client").count == 1)
        // Other suites run beside this one; a leak would be two hundred.
        #expect(after.descriptors.count < before.descriptors.count + 50)
        #expect(after.threadsStarted(since: before).filter { $0 == "pulse-audio" }.isEmpty)
        #expect(after.threads.count < before.threads.count + 50)
      }

      @Test func fourThreadsOpenAndCloseAtOnce() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let threads = try (0..<4).map { number in
          try OwnThread { () -> Int in
            var failures = 0
            for round in 0..<25 {
              let probe = StreamProbe(seconds: 1)
              let direction: AudioDirection = (number + round).isMultiple(of: 2) ? .render : .capture
              do {
                let stream = try rig.open(direction, probe)
                try stream.start()
                _ = probe.waitForPeriods(2, direction)
                stream.close()
                if !probe.losses.isEmpty { failures += 1 }
              } catch {
                failures += 1
              }
            }
            return failures
          }
        }
        for thread in threads { #expect(try thread.result() == 0) }
        #expect(try rig.sinkInputs().isEmpty && rig.sourceOutputs().isEmpty)
      }

      @Test func fourThreadsStartAndCloseOneStream() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        for _ in 0..<25 {
          let probe = StreamProbe(seconds: 1)
          let stream = try rig.open(.render, probe)
          let threads = try (0..<4).map { number in
            try OwnThread { () -> AudioDeviceError? in
              if number.isMultiple(of: 2) { return failure { try stream.start() } }
              stream.close()
              return nil
            }
          }
          for thread in threads {
            let error = try thread.result()
            #expect(error == nil || error?.code == .invalidState, "\(error as Any)")
          }
          #expect(probe.losses.isEmpty)
        }
        #expect(try rig.sinkInputs().isEmpty)
      }

      @Test func aNoticeMayCloseItsStream() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let closer = Closer()
        let stream = try rig.open(.render, closer)
        closer.stream.withLock { $0 = stream }
        try stream.start()
        try rig.server.setDefaultSink("hdmi")
        #expect(eventually { closer.closingTime.withLock { $0 != nil } })
        let duration = try #require(closer.closingTime.withLock { $0 })
        #expect(duration < .milliseconds(200))
        #expect(try rig.sinkInputs().isEmpty)
      }

      @Test func theAudioThreadIsNotLocked() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        // Against the rules, but nobody may hang for it.
        let closer = Closer(isRude: true, backend: rig.backend)
        let stream = try rig.open(.render, closer)
        closer.stream.withLock { $0 = stream }
        #expect(failure { try stream.start() }?.code == .invalidState)
        #expect(eventually { closer.closingTime.withLock { $0 != nil } })
        #expect(closer.error.withLock { $0?.code } == .invalidState)
        #expect(try eventually { try rig.sinkInputs().isEmpty })
      }

      @Test func theThreadIsNamedAndRealtimeWhereAllowed() throws {
        let rig = try PulseRig()
        defer { rig.stop() }
        let probe = ThreadProbe()
        let stream = try rig.open(.render, probe)
        try stream.start()
        #expect(eventually { probe.schedulingClass.withLock { $0 != nil } })
        #expect(probe.schedulingClass.withLock { $0 } == stream.schedulingClass)
        // Root may, whoever else only with a limit of its own.
        if getuid() == 0 { #expect(stream.schedulingClass == .audio) }
        #expect(try ProcessSnapshot().threadNames.contains("pulse-audio"))
        stream.close()
      }
    }
  }

  /// A client that closes its stream from a notice, or rudely from the audio thread.
  private final class Closer: AudioStreamClient {
    let stream = Locked<(any AudioStream)?>(nil)
    let closingTime = Locked<Duration?>(nil)
    let error = Locked<AudioDeviceError?>(nil)
    private let isRude: Bool
    private let backend: PulseBackend?

    init(isRude: Bool = false, backend: PulseBackend? = nil) {
      self.isRude = isRude
      self.backend = backend
    }

    func streamDidNotice(_ notice: AudioStreamNotice) {
      if case .moved = notice { close() }
    }

    func streamWillRender(_ samples: inout MutableSpan<Int16>) {
      guard isRude, closingTime.withLock({ $0 == nil }) else { return }
      let configuration = AudioStreamConfiguration(direction: .render, format: .voice)
      let refusal = failure { _ = try backend?.openStream(configuration, client: StreamProbe(seconds: 1)) }
      error.withLock { $0 = refusal }
      close()
    }

    private func close() {
      let stream = stream.withLock { stream in
        defer { stream = nil }
        return stream
      }
      guard let stream else { return }
      let duration = time { stream.close() }
      closingTime.withLock { $0 = duration }
    }
  }

  /// A client that asks for the class of the thread it is called on.
  private final class ThreadProbe: AudioStreamClient {
    let schedulingClass = Locked<SchedulingClass?>(nil)

    func streamWillRender(_ samples: inout MutableSpan<Int16>) { schedulingClass.withLock { $0 = .current } }
  }
#endif
