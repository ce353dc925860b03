import ArgumentParser
import FoundationEssentials
import MartletSystem
import MartletBytes
import Martlet
import MartletCommands
import MartletConformance
import MartletLock

struct VerifyCommand: AsyncParsableCommand, CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verifies models against recorded inputs and outputs.",
    discussion: """
      A folder is searched for case.json files; Documentation/RecordedCases.md describes the format. A bundle (.bpte) \
      contains its inputs and outputs. Every element of every output is compared, for bundles with a relative tolerance \
      of 1e-4 and an absolute one of 1e-5. Prints a line for each failed case, and the counts on the last line. \
      The exit status is 0 only if all pass.
      """)

  @Argument(help: ArgumentHelp("Folders that contain cases, at any depth, and .bpte files.", valueName: "folder or file.bpte"))
  var paths: [String]

  @Option(help: "Only cases whose folder contains this text.")
  var filter: String?

  @Option(parsing: .upToNextOption, help: ArgumentHelp("Only cases of these families.", valueName: "families"))
  var family: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Cases by the names of their folders that are known to fail, and must.", valueName: "folders"))
  var except: [String] = []

  @Option(help: "Number of cases to run at once.")
  var jobs = ModelOptions.defaultThreads

  @Option(help: Precision.help, transform: Precision.named)
  var precision = Precision.exact

  @Flag(help: "Print the report as JSON.")
  var json = false

  @OptionGroup var limits: LimitOptions

  @OptionGroup var files: FileOptions

  func validate() throws {
    if paths.isEmpty { throw ValidationError("Name at least one folder or .bpte file.") }
    if jobs < 1 { throw ValidationError("--jobs must be at least 1, not \(jobs).") }
  }

  func run() async throws {
    var options = limits.begin(reading: files)
    options.threads = jobs > 1 ? 1 : nil
    options.precision = precision
    let bundles = paths.filter { $0.lowercased().hasSuffix(".bpte") }
    let folders = paths.filter { !$0.lowercased().hasSuffix(".bpte") }
    var results = try bundles.flatMap { try BundleCheck(path: $0, options: options).results() }
    var cases: Set<String> = []
    for folder in folders { cases.formUnion(try RecordedCase.folders(under: folder)) }
    if let filter { cases = cases.filter { $0.contains(filter) } }
    if !family.isEmpty { cases = cases.filter { belongsToFamilies($0) } }
    if cases.isEmpty, bundles.isEmpty { throw CommandFailure(noCaseMessage) }
    let tally = Tally(total: cases.count)
    let runner = CaseRunner(concurrency: jobs) { [options] recorded in
      tally.add(recorded.name)
      return try ModelCase(recorded, options: options)
    }
    results += excepting(await runner.run(folders: cases).results)
    Terminal.clearProgress()
    let report = CaseReport(results: results)
    print(json ? report.json.text : report.text)
    if report.failedCount > 0 { throw ExitCode.failure }
  }

  /// A case that cannot be read belongs to all families, so that it is reported.
  private func belongsToFamilies(_ folder: String) -> Bool {
    guard let recorded = try? RecordedCase(folder: folder) else { return true }
    return family.contains(recorded.family)
  }

  /// The results with those of excepted cases reversed.
  private func excepting(_ results: [CaseResult]) -> [CaseResult] {
    results.map { result in
      guard except.contains(URL(fileURLWithPath: result.path).lastPathComponent) else { return result }
      var result = result
      result.failures = result.passed ? [CaseFailure(.noError, "the case passes, although it is excepted")] : []
      return result
    }
  }

  private var noCaseMessage: String {
    let conditions = [
      filter.map { "with '\($0)' in its folder" }, family.isEmpty ? nil : "of the families \(family.joined(separator: ", "))",
    ]
    return "no case was found " + conditions.compactMap { $0 }.joined(separator: " and ")
  }

  /// The number of cases started, shown as progress.
  private final class Tally: Sendable {
    private let total: Int
    private let count = Guarded(0)
    private let progress = Progress()

    init(total: Int) { self.total = total }

    func add(_ name: String) {
      let number = count.withLock { count in
        count += 1
        return count
      }
      progress.show("case \(number) of \(total): \(name)")
    }
  }
}
