#if ALSA
  import AudioTestSupport
  import Glibc
  import RealtimeSupport
  import Synchronization
  import Testing

  @testable import ALSABackend

  @Suite struct StreamGateTests {
    @Test func letsNobodyInOnceShut() {
      let gate = StreamGate()
      #expect(gate.enter())
      #expect(gate.isInside && !gate.isShut)
      gate.shutDoor()
      // Who is inside may finish.
      #expect(gate.isInside && gate.isShut)
      gate.leave()
      #expect(!gate.isInside)
      #expect(!gate.enter())
      #expect(!gate.isInside && gate.isShut)
    }

    /// A thread that goes in and out without pause: when the door is shut and nobody is inside, it was in for the last
    /// time.
    @Test func isADoorForAnotherThread() throws {
      for _ in 0..<20 {
        let gate = StreamGate()
        let visits = Locked(0)
        let thread = try RealtimeThread(name: "visitor", scheduling: .normal) {
          while gate.enter() {
            visits.withLock { $0 += 1 }
            gate.leave()
            sched_yield()
          }
        }
        #expect(eventually { visits.withLock { $0 } >= 10 })
        gate.shutDoor()
        #expect(eventually { !gate.isInside })
        let last = visits.withLock { $0 }
        thread.join()
        #expect(visits.withLock { $0 } == last)
      }
    }
  }
#endif
