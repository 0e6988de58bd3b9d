#if PulseAudio
import AudioDeviceCore
import AudioTestSupport
import Foundation
@testable import PulseBackend
import Testing

@Suite struct ScratchTests {
  @Test func loop() throws {
    let env = ProcessInfo.processInfo.environment
    let server = try PulseServer.start()
    defer { server.stop() }
    let backend = PulseBackend(server: env["SCR_SERVER"] ?? server.serverString)
    print("available", backend.isAvailable)
    if env["SCR_SERVER"] != nil { for d in try backend.devices() { print(d) } }
    let code = IndexCode.signal(.milliseconds(10 * 125 * 5))
    let probe = StreamProbe(rendering: code)
    let out = try backend.openStream(AudioStreamConfiguration(direction: .render, format: .voice, deviceID: env["SCR_SINK"] ?? "spk", latency: env["SCR_L"].map { .milliseconds(Int($0)!)}), client: probe)
    let input = try backend.openStream(AudioStreamConfiguration(direction: .capture, format: .voice, deviceID: env["SCR_SRC"] ?? "spk.monitor", latency: env["SCR_LC"].map { .milliseconds(Int($0)!)}), client: probe)
    probe.meter(out)
    print((out as! PulseStream).bufferAttributes as Any, (input as! PulseStream).bufferAttributes as Any)
    try out.start()
    try input.start()
    print(out.schedulingClass, out.deviceID as Any)
    usleep(4_000_000)
    print(out.latency, input.latency, out.statistics, input.statistics)
    
    var t = AudioInstant.now
    input.close(); print("close", AudioInstant.now - t)
    t = .now
    out.close(); print("close", AudioInstant.now - t)
    print(try server.sinkInputs(ofProcess: getpid()).count, try server.sourceOutputs(ofProcess: getpid()).count)
    print(IndexCode.examine(probe.recording()))
    let r = probe.render, c = probe.capture
    var errs: [Double] = [], rts: [Double] = []
    for (i, p) in c.enumerated() where p.first > 0 && i > 20 {
      // newest rendered period with that code before p.time
      guard let newest = r.lastIndex(where: { $0.time < p.time }) else { continue }
      let sent = (newest + 1) * 480
      guard let lag = IndexCode.lag(of: p.first, sent: sent) else { continue }
      let f = sent - lag
      let q = r[f / 480]
      let heard = q.time + q.delay + AudioFormat.voice.duration(ofFrames: f % 480)
      errs.append((p.capturedAt - heard) / .milliseconds(1))
      rts.append((p.time - q.time) / .milliseconds(1))
      if i % 40 == 0 { print(i, f % 480, "delay", q.delay, "age", p.time - p.capturedAt, "rt", rts.last!, "err", errs.last!) }
    }
    errs.sort(); rts.sort()
    print("err", errs.first!, errs[errs.count/2], errs.last!, "rt", rts.first!, rts[rts.count/2], rts[rts.count*99/100], rts.last!)
    print(probe.notices, probe.xrunNotices)
  }
}
#endif
