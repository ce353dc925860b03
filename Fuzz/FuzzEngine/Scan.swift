import Foundation
import Martlet
import MartletFuzzing
import MartletTensor

/// Runs damaged copies of every model file under some folders through the engine.
///
/// `scan COUNT FOLDER…`: COUNT copies of each kind of damage for small files, fewer for large ones. Reports what took
/// longer than five seconds and how much the process has grown.
struct Scan {
  let arguments: [String]

  init(_ arguments: [String]) { self.arguments = arguments }

  func run() throws {
    let count = Int(arguments[0])!
    var paths: [String] = []
    for folder in arguments.dropFirst() {
      let items = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      paths += items.filter { $0.hasSuffix(".pte") || $0.hasSuffix(".bpte") || $0.hasSuffix(".ptd") }.map { folder + "/" + $0 }
    }
    var total = 0
    var outcomes: [EngineProbe.Outcome: Int] = [:]
    var probe = EngineProbe()
    probe.options.memoryLimit = 1 << 30
    probe.options.callLimits.operationCount = 4e9
    probe.options.callLimits.nodeCount = 100_000
    let start = Drive.residentByteCount
    for path in paths.sorted() {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped))
      let copies = max(3, min(count, count * 100_000 / max(bytes.count, 1)))
      let before = Drive.residentByteCount
      for (index, damaged) in DamagedFiles(bytes, count: copies).enumerated() {
        let began = DispatchTime.now().uptimeNanoseconds
        let outcome = try probe.run(damaged, seed: UInt64(index))
        let milliseconds = (DispatchTime.now().uptimeNanoseconds - began) / 1_000_000
        if milliseconds > 5000 { print("slow: \(path) copy \(index) took \(milliseconds) ms, \(outcome)") }
        outcomes[outcome, default: 0] += 1
        total += 1
      }
      let after = Drive.residentByteCount
      if after > before + 200 << 20 { print("grown: \(path) by \((after - before) >> 20) MiB") }
    }
    print("\(total) copies of \(paths.count) files; resident at first \(start >> 20) MiB, at last \(Drive.residentByteCount >> 20) MiB")
    for outcome in EngineProbe.Outcome.allCases { print("\(outcome): \(outcomes[outcome, default: 0])") }
  }
}
