import CoreML
import Foundation
import Martlet
import MartletCompiler
import MartletCoreMLFile
import MartletImport

/// Prints the cost of loading Core ML models, part by part, from the package and from its compiled form, and the savings of a batch.
///
///     CoreMLLoad [--load | --batch] MODEL.mlpackage [MODEL.mlpackage ...]
///     CoreMLLoad --rows COUNT MODEL.mlmodel [MODEL.mlmodel ...]
///
/// With `--load` or `--batch`, only that part. With `--rows`, a batch of rows for a model on arrays or numbers, compared with the engine's call
/// for a table of the same rows.
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
  let graph = try CoreMLSource(file).graph(of: name, limits: ModelOptions().limits)
  let url = URL(fileURLWithPath: path)
  let times = try smallest([
    { _ = try CoreMLModel(contentsOfPath: path) },
    { _ = try CoreMLSource(file).graph(of: name, limits: ModelOptions().limits) },
    { _ = try PassPipeline.standard.run(on: graph) },
    { try Model(file, url: url).load(method: name) },
  ])
  let planning = times[3] - times[1] - times[2]
  print("  \(url.pathExtension): read\(text(times[0])), import\(text(times[1])), passes\(text(times[2])), plan and pack\(text(planning))")
}

/// Compares a batch of `count` rows of random numbers with the engine's call for the table, and a batch whose outputs are read.
func rows(_ count: Int, _ path: String) throws {
  let url = URL(fileURLWithPath: path)
  let compiled = try MLModel.compileModel(at: url)
  defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
  let model = try MLModel(contentsOf: compiled)
  let engine = try Model(CoreMLModel(contentsOfPath: path), url: url)
  var random = SystemRandomNumberGenerator()
  var rows = [[String: Any]](repeating: [:], count: count)
  var table: [String: ModelColumn] = [:]
  for (name, description) in model.modelDescription.inputDescriptionsByName {
    let width = description.multiArrayConstraint.map { $0.shape.reduce(1) { $0 * $1.intValue } }
    let numbers = (0..<count * (width ?? 1)).map { _ in Float.random(in: -2...2, using: &random) }
    for row in rows.indices {
      guard let width else {
        rows[row][name] = Double(numbers[row])
        continue
      }
      let array = try MLMultiArray(shape: [NSNumber(value: width)], dataType: .float32)
      for column in 0..<width { array[column] = NSNumber(value: numbers[row * width + column]) }
      rows[row][name] = array
    }
    table[name] = .tensor(try Tensor(numbers, shape: width.map { [count, $0] } ?? [count]))
  }
  let batch = MLArrayBatchProvider(array: try rows.map { try MLDictionaryFeatureProvider(dictionary: $0) })
  let name = model.modelDescription.predictedFeatureName ?? model.modelDescription.outputDescriptionsByName.keys.sorted()[0]
  let times = try smallest([
    { _ = try engine.run(table: table) },
    { _ = try model.predictions(fromBatch: batch) },
    {
      let outputs = try model.predictions(fromBatch: batch)
      for row in 0..<count { unsafe sum += outputs.features(at: row).featureValue(for: name)?.doubleValue == 0 ? 0 : 1 }
    },
  ])
  print("\(url.lastPathComponent): table of \(count) rows\(text(times[0]))")
  print("  batch\(text(times[1])): \(text(times[1] / times[0])) times as long")
  print("  with the outputs read\(text(times[2])): \(text(times[2] / times[0])) times as long")
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count > 2, arguments[0] == "--rows", let count = Int(arguments[1]) {
  for path in arguments[2...] { try rows(count, path) }
  exit(0)
}
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
      unsafe sum += array.withUnsafeBytes { unsafe $0[0] == 0 ? 0 : 1 }
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
