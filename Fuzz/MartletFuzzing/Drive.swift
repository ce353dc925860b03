import Foundation

/// Runs mutated files one after the other. Corpus and number determine file and mutation, so that each can be reproduced.
///
/// `drive FIRST COUNT ARTIFACTS CORPUS…` starts a worker process, and another one whenever it dies; the input that killed it is stored in
/// ARTIFACTS. `make NUMBER FILE CORPUS…` writes the file for a number.
package struct Drive {
  /// Without options.
  package let arguments: [String]
  /// What stands before the other arguments of a worker.
  private let options: [String]
  private let corpus: (ArraySlice<String>) throws -> FuzzCorpus
  private let outcomes: [String]
  private let probe: (FuzzCorpus.Mutant) async throws -> Int

  /// - Parameters:
  ///   - outcomes: names of the results of `probe`.
  ///   - probe: runs the code under test on a file and returns the position of the outcome. An error counts as a failure.
  package init(
    _ arguments: [String], kinds: Set<FuzzCorpus.Kind>, outcomes: [String], probe: @escaping (FuzzCorpus.Mutant) async throws -> Int
  ) {
    self.arguments = arguments
    options = []
    corpus = { try FuzzCorpus($0, kinds: kinds) }
    self.outcomes = outcomes
    self.probe = probe
  }

  /// Mutants of models, counted by kind.
  ///
  /// - Parameters:
  ///   - arguments: may begin with `--kinds` and names of kinds with commas between them; otherwise all kinds are made.
  ///   - outcomes: names of the results of `probe`, for each kind.
  package init(_ arguments: [String], outcomes: [String], probe: @escaping (FuzzCorpus.Mutant) async throws -> Int) throws {
    var arguments = arguments
    var options: [String] = []
    var kinds = FuzzCorpus.ModelKind.allCases
    if arguments.first == "--kinds", arguments.count > 1 {
      options = Array(arguments.prefix(2))
      kinds = try arguments[1].split(separator: ",").map { name in
        guard let kind = FuzzCorpus.ModelKind(rawValue: String(name)) else { throw CocoaError(.featureUnsupported) }
        return kind
      }
      arguments.removeFirst(2)
    }
    self.arguments = arguments
    self.options = options
    corpus = { [kinds] in try FuzzCorpus($0, models: kinds) }
    self.outcomes = kinds.flatMap { kind in outcomes.map { "\(kind): \($0)" } }
    self.probe = { [kinds] mutant in
      let kind = mutant.modelKind.flatMap { kinds.firstIndex(of: $0) } ?? 0
      return kind * outcomes.count + (try await probe(mutant))
    }
  }

  /// Number of mutants after which a worker is replaced, so that leaks show in the memory of each worker.
  private static let batch = 100_000
  /// Processor time for one file in seconds, which does not depend on what else the machine does.
  private static let patience = 20
  /// Time for one file in seconds, for files that wait instead of computing.
  private static let wallPatience: UInt32 = 300
  /// Resident memory of a worker in bytes.
  private static let largestResidentByteCount: UInt64 = 2 << 30

  package func make() throws {
    let corpus = try corpus(arguments[2...])
    try Data(corpus.mutant(UInt64(arguments[0])!).bytes).write(to: URL(fileURLWithPath: arguments[1]))
  }

  /// `NUMBER CORPUS…`: the mutant with a number.
  package func mutant() throws -> FuzzCorpus.Mutant { try corpus(arguments.dropFirst()).mutant(UInt64(arguments[0])!) }

  // MARK: Worker

  /// `FIRST COUNT STATUS CORPUS…`: writes the current number and the counts of outcomes to the file STATUS.
  package func work() async throws {
    let first = UInt64(arguments[0])!
    let count = UInt64(arguments[1])!
    let corpus = try corpus(arguments[3...])
    let descriptor = unsafe open(arguments[2], O_RDWR | O_CREAT, 0o600)
    ftruncate(descriptor, Self.statusWordCount * 8)
    guard let status = unsafe mmap(nil, Self.statusWordCount * 8, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      unsafe status != MAP_FAILED
    else { throw CocoaError(.fileWriteUnknown) }
    let counts = unsafe status.bindMemory(to: UInt64.self, capacity: Self.statusWordCount)
    signal(SIGALRM) { _ in abort() }
    signal(SIGPROF) { _ in abort() }
    for number in first..<first + count {
      unsafe counts[0] = number
      alarm(Self.wallPatience)
      var patience = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: Self.patience, tv_usec: 0))
      unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &patience, nil)
      let start = Self.processorNanoseconds
      let outcome = try await probe(corpus.mutant(number))
      let duration = Self.processorNanoseconds - start
      unsafe counts[1] += 1
      unsafe counts[2] = max(counts[2], duration)
      if duration > 3_000_000_000 { FileHandle.standardError.write(Data("slow: \(number) took \(duration / 1_000_000) ms\n".utf8)) }
      unsafe counts[4 + outcome] += 1
      let largest = Self.largestResidentByteCountSoFar
      unsafe counts[3] = max(counts[3], largest)
      if largest > Self.largestResidentByteCount { fatalError("resident memory of \(largest >> 20) MiB") }
    }
  }

  private static let statusWordCount = 64

  /// Processor time of the process in nanoseconds.
  private static var processorNanoseconds: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static var largestResidentByteCountSoFar: UInt64 {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(0), &usage)
    return UInt64(usage.ru_maxrss) << 10
  }

  /// Resident memory of the process in bytes.
  package static var residentByteCount: UInt64 {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (UInt64(text.split(separator: " ")[1]) ?? 0) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
  }

  // MARK: Supervisor

  package func supervise() throws {
    let first = UInt64(arguments[0])!
    let end = first + UInt64(arguments[1])!
    let artifacts = arguments[2]
    let corpus = try corpus(arguments[3...])
    let statusPath = artifacts + "/status-\(first)"
    let logPath = artifacts + "/log-\(first)"
    var next = first
    var total = [UInt64](repeating: 0, count: Self.statusWordCount)
    var found: [String: Int] = [:]
    while next < end {
      try? FileManager.default.removeItem(atPath: statusPath)
      _ = FileManager.default.createFile(atPath: logPath, contents: nil)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      process.arguments = ["work"] + options + ["\(next)", "\(min(UInt64(Self.batch), end - next))", statusPath] + arguments[3...]
      let log = FileHandle(forWritingAtPath: logPath)!
      process.standardError = log
      process.standardOutput = log
      try process.run()
      process.waitUntilExit()
      let status = [UInt8](try Data(contentsOf: URL(fileURLWithPath: statusPath)))
      let counts = unsafe status.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt64.self)) }
      for index in [1] + Array(4..<Self.statusWordCount) { total[index] += counts[index] }
      for index in 2...3 { total[index] = max(total[index], counts[index]) }
      let text = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") where line.hasPrefix("slow") { print(line) }
      if process.terminationStatus != 0 {
        let signature = Self.signature(text)
        found[signature, default: 0] += 1
        if found[signature] == 1 {
          let mutant = corpus.mutant(counts[0])
          let name = artifacts + "/\(counts[0]).\(mutant.entry.file.pathExtension)"
          try Data(mutant.bytes).write(to: URL(fileURLWithPath: name))
          try? text.write(toFile: artifacts + "/\(counts[0]).log", atomically: true, encoding: .utf8)
          print("\(counts[0]): \(signature) | from \(mutant.entry.file.path)")
        }
        next = counts[0] + 1
      } else {
        next += UInt64(Self.batch)
        print("at \(next): \(total[1]) run, longest \(total[2] / 1_000_000) ms, resident \(counts[3] >> 20) MiB")
      }
      fflush(nil)
    }
    for (index, outcome) in outcomes.enumerated() { print("\(outcome): \(total[4 + index])") }
    for (signature, count) in found.sorted(by: { $0.value > $1.value }) { print("\(count) times: \(signature)") }
  }

  /// Where a worker died: the first lines of its report that refer to our sources.
  private static func signature(_ log: String) -> String {
    let lines = log.split(separator: "\n")
    let kind = lines.first { $0.contains("ERROR:") || $0.contains("Fatal error") } ?? "no report"
    let places = lines.filter { $0.contains("/Sources/") }.prefix(2).map { line in
      String(line[(line.range(of: "/Sources/")!.upperBound)...])
    }
    let short = kind.split(separator: " ").dropFirst().prefix(3).joined(separator: " ")
    return "\(short) | \(places.joined(separator: " < "))"
  }
}

extension String {
  fileprivate func write(toFile path: String, atomically: Bool, encoding: String.Encoding) throws {
    try write(to: URL(fileURLWithPath: path), atomically: atomically, encoding: encoding)
  }
}
