#if CallServices
  internal import AudioDeviceKit
  internal import Foundation

  /// The services of the desktop that are wished, for an engine. On the engine's lane.
  final class Desktop: Sendable {
    private let client: ServiceClient
    private let notification: CallNotification?
    private let vibration: CallVibration?
    private let sleep: SleepWatch
    private let delaysSleep: Bool
    private let players: PlayerPause?

    init(
      _ client: ServiceClient, _ configuration: CallProvider.Configuration,
      timeAsleep: @escaping @Sendable () -> Duration, engine: CallEngine
    ) {
      self.client = client
      notification =
        configuration.showsNotification
        ? CallNotification(client, configuration) { [weak engine] in engine?.didRespond(to: $0, with: $1) } : nil
      vibration = configuration.vibrates ? CallVibration(client, configuration) : nil
      sleep = SleepWatch(client, applicationName: configuration.applicationName, timeAsleep: timeAsleep) {
        [weak engine] in engine?.didSleepChange($0)
      }
      delaysSleep = configuration.delaysSleep
      players =
        configuration.pausesPlayers
        ? PlayerPause(client) { [weak engine] in engine?.broadcaster.post($0) } : nil
    }

    /// Does what a call needs as it is now.
    ///
    /// - Parameters:
    ///   - ringing: The call while it rings.
    ///   - call: The call there is.
    ///   - hasAudio: Whether the audio is the call's.
    func show(ringing: Call?, call: Call?, hasAudio: Bool) {
      notification?.show(
        ringing.map { CallNotification.Content(callID: $0.id, caller: $0.caller, hasVideo: $0.hasVideo) })
      vibration?.vibrate(for: ringing?.id)
      if delaysSleep { sleep.wait(for: call?.id) }
      // On hold they stay as they are: the call will go on.
      if hasAudio { players?.pause() }
      if call == nil { players?.resume() }
    }

    /// The audio was given up: the machine may sleep.
    func letSleep() { sleep.letSleep() }

    /// Ends the connections once all has been said.
    func close() { client.close() }
  }
#endif
