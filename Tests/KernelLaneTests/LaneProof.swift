import AudioTestSupport
import Glibc
import Testing

/// What `Tests/Kernel/run --prove` runs to see the lane fail. Not part of the lane, whose suites are named `Kernel…`.
@Suite(.enabled(if: KernelCard.isLane && getenv("AUDIODEVICEKIT_KERNEL_LANE_PROOF") != nil)) struct LaneProof {
  @Test func fails() { Issue.record("As it must.") }

  @Test(.disabled("As it must be.")) func isSkipped() {}
}
