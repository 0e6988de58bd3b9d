#if CallServices
  /// The app's side of its calls: it does what was asked for, with its conference.
  public protocol CallProviderDelegate: AnyObject, Sendable {
    /// Does what was asked for: joins, leaves, tells the other side.
    ///
    /// Actions come one after the other. Only the end of a call does not wait for the action before it. The audio flows
    /// once `start` or `answer` has returned, so wishes may be stated at any time. Not returning within
    /// ``CallProvider/Configuration/actionLimit`` counts as success. An end cannot be refused: the call is over already.
    /// Do not wait in here for another request.
    ///
    /// - Parameters:
    ///   - provider: Who asks.
    ///   - action: What to do.
    ///   - call: The call as it is now.
    /// - Throws: Why it cannot be done. A call that cannot be started or answered ends as failed; a mute is undone.
    func provider(_ provider: CallProvider, perform action: CallAction, of call: Call) async throws

    /// All calls are over, without anybody having ended them. The default does nothing.
    ///
    /// - Parameter provider: Which was reset.
    func providerDidReset(_ provider: CallProvider)
  }

  extension CallProviderDelegate {
    /// Does nothing.
    public func providerDidReset(_ provider: CallProvider) {}
  }
#endif
