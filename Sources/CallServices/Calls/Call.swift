public import Foundation

/// A call, as it stands at a moment.
public struct Call: Sendable, Hashable, Identifiable {
  /// Who began a call.
  public enum Direction: String, Sendable, Hashable, CaseIterable {
    /// The other side.
    case incoming
    /// This side.
    case outgoing
  }

  /// What the app calls it by.
  public let id: UUID
  /// Who began it.
  public let direction: Direction
  /// The other side, as a person is to read it.
  public internal(set) var caller: String
  /// Whether it is a video call.
  public internal(set) var hasVideo: Bool
  /// Whether this side is muted.
  public internal(set) var isMuted = false
  /// Where it stands.
  public var state: CallState { machine.state }

  var machine: CallStateMachine

  init(id: UUID, direction: Direction, caller: String, hasVideo: Bool) {
    self.id = id
    self.direction = direction
    self.caller = caller
    self.hasVideo = hasVideo
    machine = CallStateMachine(direction)
  }
}
