#if CallServices
  internal import CSystemd
  internal import Glibc
  internal import RealtimeSupport

  /// A connection to one bus that is made again whenever it ends. Its thread's alone.
  ///
  /// The library's own limits are not used: they do not count while the bus is still to say who it is, and a bus that
  /// hangs there would hang every call.
  final class BusConnection {
    /// A call that waits for its answer.
    fileprivate final class Pending {
      unowned let connection: BusConnection
      let number: UInt64
      let deadline: AudioInstant
      let reply: BusThread.Reply
      var slot: OpaquePointer?
      /// The caller was told that the time is over; what comes still is passed on as late.
      var isLate = false

      init(_ connection: BusConnection, number: UInt64, deadline: AudioInstant, reply: BusThread.Reply) {
        self.connection = connection
        self.number = number
        self.deadline = deadline
        self.reply = reply
      }
    }

    /// What is heard on every connection.
    fileprivate final class Subscription {
      let rule: String
      let handler: @Sendable (BusSignal) -> Void
      unowned let connection: BusConnection
      var slot: OpaquePointer?

      init(_ rule: String, _ handler: @escaping @Sendable (BusSignal) -> Void, on connection: BusConnection) {
        self.rule = rule
        self.handler = handler
        self.connection = connection
      }
    }

    private let bus: Bus
    private let address: BusAddress
    private let deliver: (@escaping @Sendable () -> Void) -> Void
    private let connectionChanged: @Sendable (Bool) -> Void
    private var handle: OpaquePointer?
    private var isReady = false
    private var pending: [UInt64: Pending] = [:]
    private var subscriptions: [Subscription] = []
    private var lastNumber: UInt64 = 0
    private var nextAttempt: AudioInstant?
    private var pause = BusConnection.firstPause

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)

    /// A connection; nothing is done before ``work(at:)``.
    ///
    /// - Parameters:
    ///   - bus: Which bus.
    ///   - address: Where it is.
    ///   - deliver: Takes what the caller is to hear, in order.
    ///   - connectionChanged: Told through `deliver` when the bus has let us in, and when the connection ended.
    init(
      _ bus: Bus, at address: BusAddress, deliver: @escaping (@escaping @Sendable () -> Void) -> Void,
      connectionChanged: @escaping @Sendable (Bool) -> Void
    ) {
      self.bus = bus
      self.address = address
      self.deliver = deliver
      self.connectionChanged = connectionChanged
      nextAttempt = address == .none ? nil : .now
    }

    // MARK: Using it

    /// Calls a method; its answer is delivered, and nothing is when a later answer is of no use.
    func call(_ method: BusMethod, reply: BusThread.Reply) {
      guard let handle else { return fail(reply, .noConnection) }
      lastNumber += 1
      let call = Pending(self, number: lastNumber, deadline: .now + method.limit, reply: reply)
      do throws(BusError) {
        try send(method, on: handle, for: call)
        pending[call.number] = call
      } catch {
        fail(reply, error)
      }
    }

    private func send(_ method: BusMethod, on handle: OpaquePointer, for call: Pending) throws(BusError) {
      var message: OpaquePointer?
      var result = sd_bus_message_new_method_call(
        handle, &message, method.service, method.path, method.interface, method.member)
      guard result >= 0, let message else { throw .unsendable(result) }
      defer { sd_bus_message_unref(message) }
      try BusMessage.append(method.arguments, to: message)
      // The table keeps the call while the slot exists.
      result = sd_bus_call_async(
        handle, &call.slot, message,
        { message, context, _ in
          guard let message, let context else { return 0 }
          let call = Unmanaged<Pending>.fromOpaque(context).takeUnretainedValue()
          call.connection.answer(call, with: message)
          return 0
        }, Unmanaged.passUnretained(call).toOpaque(), .max)
      guard result >= 0 else { throw .unsendable(result) }
    }

    /// Hears signals from now on, on this connection and all later ones.
    func subscribe(_ rule: String, _ handler: @escaping @Sendable (BusSignal) -> Void) {
      let subscription = Subscription(rule, handler, on: self)
      subscriptions.append(subscription)
      if let handle { add(subscription, to: handle) }
    }

    private func add(_ subscription: Subscription, to handle: OpaquePointer) {
      // With a function for the bus's answer the library does not end the connection when the rule is refused.
      _ = sd_bus_add_match_async(
        handle, &subscription.slot, subscription.rule,
        { message, context, _ in
          guard let message, let context else { return 0 }
          let subscription = Unmanaged<Subscription>.fromOpaque(context).takeUnretainedValue()
          subscription.connection.hear(message, for: subscription)
          return 0
        }, { _, _, _ in 0 }, Unmanaged.passUnretained(subscription).toOpaque())
    }

    // MARK: The loop's side

    /// Whether calls wait for an answer that somebody still expects, or messages to be written.
    var isBusy: Bool {
      guard let handle else { return false }
      var queued: UInt64 = 0
      _ = sd_bus_get_n_queued_write(handle, &queued)
      return queued > 0 || pending.values.contains { !$0.isLate }
    }

    /// What `poll` is to wait for; nil without a connection.
    var pollRequest: pollfd? {
      guard let handle else { return nil }
      let descriptor = sd_bus_get_fd(handle)
      let events = sd_bus_get_events(handle)
      guard descriptor >= 0, events >= 0 else { return nil }
      return pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    }

    /// When there is something to do without anything coming.
    var nextDeadline: AudioInstant? {
      var deadlines = pending.values.filter { !$0.isLate }.map(\.deadline)
      if let nextAttempt { deadlines.append(nextAttempt) }
      var timeout: UInt64 = .max
      if let handle, sd_bus_get_timeout(handle, &timeout) >= 0, timeout < UInt64(Int64.max) / 1000 {
        deadlines.append(AudioInstant(nanoseconds: Int64(timeout) * 1000))
      }
      return deadlines.min()
    }

    /// Does what is to be done now: connects, reads, writes, gives up what took too long.
    func work(at now: AudioInstant) {
      if handle == nil, let nextAttempt, now >= nextAttempt { connect(at: now) }
      if let handle {
        var result: Int32
        repeat { result = sd_bus_process(handle, nil) } while result > 0
        if result < 0 || sd_bus_is_open(handle) <= 0 {
          disconnect(at: now)
        } else if !isReady, sd_bus_is_ready(handle) > 0 {
          isReady = true
          pause = Self.firstPause
          tell(true)
        }
      }
      for call in pending.values where !call.isLate && call.deadline <= now {
        call.isLate = true
        if call.reply.late == nil { forget(call) }
        fail(call.reply, .timedOut)
      }
    }

    /// Ends the connection for good.
    func close() {
      nextAttempt = nil
      if handle != nil { disconnect(at: nil) }
    }

    private func connect(at now: AudioInstant) {
      nextAttempt = nil
      var created: OpaquePointer?
      guard let address = address.resolved(for: bus), sd_bus_new(&created) >= 0, let created else {
        return tryLater(now)
      }
      guard sd_bus_set_address(created, address) >= 0, sd_bus_set_bus_client(created, 1) >= 0,
        sd_bus_start(created) >= 0
      else {
        sd_bus_close_unref(created)
        return tryLater(now)
      }
      handle = created
      for subscription in subscriptions { add(subscription, to: created) }
    }

    private func disconnect(at now: AudioInstant?) {
      guard let handle else { return }
      let waiting = pending.values
      for call in waiting { forget(call) }
      for subscription in subscriptions {
        sd_bus_slot_unref(subscription.slot)
        subscription.slot = nil
      }
      sd_bus_close_unref(handle)
      self.handle = nil
      for call in waiting where !call.isLate { fail(call.reply, .noConnection) }
      if isReady { tell(false) }
      isReady = false
      if let now { tryLater(now) }
    }

    private func tryLater(_ now: AudioInstant) {
      nextAttempt = now + pause
      pause = min(pause * 2, Self.longestPause)
    }

    // MARK: What comes

    private func answer(_ call: Pending, with message: OpaquePointer) {
      forget(call)
      if let error = sd_bus_message_get_error(message)?.pointee {
        let name = error.name.map { String(cString: $0) } ?? ""
        let text = error.message.map { String(cString: $0) } ?? ""
        if !call.isLate { fail(call.reply, .refused(name: name, message: text)) }
        return
      }
      do throws(BusError) {
        let values = try BusMessage.read(from: message)
        let reply = call.reply
        let isLate = call.isLate
        deliver { isLate ? reply.late?(values) : reply.answer(.success(values)) }
      } catch {
        if !call.isLate { fail(call.reply, error) }
      }
    }

    private func hear(_ message: OpaquePointer, for subscription: Subscription) {
      guard let arguments = try? BusMessage.read(from: message) else { return }
      // Others may hear the same message, and read it from its beginning.
      sd_bus_message_rewind(message, 1)
      func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
      let signal = BusSignal(
        path: text(sd_bus_message_get_path(message)), interface: text(sd_bus_message_get_interface(message)),
        member: text(sd_bus_message_get_member(message)), arguments: arguments)
      let handler = subscription.handler
      deliver { handler(signal) }
    }

    private func forget(_ call: Pending) {
      sd_bus_slot_unref(call.slot)
      call.slot = nil
      pending[call.number] = nil
    }

    private func fail(_ reply: BusThread.Reply, _ error: BusError) {
      deliver { reply.answer(.failure(error)) }
    }

    private func tell(_ isConnected: Bool) {
      deliver { [connectionChanged] in connectionChanged(isConnected) }
    }
  }
#endif
