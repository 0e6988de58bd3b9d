public import Foundation

/// Something that is to be done with a call: by the app's wish, or by a button on the desktop.
public enum CallAction: Sendable, Hashable {
  /// Call somebody.
  case start(UUID, callee: String, hasVideo: Bool)
  /// Answer the incoming call.
  case answer(UUID)
  /// Hold the call, or go on with it.
  case hold(UUID, Bool)
  /// Mute this side, or no longer.
  case mute(UUID, Bool)
  /// End the call, or decline it while it rings.
  case end(UUID)

  /// The call that it is about.
  public var callID: UUID {
    switch self {
    case .start(let id, _, _), .answer(let id), .hold(let id, _), .mute(let id, _), .end(let id): id
    }
  }
}
