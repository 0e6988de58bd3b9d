#if CallServices
  /// Something that a service holds for us as long as we wish: a notification, a vibration, a lock. On the lane.
  ///
  /// Asked for once per wish, given back when it is no longer wished, also where the service's answer comes only then or
  /// after its limit; asked for again when the service went and came back.
  final class HeldService<Wish: Hashable & Sendable, Token: Sendable>: @unchecked Sendable {
    // Unchecked: what varies is touched on the lane alone.

    /// How it is asked for and given back.
    struct Dialogue: Sendable {
      let service: CallService
      let bus: Bus
      /// The call that asks for it, in place of what is held for an earlier wish.
      let ask: @Sendable (Wish, _ replacing: Token?) -> BusMethod
      /// What the answer gives.
      let token: @Sendable ([BusValue]) -> Token?
      /// The call that gives it back; nil where letting go of the token does.
      let giveBack: @Sendable (Token) -> BusMethod?
    }

    private let client: ServiceClient
    private let dialogue: Dialogue
    /// What is wished; nil for nothing.
    private var wish: Wish?
    /// What the service holds.
    private(set) var held: (wish: Wish, token: Token)?
    /// What was asked for and is not answered.
    private var asked: Wish?
    /// What was asked for in vain, and is not asked for again.
    private var refused: Wish?
    /// Grows when the service goes: what it said before is void.
    private var generation = 0

    init(_ client: ServiceClient, _ dialogue: Dialogue) {
      self.client = client
      self.dialogue = dialogue
    }

    /// Wishes something in place of what was wished before; nil for nothing.
    func set(_ wish: Wish?) {
      self.wish = wish
      if refused != wish { refused = nil }
      settle()
    }

    /// The service went, and holds nothing of ours any more; or it came, perhaps because it was asked.
    func serviceChanged(isThere: Bool) {
      refused = nil
      if isThere { return settle() }
      generation += 1
      held = nil
      asked = nil
    }

    /// The service let go of it by itself. It is not asked for again.
    ///
    /// - Returns: What had been wished; nil when nothing is held by that token.
    func wasEnded(where isMeant: (Token) -> Bool) -> Wish? {
      guard let held, isMeant(held.token) else { return nil }
      self.held = nil
      if wish == held.wish { wish = nil }
      return held.wish
    }

    private func settle() {
      guard asked == nil else { return }
      guard let wish else {
        if let held { giveBack(held.token) }
        held = nil
        return
      }
      guard held?.wish != wish, refused != wish else { return }
      ask(for: wish)
    }

    private func ask(for wish: Wish) {
      asked = wish
      let generation = generation
      // Owned by the call, so that what comes late is given back even then.
      client.call(
        dialogue.ask(wish, held?.token), for: dialogue.service, on: dialogue.bus,
        answer: { values in
          guard self.generation == generation else { return }
          self.asked = nil
          if let token = values.flatMap(self.dialogue.token) {
            self.held = (wish, token)
          } else {
            self.refused = wish
          }
          self.settle()
        },
        late: { values in
          guard self.generation == generation, let token = self.dialogue.token(values) else { return }
          if self.wish == wish, self.asked == nil {
            self.held = (wish, token)
          } else {
            self.giveBack(token)
          }
        })
    }

    private func giveBack(_ token: Token) {
      guard let method = dialogue.giveBack(token) else { return }
      client.call(method, for: dialogue.service, on: dialogue.bus)
    }
  }
#endif
