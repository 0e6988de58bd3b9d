#if CallServices
  internal import AudioDeviceKit
  internal import Foundation

  extension CallEngine {
    func reportIncoming(_ id: UUID, _ caller: String, _ hasVideo: Bool) -> CallError? {
      lane.sync {
        if let failure = begin(Call(id: id, direction: .incoming, caller: caller, hasVideo: hasVideo)) {
          return failure
        }
        callDidChange()
        let number = callNumber
        lane.async(after: configuration.answerLimit) { [weak self] in
          guard let self, self.callNumber == number, self.call?.state == .ringing else { return }
          if let ended = self.end(.unanswered) { self.performAside(.end(id), of: ended) { _ in } }
        }
        return nil
      }
    }

    func reportUpdate(_ id: UUID, _ caller: String?, _ hasVideo: Bool?) -> CallError? {
      lane.sync {
        change(id) { call throws(CallError) in
          call.caller = caller ?? call.caller
          call.hasVideo = hasVideo ?? call.hasVideo
        }
      }
    }

    func reportConnected(_ id: UUID) -> CallError? {
      lane.sync {
        change(id) { call throws(CallError) in
          guard call.direction == .outgoing else {
            throw CallError(.wrongMoment, "An incoming call is connected by answering it.")
          }
          try call.machine.take(.connect)
        }
      }
    }

    func reportEnd(_ id: UUID, _ reason: CallEndReason) -> CallError? {
      lane.sync {
        if let failure = self.failure(of: id) { return failure }
        end(reason)
        return nil
      }
    }

    func didRespond(to id: UUID, with response: CallNotification.Response) {
      switch response {
      case .answer: accept(.answer(id)) { _ in }
      case .decline: accept(.end(id)) { _ in }
      case .dismiss: broadcaster.post(.notificationDismissed(id))
      }
    }

    /// Takes a call on.
    ///
    /// - Returns: Why not.
    func begin(_ call: Call) -> CallError? {
      guard !isInvalid else { return Self.invalidated }
      guard self.call == nil else {
        return CallError(.callInProgress, "There is a call already, and there can be one at a time.")
      }
      self.call = call
      callNumber += 1
      return nil
    }

    /// Whether a call of that id is there; the failure when not.
    func failure(of id: UUID) -> CallError? {
      guard !isInvalid else { return Self.invalidated }
      guard call?.id == id else { return CallError(.unknownCall, "There is no call \(id).") }
      return nil
    }

    private func change(_ id: UUID, _ body: (inout Call) throws(CallError) -> Void) -> CallError? {
      if let failure = failure(of: id) { return failure }
      guard var changed = call else { return nil }
      do throws(CallError) { try body(&changed) } catch { return error }
      guard changed != call else { return nil }
      call = changed
      callDidChange()
      return nil
    }

    private static var invalidated: CallError { CallError(.invalidated, "The provider was invalidated.") }
  }
#endif
