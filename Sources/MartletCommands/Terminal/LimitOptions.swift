package import ArgumentParser
import MartletSystem
package import Martlet
import MartletLock

/// Limits on the memory, work and processor time of a command that reads files.
package struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Memory that the model and its inputs may take, such as 800M or 4G; default: what is available, less a sixteenth.",
      valueName: "bytes"),
    transform: Self.byteCount)
  var memoryLimit: Int?

  @Option(
    help: ArgumentHelp(
      """
      Work of loading the model and of each run, in units of a kernel or 10,000 operations; default: 8,388,608 for loading, 16,777,216 for \
      the data-dependent loops of a run, otherwise none.
      """,
      valueName: "units"))
  var workLimit: Int?

  @Option(help: ArgumentHelp("Processor time, in seconds, after which the command gives up.", valueName: "seconds"))
  var timeLimit: Double?

  package init() {}

  package func validate() throws {
    if let workLimit, workLimit <= 0 { throw ValidationError("--work-limit must be more than 0 units.") }
    if let timeLimit, !(timeLimit > 0 && timeLimit <= 1e9) { throw ValidationError("--time-limit must be more than 0 seconds.") }
  }

  private static let command = Guarded<Int?>(nil)

  /// The command's memory limit in bytes: for inputs that it makes or reads.
  static var byteLimit: Int {
    var options = ModelOptions()
    options.memoryLimit = command.withLock { $0 }
    return options.effectiveMemoryLimit
  }

  /// Lets the limits hold for the command from here on.
  /// - Returns: options with the limits of memory and work and the way in which files are read.
  package func begin(reading files: FileOptions) -> ModelOptions {
    Self.command.withLock { $0 = memoryLimit }
    if let timeLimit { Self.end(after: timeLimit) }
    var options = ModelOptions()
    options.memoryLimit = memoryLimit
    options.fileAccess = files.access
    options.workLimit = workLimit
    return options
  }

  /// Ends the process with status 1 when it has used its processor time.
  private static func end(after timeLimit: Double) {
    DetachedThread.start(name: "martlet limit") {
      while processorSeconds < timeLimit { usleep(20_000) }
      Terminal.clearProgress()
      Terminal.report("the time limit of \(timeLimit) seconds is exceeded")
      _exit(1)
    }
  }

  /// Processor time of all threads so far, user and system.
  private static var processorSeconds: Double {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Bytes from a number with an optional suffix K, M, G or T (powers of 1024).
  @Sendable
  static func byteCount(_ text: String) throws -> Int {
    let scales: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let scale = text.last.flatMap { scales[Character($0.uppercased())] }
    guard let number = Double(scale == nil ? text[...] : text.dropLast()), number > 0,
      let count = Int(exactly: (number * Double(scale ?? 1)).rounded())
    else { throw ValidationError("'\(text)' is not a number of bytes; use one such as 800M or 4G.") }
    return count
  }
}
