internal import AudioDeviceKit
internal import Glibc
package import RealtimeSupport

/// Where a command writes. Whole lines, from any thread but an audio thread.
///
/// Standard output has words for people, or with `--json` one JSON document and nothing else. Standard error has words
/// and, on a terminal, a line of progress; or with `--events` JSON lines and nothing else.
package final class Console: Sendable {
  /// Whether standard output is for programs.
  package let isJSON: Bool
  /// Whether standard error is for programs.
  package let reportsEvents: Bool
  /// When the program started; times of events count from here.
  package let start: AudioInstant
  /// Whether ``showProgress(_:)`` shows anything.
  package let showsProgress: Bool
  /// Whether a line of progress stands on the terminal.
  private let hasProgress = Locked(false)

  /// A console that starts to count the time.
  ///
  /// - Parameters:
  ///   - isJSON: Whether standard output is for programs.
  ///   - reportsEvents: Whether standard error is for programs.
  package init(isJSON: Bool, reportsEvents: Bool) {
    self.isJSON = isJSON
    self.reportsEvents = reportsEvents
    start = .now
    showsProgress = !reportsEvents && isatty(STDERR_FILENO) != 0
  }

  /// A time as it is written: in seconds since the start.
  package func time(_ instant: AudioInstant) -> JSONValue { .seconds(instant - start) }

  // MARK: Standard output

  /// Writes lines to standard output, whoever it is for.
  package func writeOutput(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// Writes lines to standard output when it is for people.
  package func say(_ text: String) {
    if !isJSON { writeOutput(text) }
  }

  // MARK: Standard error

  /// Writes lines to standard error, whoever it is for.
  func writeError(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Writes lines to standard error when it is for people.
  package func note(_ text: String) {
    if !reportsEvents { writeError(text) }
  }

  /// Writes an event to standard error when that is for programs.
  ///
  /// - Parameters:
  ///   - name: The event's name.
  ///   - members: What else there is to say of it.
  ///   - instant: When it happened.
  package func report(event name: String, _ members: [JSONValue.Member] = [], at instant: AudioInstant = .now) {
    guard reportsEvents else { return }
    writeError(line(event: name, members, at: instant))
  }

  /// An event as one line of JSON.
  package func line(event name: String, _ members: [JSONValue.Member] = [], at instant: AudioInstant = .now) -> String {
    JSONValue.object([.init("time", time(instant)), .init("event", .string(name))] + members).text
  }

  func fail(_ program: String, _ error: AudioDeviceError) {
    if reportsEvents {
      report(
        event: "error",
        [.init("code", .string(error.code.description)), .init("message", .string(error.description))])
    } else {
      // One line, whatever a library's words are.
      let words = error.description.split(whereSeparator: \.isNewline).joined(separator: " ")
      writeError("\(program): \(words)")
    }
  }

  /// Shows a line that the next one replaces, on a terminal only.
  package func showProgress(_ text: String) {
    guard showsProgress else { return }
    hasProgress.withLock { hasProgress in
      Self.writeAll("\r\(text)\u{1B}[K", to: STDERR_FILENO)
      hasProgress = true
    }
  }

  /// Takes the line of progress away.
  package func clearProgress() {
    hasProgress.withLock { Self.clear(&$0) }
  }

  private func write(_ text: String, to descriptor: Int32) {
    hasProgress.withLock { hasProgress in
      Self.clear(&hasProgress)
      Self.writeAll(text, to: descriptor)
    }
  }

  private static func clear(_ hasProgress: inout Bool) {
    guard hasProgress else { return }
    writeAll("\r\u{1B}[K", to: STDERR_FILENO)
    hasProgress = false
  }

  /// Not by `print`, whose buffer a second Ctrl-C would lose.
  private static func writeAll(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let base = rest.baseAddress, !rest.isEmpty {
        let written = Glibc.write(descriptor, base, rest.count)
        if written > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        } else if written < 0, errno == EAGAIN {
          // Somebody made the terminal or the pipe non-blocking; a reader that takes nothing for 5 s has gone.
          var descriptor = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          guard poll(&descriptor, 1, 5000) > 0 else { return }
        } else if written == 0 || errno != EINTR {
          return
        }
      }
    }
  }
}
