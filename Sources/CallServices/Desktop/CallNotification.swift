#if CallServices
  internal import AudioDeviceKit
  internal import Foundation

  /// The desktop's notification of an incoming call (`org.freedesktop.Notifications`). On the lane.
  final class CallNotification: Sendable {
    /// What is shown.
    struct Content: Sendable, Hashable {
      let callID: UUID
      let caller: String
      let hasVideo: Bool
    }

    /// What the user did with it.
    enum Response: Sendable, Hashable {
      case answer
      case decline
      case dismiss
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private let notification: HeldService<Content, UInt32>

    init(
      _ client: ServiceClient, _ configuration: CallProvider.Configuration,
      responded: @escaping @Sendable (UUID, Response) -> Void
    ) {
      let notification = HeldService<Content, UInt32>(
        client,
        HeldService.Dialogue(
          service: .notifications, bus: .session,
          ask: { Self.notify($0, replacing: $1, configuration) },
          token: { $0.first?.id },
          giveBack: { Self.method("CloseNotification", [.uint32($0)]) }))
      self.notification = notification
      client.watch(Self.name, on: .session) { notification.serviceChanged(isThere: $0) }
      let signals = "type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.name)',member="
      client.subscribe(signals + "'ActionInvoked'", on: .session) { signal in
        // What was clicked may be of an earlier call, or another program's.
        guard signal.arguments.count == 2, let held = notification.held, signal.arguments[0].id == held.token
        else { return }
        switch signal.arguments[1].text {
        case "answer": responded(held.wish.callID, .answer)
        case "decline": responded(held.wish.callID, .decline)
        default: break
        }
      }
      client.subscribe(signals + "'NotificationClosed'", on: .session) { signal in
        guard signal.arguments.count == 2, let id = signal.arguments[0].id,
          let content = notification.wasEnded(where: { $0 == id })
        else { return }
        responded(content.callID, .dismiss)
      }
    }

    /// Shows a call, or nothing.
    func show(_ content: Content?) { notification.set(content) }

    private static func notify(
      _ content: Content, replacing id: UInt32?, _ configuration: CallProvider.Configuration
    ) -> BusMethod {
      let texts = configuration.texts
      var hints: [String: BusValue] = [
        "category": .string("call.incoming"),
        "urgency": .byte(2),
        "resident": .boolean(true),
        // The ringtone is ours.
        "suppress-sound": .boolean(true),
      ]
      if let entry = configuration.desktopEntry { hints["desktop-entry"] = .string(entry) }
      return method(
        "Notify",
        [
          .string(configuration.applicationName), .uint32(id ?? 0), .string(configuration.icon ?? ""),
          .string(content.caller), .string(content.hasVideo ? texts.incomingVideoCall : texts.incomingCall),
          .strings(["answer", texts.answer, "decline", texts.decline]), .dictionary(hints),
          // Until it is closed.
          .int32(0),
        ])
    }

    private static func method(_ member: String, _ arguments: [BusValue]) -> BusMethod {
      BusMethod(service: name, path: path, interface: name, member: member, arguments: arguments)
    }
  }
#endif
