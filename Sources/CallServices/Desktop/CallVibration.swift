#if CallServices
  internal import Foundation

  /// Vibrates for an incoming call where the machine can: by feedbackd (`org.sigxcpu.Feedback`). On the lane.
  final class CallVibration: Sendable {
    private static let name = "org.sigxcpu.Feedback"
    private let feedback: HeldService<UUID, UInt32>

    init(_ client: ServiceClient, _ configuration: CallProvider.Configuration) {
      let applicationID = configuration.desktopEntry ?? configuration.applicationName
      let feedback = HeldService<UUID, UInt32>(
        client,
        HeldService.Dialogue(
          service: .feedback, bus: .session,
          ask: { _, _ in
            // Until it is ended, and without feedbackd's own sound: the ringtone is ours.
            Self.method(
              "TriggerFeedback",
              [
                .string(applicationID), .string("phone-incoming-call"), .dictionary(["profile": .string("quiet")]),
                .int32(0),
              ])
          },
          token: { $0.first?.id },
          giveBack: { Self.method("EndFeedback", [.uint32($0)]) }))
      self.feedback = feedback
      client.watch(Self.name, on: .session) { feedback.serviceChanged(isThere: $0) }
    }

    /// Vibrates for a call, or not at all.
    func vibrate(for call: UUID?) { feedback.set(call) }

    private static func method(_ member: String, _ arguments: [BusValue]) -> BusMethod {
      BusMethod(
        service: name, path: "/org/sigxcpu/Feedback", interface: name, member: member, arguments: arguments)
    }
  }
#endif
