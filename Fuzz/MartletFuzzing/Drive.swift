import Foundation

/// Runs mutated files one after the other. Corpus and number determine file and mutation, so that each can be reproduced.
///
/// `drive FIRST COUNT ARTIFACTS CORPUS…` starts a worker process, and another one whenever it dies; the input that killed it is stored in
/// ARTIFACTS. `make NUMBER FILE CORPUS…` writes the file for a number.
package struct Drive<Source: MutantSource> {
  /// Without options.
  package let arguments: [String]
  /// What stands before the other arguments of a worker.
  private let options: [String]
  private let outcomes: [String]
  private let source: (ArraySlice<String>) throws -> Source
  private let probe: nonisolated(nonsending) (Source.Mutant) async throws -> Int

  /// - Parameters:
  ///   - options: what stood before the arguments and determines the source.
  ///   - outcomes: names of the results of `probe`.
  ///   - source: makes the mutants, from the paths of the corpus.
  ///   - probe: runs the code under test on a file and returns the position of the outcome. An error counts as a failure.
  package init(
    _ arguments: [String], options: [String] = [], outcomes: [String], source: @escaping (ArraySlice<String>) throws -> Source,
    probe: nonisolated(nonsending) @escaping (Source.Mutant) async throws -> Int
  ) {
    self.arguments = arguments
    self.options = options
    self.outcomes = outcomes
    self.source = source
    self.probe = probe
  }

  /// Number of mutants after which a worker is replaced, so that leaks show in the memory of each worker.
  private static var batch: Int { 250_000 }
  /// Processor time for one file in seconds, which does not depend on what else the machine does.
  private static var patience: Int { 20 }
  /// Time for one file in seconds, for files that wait instead of computing.
  private static var wallPatience: UInt32 { 300 }
  /// Resident memory of a worker in bytes.
  private static var largestResidentByteCount: UInt64 { 2 << 30 }

  package func make() throws {
    let source = try source(arguments[2...])
    try Data(source.mutant(UInt64(arguments[0])!).bytes).write(to: URL(fileURLWithPath: arguments[1]))
  }

  /// `NUMBER CORPUS…`: the mutant with a number.
  package func mutant() throws -> Source.Mutant { try source(arguments.dropFirst()).mutant(UInt64(arguments[0])!) }

  // MARK: Worker

  /// `FIRST COUNT STATUS CORPUS…`: writes the current number and the counts of outcomes to the file STATUS. Stays on the caller's thread: `probe`
  /// is often bound to the main actor.
  package nonisolated(nonsending) func work() async throws {
    let first = UInt64(arguments[0])!
    let count = UInt64(arguments[1])!
    let source = try source(arguments[3...])
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
      let start = ProcessUsage.processorNanoseconds
      let outcome = try await probe(source.mutant(number))
      let duration = ProcessUsage.processorNanoseconds - start
      unsafe counts[1] += 1
      unsafe counts[2] = max(counts[2], duration)
      if duration > 3_000_000_000 { FileHandle.standardError.write(Data("slow: \(number) took \(duration / 1_000_000) ms\n".utf8)) }
      unsafe counts[4 + outcome] += 1
      let largest = ProcessUsage.largestResidentByteCount
      unsafe counts[3] = max(counts[3], largest)
      if largest > Self.largestResidentByteCount { fatalError("resident memory of \(largest >> 20) MiB") }
    }
  }

  private static var statusWordCount: Int { 64 }

  // MARK: Supervisor

  package func supervise() throws {
    let first = UInt64(arguments[0])!
    let end = first + UInt64(arguments[1])!
    let artifacts = arguments[2]
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
          let mutant = try source(arguments[3...]).mutant(counts[0])
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

extension Drive where Source == FuzzCorpus {
  /// The whole of a program that runs files of some kinds, changed byte by byte, through `probe`.
  ///
  /// - Parameter name: that of the program, for its help.
  package nonisolated(nonsending) static func main<Outcome: RawRepresentable<String> & CaseIterable & Equatable>(
    _ name: String, kinds: Set<FuzzCorpus.Kind>, probe: @escaping (FuzzCorpus.Mutant) -> Outcome
  ) async throws {
    let outcomes = Array(Outcome.allCases)
    let drive = Drive(
      Array(CommandLine.arguments.dropFirst(2)), outcomes: outcomes.map(\.rawValue),
      source: { folders in
        try FuzzCorpus(folders, kinds: kinds) { bytes, suffix, seed, _ in FileMutator.mutate(bytes, as: suffix, seed: seed) }
      },
      probe: { outcomes.firstIndex(of: probe($0))! })
    switch CommandLine.arguments.dropFirst().first {
    case "drive": try drive.supervise()
    case "work": try await drive.work()
    case "make": try drive.make()
    case "try": print(probe(try drive.mutant()))
    default: print("\(name) drive FIRST COUNT ARTIFACTS FOLDER… | make NUMBER FILE FOLDER… | try NUMBER FOLDER…")
    }
  }
}
