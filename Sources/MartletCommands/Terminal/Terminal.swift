import MartletBytes
import MartletSystem
import MartletLock
import MartletTensor

/// Standard output and standard error, interactive or not.
package enum Terminal {
  /// Whether standard output is a terminal.
  static let isInteractive = isatty(STDOUT_FILENO) == 1

  /// Width of the terminal in columns; 100 if there is none.
  static let columnCount: Int = {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
    return Int(widening: size.ws_col)
  }()

  /// Writes `martlet: message` to standard error.
  package static func report(_ message: String) {
    OutputDescriptor.write("martlet: \(message)\n", to: STDERR_FILENO)
  }

  private static let progressIsShown = Guarded(false)

  /// Replaces the progress line, if standard output is a terminal.
  static func showProgress(_ text: @autoclosure () -> String) {
    guard isInteractive else { return }
    let line = String(text().prefix(max(10, columnCount - 1)))
    OutputDescriptor.write("\r\u{1B}[2K\(line)", to: STDOUT_FILENO)
    progressIsShown.withLock { $0 = true }
  }

  /// Removes the progress line, if there is one.
  package static func clearProgress() {
    progressIsShown.withLock { isShown in
      if isShown { OutputDescriptor.write("\r\u{1B}[2K", to: STDOUT_FILENO) }
      isShown = false
    }
  }
}

/// A progress line that is updated only a few times per second.
package final class Progress: Sendable {
  private let next = Guarded(ContinuousClock.now)

  package init() {}

  package func show(_ text: @autoclosure () -> String) {
    guard Terminal.isInteractive else { return }
    let isDue = next.withLock { next in
      let now = ContinuousClock.now
      guard now >= next else { return false }
      next = now + .milliseconds(100)
      return true
    }
    if isDue { Terminal.showProgress(text()) }
  }
}
