import Foundation
import MartletFuzzing

/// Runs mutated files one after the other. File and mutation are determined by a number, so that each can be reproduced.
///
/// `drive FIRST COUNT ARTIFACTS CORPUS…` starts a worker process, and another one whenever it dies; the input that killed it is stored in
/// ARTIFACTS. `make NUMBER FILE CORPUS…` writes the file for a number.
struct Drive {
  let arguments: [String]

  init(_ arguments: [String]) { self.arguments = arguments }

  /// Maximum size of an initial file in bytes.
  private static let largestByteCount = 40_000
  /// Number of mutants after which a worker is replaced, so that leaks show in the memory of each worker.
  private static let batch = 100_000
  /// Time limit for one file in seconds.
  private static let patience: UInt32 = 20

  private static func corpus(_ folders: ArraySlice<String>) throws -> [[UInt8]] {
    var paths: [String] = []
    for folder in folders {
      let items = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      paths += items.filter { name in [".pte", ".bpte", ".mlmodel"].contains { name.hasSuffix($0) } }.map { folder + "/" + $0 }
    }
    var files: [[UInt8]] = []
    for path in paths.sorted() {
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      if size > 0, size <= largestByteCount { files.append([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))) }
    }
    guard !files.isEmpty else { throw CocoaError(.fileNoSuchFile) }
    return files
  }

  private static func mutant(_ number: UInt64, of corpus: [[UInt8]]) -> [UInt8] {
    var random = FuzzRandom(seed: number &* 0x5851_F42D_4C95_7F2D)
    let file = corpus[random.below(corpus.count)]
    return mutated(file, seed: random.next())
  }

  func make() throws {
    let corpus = try Self.corpus(arguments[2...])
    try Data(Self.mutant(UInt64(arguments[0])!, of: corpus)).write(to: URL(fileURLWithPath: arguments[1]))
  }

  // MARK: Worker

  /// `FIRST COUNT STATUS CORPUS…`: writes the current number and the counts of outcomes to the file STATUS.
  func work() throws {
    let first = UInt64(arguments[0])!
    let count = UInt64(arguments[1])!
    let corpus = try Self.corpus(arguments[3...])
    let descriptor = unsafe open(arguments[2], O_RDWR | O_CREAT, 0o600)
    let words = 16
    ftruncate(descriptor, words * 8)
    guard let status = unsafe mmap(nil, words * 8, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), unsafe status != MAP_FAILED
    else { throw CocoaError(.fileWriteUnknown) }
    let counts = unsafe status.bindMemory(to: UInt64.self, capacity: words)
    signal(SIGALRM) { _ in abort() }
    for number in first..<first + count {
      unsafe counts[0] = number
      alarm(Self.patience)
      let start = DispatchTime.now().uptimeNanoseconds
      let outcome = probe(Self.mutant(number, of: corpus), seed: number)
      let duration = DispatchTime.now().uptimeNanoseconds - start
      unsafe counts[1] += 1
      unsafe counts[2] = max(counts[2], duration)
      if duration > 3_000_000_000 { FileHandle.standardError.write(Data("slow: \(number) took \(duration / 1_000_000) ms\n".utf8)) }
      unsafe counts[4 + EngineProbe.Outcome.allCases.firstIndex(of: outcome)!] += 1
      if number % 1000 == 0 { unsafe counts[3] = max(counts[3], Self.residentByteCount) }
    }
  }

  /// Resident memory of the process in bytes.
  static var residentByteCount: UInt64 {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (UInt64(text.split(separator: " ")[1]) ?? 0) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
  }

  // MARK: Supervisor

  func supervise() throws {
    let first = UInt64(arguments[0])!
    let end = first + UInt64(arguments[1])!
    let artifacts = arguments[2]
    let corpus = try Self.corpus(arguments[3...])
    let statusPath = artifacts + "/status-\(first)"
    let logPath = artifacts + "/log-\(first)"
    var next = first
    var total = [UInt64](repeating: 0, count: 16)
    var found: [String: Int] = [:]
    while next < end {
      try? FileManager.default.removeItem(atPath: statusPath)
      _ = FileManager.default.createFile(atPath: logPath, contents: nil)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      process.arguments = ["work", "\(next)", "\(min(UInt64(Self.batch), end - next))", statusPath] + arguments[3...]
      let log = FileHandle(forWritingAtPath: logPath)!
      process.standardError = log
      process.standardOutput = log
      try process.run()
      process.waitUntilExit()
      let status = [UInt8](try Data(contentsOf: URL(fileURLWithPath: statusPath)))
      let counts = unsafe status.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt64.self)) }
      for index in [1] + Array(4..<16) { total[index] += counts[index] }
      for index in 2...3 { total[index] = max(total[index], counts[index]) }
      let text = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") where line.hasPrefix("slow") { print(line) }
      if process.terminationStatus != 0 {
        let signature = Self.signature(text)
        found[signature, default: 0] += 1
        if found[signature] == 1 {
          let mutant = Self.mutant(counts[0], of: corpus)
          let name = artifacts + "/\(counts[0])." + (CoreMLMutator.isModel(mutant) ? "mlmodel" : "pte")
          try Data(mutant).write(to: URL(fileURLWithPath: name))
          try? text.write(toFile: artifacts + "/\(counts[0]).log", atomically: true, encoding: .utf8)
          print("\(counts[0]): \(signature)")
        }
        next = counts[0] + 1
      } else {
        next += UInt64(Self.batch)
        print("at \(next): \(total[1]) run, longest \(total[2] / 1_000_000) ms, resident \(counts[3] >> 20) MiB")
      }
      fflush(nil)
    }
    for (index, outcome) in EngineProbe.Outcome.allCases.enumerated() { print("\(outcome): \(total[4 + index])") }
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
