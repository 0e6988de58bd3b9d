import AudioDeviceCore
import AudioTestSupport
import Foundation
import Testing

@Suite struct SubprocessTests {
  @Test func capturesOutputAndStatus() throws {
    let output = try Subprocess.run(["sh", "-c", "cat; echo oops >&2; exit 3"], input: Array("in".utf8))
    #expect(output.text == "in")
    #expect(output.errorText == "oops\n")
    #expect(output.status == .exited(3))
  }

  @Test func takesMoreThanAPipeHolds() throws {
    let output = try Subprocess.run(["cat"], input: [UInt8](repeating: 7, count: 1 << 20))
    #expect(output.bytes.count == 1 << 20)
  }

  @Test func endsWhatTakesTooLong() throws {
    let start = ContinuousClock.now
    #expect(throws: RigError.self) { try Subprocess.run(["sleep", "60"], within: .milliseconds(100)) }
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test func saysWhatCannotBeStarted() {
    #expect {
      try Subprocess.run(["no-such-program"])
    } throws: { error in
      "\(error)".contains("no-such-program")
    }
  }

  @Test func saysWhatFailed() {
    #expect {
      try Subprocess.check(["sh", "-c", "echo broken >&2; exit 1"])
    } throws: { error in
      "\(error)".contains("broken")
    }
  }

  @Test func knowsHowAProcessEnded() throws {
    let process = try Subprocess(["sleep", "60"])
    #expect(process.isRunning)
    #expect(process.wait(within: .milliseconds(10)) == nil)
    #expect(process.terminate() == .signalled(SIGTERM))
    #expect(!process.isRunning)
    // Its number may be somebody else's by now: nothing is sent any more.
    process.send(SIGKILL)
  }

  @Test func killsWhatDoesNotWantToEnd() throws {
    let folder = try ProcessWarden.shared().makeFolder("ready")
    let process = try Subprocess(
      ["sh", "-c", "trap '' TERM; touch \(folder)/ready; while :; do sleep 1; done"])
    #expect(eventually { FileManager.default.fileExists(atPath: "\(folder)/ready") })
    #expect(process.terminate(within: .milliseconds(100)) == .signalled(SIGKILL))
  }

  @Test func doesNotOutliveItsObject() throws {
    var process: Subprocess? = try Subprocess(["sleep", "60"])
    let number = try #require(process?.processID)
    #expect(kill(number, 0) == 0)
    process = nil
    #expect(kill(number, 0) == -1)
  }

  @Test func inheritsNothing() throws {
    let file = open("/dev/null", O_RDONLY)
    defer { close(file) }
    let output = try Subprocess.run(
      ["sh", "-c", "ls /proc/$$/fd; env"], environment: ["PATH": "/usr/bin:/bin", "A": "b"])
    #expect(output.text.contains("A=b\n"))
    #expect(!output.text.contains("HOME="))
    let descriptors = output.text.split(separator: "\n").compactMap { Int($0) }
    #expect(Set(descriptors) == [0, 1, 2])
  }
}

@Suite struct ProcessWardenTests {
  @Test func endsWhatIsLeftWhenItsProcessIsGone() throws {
    let warden = try ProcessWarden()
    let folder = try warden.makeFolder("left")
    let shell = try Subprocess(
      ["sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done"], processGroup: warden.processGroup)
    let stopped = try Subprocess(["sleep", "60"], processGroup: warden.processGroup)
    stopped.send(SIGSTOP)
    // What the kernel does to the pipe when the test process dies.
    warden.dismiss()
    #expect(shell.wait(within: .seconds(5)) == .signalled(SIGKILL))
    #expect(stopped.wait(within: .seconds(5)) == .signalled(SIGKILL))
    #expect(eventually { !FileManager.default.fileExists(atPath: warden.folder) })
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func allChildrenAreInItsGroup() throws {
    let warden = try ProcessWarden.shared()
    let process = try Subprocess(["sleep", "60"])
    #expect(getpgid(process.processID) == warden.processGroup)
    #expect(getpgid(getpid()) != warden.processGroup)
  }
}

@Suite struct ProcessSnapshotTests {
  @Test func seesAChildsThreadsDescriptorsAndCost() throws {
    let process = try Subprocess(["sh", "-c", "exec 7</dev/zero; while :; do :; done"])
    defer { process.end() }
    #expect(
      try eventually { try ProcessSnapshot(of: process.processID).descriptors[7] == "/dev/zero" })
    let before = try ProcessSnapshot(of: process.processID)
    #expect(before.threadNames == ["sh"])
    #expect(before.residentBytes > 100_000)
    #expect(
      try eventually {
        try ProcessSnapshot(of: process.processID).processorTime > before.processorTime + .milliseconds(20)
      })
    process.end()
    #expect(throws: RigError.self) { try ProcessSnapshot(of: process.processID) }
  }

  @Test func tellsWhatIsNew() throws {
    let before = try ProcessSnapshot()
    let file = open("/proc/self/oom_score", O_RDONLY)
    let opened = try ProcessSnapshot().descriptorsOpened(since: before)
    close(file)
    #expect(opened.contains { $0.hasSuffix("/oom_score") })
    #expect(try !ProcessSnapshot().descriptorsOpened(since: before).contains { $0.hasSuffix("/oom_score") })
  }

  @Test func seesThisProcessAndItsThreads() throws {
    let before = try ProcessSnapshot()
    let event = try WakeEvent()
    let thread = try RealtimeThread(name: "rig-probe") { _ = event.wait(limit: .seconds(30)) }
    #expect(try eventually { try ProcessSnapshot().threadsStarted(since: before).contains("rig-probe") })
    let probe = try ProcessSnapshot().threads.values.first { $0.name == "rig-probe" }
    #expect(probe?.realtimePriority == (thread.schedulingClass == .audio ? 20 : 0))
    event.signal()
    thread.join()
    // The kernel takes it out of the list a little after it is joined.
    #expect(try eventually { try !ProcessSnapshot().threadNames.contains("rig-probe") })
    #expect(before.residentBytes > 1_000_000)
    #expect(before.processorTime > .zero)
  }
}

@Suite struct EventuallyTests {
  @Test func comesTrueOrNot() {
    var calls = 0
    let cameTrue = eventually {
      calls += 1
      return calls == 3
    }
    #expect(cameTrue && calls == 3)
    #expect(!eventually(within: .milliseconds(20)) { false })
    #expect(throws: RigError.self) { try eventually { throw RigError("no") } }
  }

  @Test func waitsWithoutBlocking() async {
    let start = ContinuousClock.now
    #expect(await eventually { () async in ContinuousClock.now - start > .milliseconds(20) })
    #expect(await !eventually(within: .milliseconds(20)) { await Task { false }.value })
  }
}
