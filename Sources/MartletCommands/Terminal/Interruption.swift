import MartletSystem
package import MartletTensor
import Synchronization

/// Ends the process on SIGINT, SIGTERM and SIGHUP without leaving partial files behind.
///
/// The first signal cancels the command, which removes what it has written so far and throws `CancellationError`. A second one, or a command
/// that does not end soon, because it waits for a pipe for example, ends the process at once.
package enum Interruption {
  package static let cancellation = Cancellation()
  private static let first = Atomic<Int32>(0)

  /// Time in seconds for a command to clean up.
  private static let patience: UInt32 = 2

  /// Handles the signals from here on. A signal that is ignored, as by nohup(1), stays ignored.
  package static func begin() {
    // Initialised here: a handler may interrupt any code.
    _ = (cancellation, first.load(ordering: .relaxed))
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      unsafe sigaction(number, nil, &action)
      guard !isIgnoring(action) else { continue }
      signal(number) { number in
        Interruption.cancellation.cancel()
        Interruption.first.store(number, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        signal(SIGALRM) { _ in Interruption.end() }
        alarm(Interruption.patience)
      }
    }
  }

  private static func isIgnoring(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
  }

  /// Ends the process by the signal that arrived, so that the shell sees why.
  private static func end() {
    let number = first.load(ordering: .relaxed)
    signal(number, SIG_DFL)
    kill(getpid(), number)
  }

  /// The status by which a shell reports the signal that arrived: that of SIGINT if there is none.
  package static var exitStatus: Int32 {
    let number = first.load(ordering: .relaxed)
    // In range: signals are numbers below 65.
    return 128 + (number == 0 ? SIGINT : number)
  }

  /// Ends the process if a signal has arrived.
  package static func finish() {
    guard first.load(ordering: .relaxed) != 0 else { return }
    Terminal.clearProgress()
    end()
  }
}
