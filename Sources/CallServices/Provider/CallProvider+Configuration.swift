#if CallServices
  public import AudioDeviceKit

  extension CallProvider {
    /// What the desktop does for the calls of an app.
    public struct Configuration: Sendable {
      /// The app, as a person is to read it.
      public var applicationName: String
      /// The name of the app's desktop entry, without `.desktop`; nil when it has none.
      public var desktopEntry: String?
      /// The icon of the notification: a name from the icon theme or a `file:` URL; nil for the desktop's choice.
      public var icon: String?
      /// What the notification says.
      public var texts = Texts()
      /// Whether an incoming call is shown as a notification, with buttons.
      public var showsNotification = true
      /// Whether the machine vibrates for an incoming call, where feedbackd runs.
      public var vibrates = true
      /// Whether other players pause while a call has the audio, and go on after it.
      public var pausesPlayers = false
      /// Whether the machine waits with its sleep until a call has given up its audio.
      public var delaysSleep = true
      /// The mode of the audio session; nil for `videoChat` with video calls and `voiceChat` with all others.
      public var mode: AudioSession.Mode?
      /// Whether a mute closes the microphone (hard), or silence is sent in its place (soft).
      public var mutesHard = false
      /// How long an incoming call rings before it is over as unanswered.
      public var answerLimit = Duration.seconds(60)
      /// How long the delegate may take for an action before that counts as performed.
      public var actionLimit = Duration.seconds(10)
      /// How long an activation of the audio session may take before the manager tells that it is overdue.
      public var activationLimit = Duration.seconds(10)
      /// Where notifications, vibration and players are.
      public var sessionBus = BusAddress.standard
      /// Where sleep and screen locks are told.
      public var systemBus = BusAddress.standard

      /// A configuration with all that the desktop has to offer, but for the pausing of other players.
      ///
      /// - Parameter applicationName: The app, as a person is to read it.
      public init(applicationName: String) { self.applicationName = applicationName }
    }

    /// The texts of a notification, in the language of the user.
    public struct Texts: Sendable, Hashable {
      /// Below the caller's name.
      public var incomingCall = "Incoming call"
      /// The same, with video.
      public var incomingVideoCall = "Incoming video call"
      /// The button that answers.
      public var answer = "Answer"
      /// The button that declines.
      public var decline = "Decline"

      /// In English.
      public init() {}
    }
  }
#endif
