public import AudioDeviceKit
public import Foundation

/// Something that happened to a call or around it, for people and programs that watch.
public enum CallEvent: Sendable, Hashable {
  /// A call came to be, or changed. Its last one is that it ended.
  case callChanged(Call)
  /// The ringtone cannot be played, and the call goes on without it.
  case ringtoneFailed(UUID, AudioDeviceError)
  /// The delegate did not answer in time, and the action counts as performed.
  case actionTimedOut(CallAction)
  /// The user closed the notification without a word; the call rings on.
  case notificationDismissed(UUID)
  /// A service of the desktop does not work, and the call goes on without it. Told once, until it works again.
  case serviceMissing(CallService, CallServiceFailure)
  /// The machine goes to sleep.
  case fallsAsleep
  /// The machine woke up, after so long.
  case wokeUp(asleep: Duration)
  /// The screen was locked, or unlocked. The call goes on.
  case screenLocked(Bool)
  /// A player was paused for the call, by its name on the bus.
  case playerPaused(String)
  /// A player that was paused for the call goes on.
  case playerResumed(String)
}
