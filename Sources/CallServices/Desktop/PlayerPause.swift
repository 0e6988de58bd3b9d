#if CallServices
  /// Pauses what plays while a call has the audio, and lets exactly that go on (MPRIS). On the lane.
  final class PlayerPause: @unchecked Sendable {
    // Unchecked: what varies is touched on the lane alone.

    /// A player, by its well-known name and the connection that has it: another one under the name is not the one that
    /// was paused.
    private struct Player: Sendable, Hashable {
      let name: String
      let connection: String
    }

    private static let prefix = "org.mpris.MediaPlayer2."
    private let client: ServiceClient
    private let told: @Sendable (CallEvent) -> Void
    private var paused: [Player] = []
    /// Grows with each pause and each end of one: what was asked before is of no interest then.
    private var number = 0
    private var isPausing = false

    init(_ client: ServiceClient, told: @escaping @Sendable (CallEvent) -> Void) {
      self.client = client
      self.told = told
    }

    /// Pauses all that plays. Does nothing when it has done so already.
    func pause() {
      guard !isPausing else { return }
      isPausing = true
      number += 1
      let number = number
      client.call(Self.bus("ListNames", []), for: .players, on: .session) { values in
        guard case .array(_, let names)? = values?.first else { return }
        for name in names.compactMap(\.text) where name.hasPrefix(Self.prefix) {
          self.client.ask(Self.bus("GetNameOwner", [.string(name)]), on: .session) { values in
            guard let connection = values?.first?.text else { return }
            self.pause(Player(name: name, connection: connection), number)
          }
        }
      }
    }

    private func pause(_ player: Player, _ number: Int) {
      ask(player, is: "Playing") {
        guard self.number == number else { return }
        self.client.ask(Self.method("Pause", player), on: .session) { answer in
          guard answer != nil else { return }
          // The call may be over already.
          guard self.number == number else { return self.resume([player]) }
          self.paused.append(player)
          self.told(.playerPaused(player.name))
        }
      }
    }

    /// Lets those go on that were paused, are still there and are still paused.
    func resume() {
      guard isPausing else { return }
      isPausing = false
      number += 1
      resume(paused)
      paused = []
    }

    private func resume(_ players: [Player]) {
      for player in players {
        ask(player, is: "Paused") {
          // The next call may have begun.
          guard !self.isPausing else {
            self.paused.append(player)
            return
          }
          self.client.ask(Self.method("Play", player), on: .session) { answer in
            if answer != nil { self.told(.playerResumed(player.name)) }
          }
        }
      }
    }

    private func ask(_ player: Player, is status: String, then body: @escaping @Sendable () -> Void) {
      let question = BusMethod.property(
        "PlaybackStatus", of: "org.mpris.MediaPlayer2.Player", at: "/org/mpris/MediaPlayer2", on: player.connection)
      client.ask(question, on: .session) { values in
        if values?.first?.inner?.text == status { body() }
      }
    }

    private static func method(_ member: String, _ player: Player) -> BusMethod {
      BusMethod(
        service: player.connection, path: "/org/mpris/MediaPlayer2", interface: "org.mpris.MediaPlayer2.Player",
        member: member)
    }

    private static func bus(_ member: String, _ arguments: [BusValue]) -> BusMethod {
      BusMethod(
        service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: member, arguments: arguments)
    }
  }
#endif
