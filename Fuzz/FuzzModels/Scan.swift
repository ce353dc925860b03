import Foundation
import Martlet
import MartletFuzzing
import MartletModelFuzzing
import MartletTensor

/// Runs damaged copies of all models below some folders through the engine: inspected, planned and run from disk, as users do.
///
/// `scan COUNT FOLDER…`: COUNT copies for each kind of damage for small files, fewer for large ones. If a model is a folder, each of its
/// files is damaged in turn, including those added by compilation. Reports files that take longer than five seconds, and the growth of
/// the process. The current copy is in `martlet-scan-PID` in the folder for temporary files, and remains there after a crash.
struct Scan {
  let arguments: [String]
  private let place = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-scan-\(getpid())")
  private var probe = EngineProbe()
  private var total = 0
  private var outcomes: [EngineProbe.Outcome: Int] = [:]

  init(_ arguments: [String]) {
    self.arguments = arguments
    probe.options.memoryLimit = 1 << 30
    probe.options.callLimits.operationCount = 4e9
    probe.options.callLimits.nodeCount = 100_000
  }

  /// Files and folders that are models. Everything inside a model belongs to it.
  private static func models(_ folders: ArraySlice<String>) -> [URL] {
    var models: [URL] = []
    for folder in folders {
      guard let items = FileManager.default.enumerator(at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil) else { continue }
      for case let url as URL in items {
        switch url.pathExtension {
        case "pte", "bpte", "ptd", "mlmodel": models.append(url)
        case "mlpackage", "mlmodelc":
          models.append(url)
          items.skipDescendants()
        default: break
        }
      }
    }
    return models.sorted { $0.path < $1.path }
  }

  /// The paths of a folder's files relative to the folder; an empty path for a file.
  private static func parts(of model: URL) -> [String] {
    guard let names = FileManager.default.enumerator(atPath: model.path)?.compactMap({ $0 as? String }), !names.isEmpty else { return [""] }
    return names.filter { name in
      var isFolder: ObjCBool = false
      return unsafe FileManager.default.fileExists(atPath: model.path + "/" + name, isDirectory: &isFolder) && !isFolder.boolValue
    }.sorted()
  }

  mutating func run() throws {
    let count = Int(arguments[0])!
    let models = Self.models(arguments.dropFirst())
    let start = ProcessUsage.residentByteCount
    var compiledCount = 0
    for model in models {
      let before = ProcessUsage.residentByteCount
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      // Data files are beside the program that needs them.
      let siblings = try FileManager.default.contentsOfDirectory(at: model.deletingLastPathComponent(), includingPropertiesForKeys: nil)
      let program = siblings.first { $0.pathExtension == "pte" }
      let isData = model.pathExtension == "ptd"
      probe.options.dataFiles =
        isData ? [place.appendingPathComponent(model.lastPathComponent)] : siblings.filter { $0.pathExtension == "ptd" }
      let copy = place.appendingPathComponent(model.lastPathComponent)
      try FileManager.default.copyItem(at: model, to: copy)
      for part in Self.parts(of: model) { try damage(part, of: copy, count: count, opening: isData ? program ?? copy : copy) }
      if model.pathExtension == "mlpackage" {
        let compiled = place.appendingPathComponent("model.mlmodelc")
        if (try? Model.compile(model, to: compiled)) != nil {
          let added = Self.parts(of: compiled).filter { $0.hasPrefix("martlet/") }
          if !added.isEmpty { compiledCount += 1 }
          for part in added { try damage(part, of: compiled, count: count, opening: compiled) }
        }
      }
      try FileManager.default.removeItem(at: place)
      let after = ProcessUsage.residentByteCount
      if after > before + 200 << 20 { print("grown: \(model.path) by \((after - before) >> 20) MiB") }
    }
    print("\(total) copies of \(models.count) models, \(compiledCount) of them compiled too;", terminator: " ")
    print("resident at first \(start >> 20) MiB, at last \(ProcessUsage.residentByteCount >> 20) MiB")
    for outcome in EngineProbe.Outcome.allCases { print("\(outcome): \(outcomes[outcome, default: 0])") }
  }

  /// Damages the file `part` of the copy repeatedly, and restores it.
  private mutating func damage(_ part: String, of copy: URL, count: Int, opening model: URL) throws {
    let file = part.isEmpty ? copy : copy.appendingPathComponent(part)
    let original = try Data(contentsOf: file)
    let copies = max(3, min(count, count * 100_000 / max(original.count, 1)))
    for (index, damaged) in DamagedFiles([UInt8](original), count: copies, mutation: ModelFileMutator.mutation).enumerated() {
      try Data(damaged).write(to: file, options: .atomic)
      let began = DispatchTime.now().uptimeNanoseconds
      let outcome = try probe.run(contentsOf: model, seed: UInt64(index))
      let milliseconds = (DispatchTime.now().uptimeNanoseconds - began) / 1_000_000
      if milliseconds > 5000 { print("slow: \(file.path) copy \(index) took \(milliseconds) ms, \(outcome)") }
      outcomes[outcome, default: 0] += 1
      total += 1
    }
    try original.write(to: file, options: .atomic)
  }
}
