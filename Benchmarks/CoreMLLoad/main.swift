import CoreML
import Foundation
import Martlet
import MartletCompiler
import MartletCoreMLFile
import MartletImport

/// Prints the cost of loading Core ML models, part by part, from the package and from its compiled form, and the savings of a batch.
///
///     CoreMLLoad [--load | --batch] MODEL.mlpackage [MODEL.mlpackage ...]
///
/// With `--load` or `--batch`, only that part.
/// Milliseconds, the minimum of several rounds; variants alternate, so that a drift of the machine's speed affects all of them alike.
/// Inputs must be multi-arrays of fixed shape.
let rounds = 15
/// Minimum duration per variant in milliseconds: small models run more rounds.
let shortest = 150.0
let batchCounts = [1, 2, 3, 64, 256]
/// Accumulates the values that clients read, so that the reads are not optimised away.
nonisolated(unsafe) var sum = 0

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  try body()
  return (ContinuousClock.now - start) / .milliseconds(1)
}

func text(_ number: Double) -> String { String(format: "%8.3f", number) }

/// The minimum time of each of several alternating bodies.
func smallest(_ bodies: [() throws -> Void]) throws -> [Double] {
  var times = [Double](repeating: .infinity, count: bodies.count)
  let start = ContinuousClock.now
  var round = 0
  while round < rounds || (ContinuousClock.now - start) / .milliseconds(1) < shortest * Double(bodies.count) {
    round += 1
    for (index, body) in bodies.enumerated() { times[index] = min(times[index], try milliseconds(body)) }
  }
  return times
}

func input(_ model: MLModel) throws -> MLDictionaryFeatureProvider {
  var values: [String: Any] = [:]
  for (name, description) in model.modelDescription.inputDescriptionsByName {
    guard let constraint = description.multiArrayConstraint else { continue }
    let array = try MLMultiArray(shape: constraint.shape, dataType: constraint.dataType)
    for index in 0..<array.count { array[index] = NSNumber(value: index % 7) }
    values[name] = array
  }
  return try MLDictionaryFeatureProvider(dictionary: values)
}

func parts(_ path: String) throws {
  let file = try CoreMLModel(contentsOfPath: path)
  let name = CoreMLSource(file).defaultMethod
  let graph = try CoreMLSource(file).graph(of: name)
  let url = URL(fileURLWithPath: path)
  let times = try smallest([
    { _ = try CoreMLModel(contentsOfPath: path) },
    { _ = try CoreMLSource(file).graph(of: name) },
    { _ = try PassPipeline.standard.run(on: graph) },
    { try Model(file, url: url).load(method: name) },
  ])
  let planning = times[3] - times[1] - times[2]
  print("  \(url.pathExtension): read\(text(times[0])), import\(text(times[1])), passes\(text(times[2])), plan and pack\(text(planning))")
}

let arguments = CommandLine.arguments.dropFirst()
for path in arguments where !path.hasPrefix("--") {
  let url = URL(fileURLWithPath: path)
  let compiled = try MLModel.compileModel(at: url)
  defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
  print(url.lastPathComponent)
  if !arguments.contains("--batch") {
    try parts(path)
    try parts(compiled.path)
  }
  let model = try MLModel(contentsOf: url)
  let fast = try MLModel(contentsOf: compiled)
  let features = try input(model)
  if !arguments.contains("--batch") {
    let times = try smallest([
      { _ = try MLModel(contentsOf: url) },
      { _ = try MLModel(contentsOf: compiled) },
      { _ = try MLModel(contentsOf: url).prediction(from: features) },
      { _ = try MLModel(contentsOf: compiled).prediction(from: features) },
      { _ = try model.prediction(from: features) },
      { _ = try fast.prediction(from: features) },
    ])
    print("  load: package\(text(times[0])), compiled\(text(times[1])): \(text(times[0] / times[1])) times as fast")
    print("  and predict: package\(text(times[2])), compiled\(text(times[3])): \(text(times[2] / times[3]))")
    print("  prediction: package\(text(times[4])), compiled\(text(times[5])): \(text(times[4] / times[5]))")
  }
  for count in batchCounts where !arguments.contains("--load") {
    let batch = MLArrayBatchProvider(array: try (0..<count).map { _ in try input(model) })
    let name = model.modelDescription.outputDescriptionsByName.keys.sorted()[0]
    func read(_ output: any MLFeatureProvider) {
      guard let array = output.featureValue(for: name)?.multiArrayValue else { return }
      sum += unsafe array.withUnsafeBytes { unsafe $0[0] == 0 ? 0 : 1 }
    }
    let ways = try smallest([
      { for index in 0..<count { _ = try model.prediction(from: batch.features(at: index)) } },
      { _ = try model.predictions(fromBatch: batch) },
      { for index in 0..<count { read(try model.prediction(from: batch.features(at: index))) } },
      {
        let outputs = try model.predictions(fromBatch: batch)
        for index in 0..<count { read(outputs.features(at: index)) }
      },
    ])
    print("  batch of \(count): loop\(text(ways[0])), batch\(text(ways[1])): \(text(ways[0] / ways[1])) times as fast")
    print("    with an output read: loop\(text(ways[2])), batch\(text(ways[3])): \(text(ways[2] / ways[3])) times as fast")
  }
}
