#if ALSA
  internal import CALSA
  internal import CAudioSupport
  internal import RealtimeSupport

  /// Keeps alsa-lib quiet and remembers what it wanted to say.
  ///
  /// alsa-lib writes the only useful words about a failed open ("Unknown PCM …", "Connection refused") to stderr. One
  /// handler for the process takes them instead; a thread that collects gets those that its own calls caused.
  enum ALSALog {
    /// The last message of each thread that collects now, by the kernel's thread id.
    private static let messages = Locked<[Int32: String]>([:])

    /// Installs the handler at first use; what alsa-lib says on threads that do not collect is dropped.
    static let isInstalled: Bool = {
      cas_alsa_log_set(
        { _, message in
          let thread = cas_thread_id()
          ALSALog.messages.withLock { messages in
            if messages[thread] != nil { messages[thread] = String(cString: message) }
          }
        }, nil)
      // The setter of alsa-lib 1.2 always succeeds; the handler's type is variadic, which Swift sees as a bare pointer.
      return snd_lib_error_set_handler(OpaquePointer(cas_alsa_log_handler_address())) == 0
    }()

    /// What the calling thread's calls into alsa-lib said last since ``collect(_:)`` began; nil when nothing.
    static var lastMessage: String? {
      // Plug-ins end theirs with a newline, against the rules.
      let message = messages.withLock { $0[cas_thread_id()] }?.split(separator: "\n").joined(separator: " ")
      return message?.isEmpty == false ? message : nil
    }

    /// Collects what alsa-lib says on this thread while the body runs.
    ///
    /// - Parameter body: Calls into alsa-lib, and asks for ``lastMessage``.
    /// - Returns: What the body returned.
    static func collect<Value>(_ body: () -> Value) -> Value {
      _ = isInstalled
      let thread = cas_thread_id()
      messages.withLock { $0[thread] = "" }
      defer { messages.withLock { _ = $0.removeValue(forKey: thread) } }
      return body()
    }
  }
#endif
