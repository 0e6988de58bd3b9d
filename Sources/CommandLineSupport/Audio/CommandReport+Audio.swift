package import AudioDeviceKit

/// What can be told of a device only while it runs.
package struct RunningDevice: Sendable {
  package let backend: String?
  package let captureFormat: AudioFormat
  package let renderFormat: AudioFormat
  package let inputID: String?
  package let outputID: String?
  package let captureDelay: Duration
  package let renderDelay: Duration
  package let captureScheduling: SchedulingClass?
  package let renderScheduling: SchedulingClass?

  /// What a device tells now.
  package init(_ device: DefaultAudioDevice) {
    backend = device.backend?.name
    captureFormat = device.captureFormat
    renderFormat = device.renderFormat
    inputID = device.captureDeviceID
    outputID = device.renderDeviceID
    captureDelay = device.estimatedCaptureDelay
    renderDelay = device.estimatedRenderDelay
    captureScheduling = device.schedulingClass(of: .capture)
    renderScheduling = device.schedulingClass(of: .render)
  }
}

extension CommandReport {
  /// Tells what ran and how.
  ///
  /// - Parameters:
  ///   - running: The device, as it was when it ran.
  ///   - statistics: Of the manager.
  ///   - directions: What is worth telling.
  package mutating func add(
    _ running: RunningDevice, _ statistics: AudioDeviceStatistics, _ directions: [AudioDirection]
  ) {
    add("backend", JSONValue(running.backend))
    for direction in directions {
      let isCapture = direction == .capture
      let format = isCapture ? running.captureFormat : running.renderFormat
      let id = isCapture ? running.inputID : running.outputID
      let delay = isCapture ? running.captureDelay : running.renderDelay
      let scheduling = isCapture ? running.captureScheduling : running.renderScheduling
      add(
        isCapture ? "capture" : "render",
        [
          "deviceID": JSONValue(id), "format": JSONValue(format), "delayMilliseconds": .milliseconds(delay),
          "scheduling": JSONValue(scheduling?.description), "statistics": JSONValue(statistics[direction]),
        ])
      let name = direction.deviceName
      let device = [running.backend, id].compactMap { $0 }.joined(separator: " ")
      add(line: "\(name): \(device), \(format), delay \(delay.millisecondsText)")
      add(line: "\(name): \(statistics[direction].words(format))")
    }
  }
}
