package import Foundation
package import Martlet
import MartletBytes
import MartletCompiler
import MartletCoreMLFile
import MartletExecuTorchFile
import MartletFuzzing
import MartletGraph
import MartletRuntime
import MartletTensor

/// Runs one file through the engine, from its bytes to the outputs of a run.
package struct EngineProbe {
  /// The stage that a file reached.
  package enum Outcome: String, Sendable, CaseIterable {
    case refusedByReader, refusedByCompiler, planned, refusedByRun, ran
  }

  /// Limits for a call: low, so that a rejection takes no time.
  package var options: ModelOptions
  /// Whether custom layers and custom models are implemented, by code that breaks their contracts.
  package var hasCustomCode = false
  /// Maximum number of elements in all inputs together for which a method is run and not only planned.
  package var largestInputCount = 1 << 16

  package init() {
    options = ModelOptions()
    options.threads = 1
    options.callLimits = ResourceLimits(memoryByteCount: 64 << 20, operationCount: 2e8, nodeCount: 5_000)
  }

  private func options(_ seed: UInt64) -> ModelOptions {
    guard hasCustomCode else { return options }
    var options = options
    options.customLayers = HostileCode.layers(seed)
    options.customModelProvider = { _ in HostileCode.model(seed) }
    return options
  }

  /// An error that is not one of the engine's error types.
  package struct UntypedError: Error, CustomStringConvertible {
    package let description: String
  }

  /// Opens, loads and runs every method of the file.
  ///
  /// - Parameters:
  ///   - bytes: a program, a bundle, a data file, or a Core ML model without accompanying files.
  ///   - seed: for the inputs.
  ///   - companion: bytes of a program for a data file.
  ///   - place: the path that a Core ML model seems to lie at, for what it links to.
  /// - Returns: the furthest stage that a method reached.
  /// - Throws: `UntypedError` if an error is not of an engine type or has no text.
  package func run(
    _ bytes: [UInt8], seed: UInt64 = 0, companion: [UInt8]? = nil, place: String = "input"
  ) throws(UntypedError) -> Outcome {
    let file = MappedFile(copying: bytes, name: place).bytes
    let url = Self.url
    return try run(seed, words: Self.words(in: bytes)) {
      if CoreMLMutator.isModel(bytes) {
        return try Model(CoreMLModel(specification: file, weights: nil), url: url, options: options(seed))
      }
      if case .flatTensor = ExecuTorchFileKind(of: file) {
        let data = try FlatTensorFile(file)
        guard let companion else { return nil }
        return try Model(MappedFile(copying: companion, name: "program").bytes, url: url, options: options, data: [data])
      }
      return try Model(file, url: url, options: options)
    }
  }

  /// Opens, loads and runs a compiled Core ML model.
  ///
  /// - Parameters:
  ///   - files: by their paths in its folder.
  ///   - seed: for the inputs.
  /// - Returns: the furthest stage that a method reached.
  /// - Throws: `UntypedError` if an error is not of an engine type or has no text.
  package func run(files: [String: [UInt8]], seed: UInt64) throws(UntypedError) -> Outcome {
    try run(seed, words: files[CompiledForm.modelPath].map { Self.words(in: $0) } ?? []) {
      let folder = CoreMLFolder(files: files.mapValues { MappedFile(copying: $0, name: "input").bytes })
      return try Model(CoreMLModel(folder), url: Self.url, options: options(seed))
    }
  }

  private static let url = URL(fileURLWithPath: "/input")

  /// Short texts in a file, which may be labels and names.
  private static func words(in bytes: [UInt8]) -> [String] {
    var words: [String] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where !(0x21...0x7e).contains(byte) {
      if (1...8).contains(index - start), words.count < 24 { words.append(String(decoding: bytes[start..<index], as: UTF8.self)) }
      start = index + 1
    }
    return words
  }

  /// Inspects, opens, dumps, plans, compiles and runs every method of the model at `url`, as users do.
  ///
  /// - Parameters:
  ///   - seed: for the inputs.
  ///   - folder: where a Core ML model is compiled; nil to compile none.
  /// - Returns: the furthest stage that a method reached.
  /// - Throws: `UntypedError` if an error is not of an engine type or has no text.
  package func run(contentsOf url: URL, seed: UInt64, compilingInto folder: URL? = nil) throws(UntypedError) -> Outcome {
    try run(seed, words: []) {
      _ = try ModelInspection(contentsOf: url, dataFiles: options.dataFiles)
      let model = try Model(contentsOf: url, options: options)
      for method in model.methods.prefix(4) {
        for stage in [GraphStage.imported, .optimized] {
          do { _ = try model.graph(method: method.name, stage: stage) } catch let error as MartletError where !error.description.isEmpty {}
        }
        do { _ = try model.plan(method: method.name) } catch let error as MartletError where !error.description.isEmpty {}
      }
      if let folder, ["mlmodel", "mlpackage", "mlmodelc"].contains(url.pathExtension) {
        let compiled = folder.appendingPathComponent("compiled.mlmodelc")
        defer { try? FileManager.default.removeItem(at: compiled) }
        do { try Model.compile(url, to: compiled, options: options) } catch let error as MartletError where !error.description.isEmpty {}
      }
      return model
    }
  }

  /// Runs every method of the model returned by `open`; nil means that there is nothing to run.
  private func run(_ seed: UInt64, words: [String], open: () throws -> Model?) throws(UntypedError) -> Outcome {
    do {
      guard let model = try open() else { return .planned }
      var outcome = Outcome.refusedByCompiler
      for method in model.methods.prefix(4) {
        let result = try run(method, of: model, seed: seed, words: words)
        if EngineProbe.rank(result) > EngineProbe.rank(outcome) { outcome = result }
      }
      return outcome
    } catch let error as UntypedError {
      throw error
    } catch let error as MartletError where !error.description.isEmpty {
      return .refusedByReader
    } catch let error as FileError where !error.description.isEmpty {
      return .refusedByReader
    } catch {
      throw UntypedError(description: "opening: \(type(of: error)): \(error)")
    }
  }

  private static func rank(_ outcome: Outcome) -> Int { Outcome.allCases.firstIndex(of: outcome)! }

  private func run(
    _ method: MethodSignature, of model: Model, seed: UInt64, words: [String]
  ) throws(UntypedError) -> Outcome {
    var random = FuzzRandom(seed: seed)
    var source = ProbeInputs(random: random, words: words, largestCount: largestInputCount)
    for input in method.inputs { source.add(input) }
    do {
      try model.load(method: method.name)
      // Inputs that are too large to allocate can still be planned, unless no tensor can have such a shape.
      guard let inputs = source.values else {
        guard model.source.hasGraph(method.name) else { return .planned }
        let compiled = try model.compiled(method.name)
        let areLegal = source.bindings.allSatisfy { binding in
          if case .tensor(let type, _) = binding { HostTensor.byteCount(dtype: type.dtype, shape: type.shape) != nil } else { true }
        }
        if areLegal, source.bindings.count == compiled.graph.inputs.count { try compiled.prepare(for: source.bindings) }
        return .planned
      }
      do {
        let isBatch = random.one(in: 8)
        let batch = isBatch ? try model.run(batch: [inputs, inputs], method: method.name) : [try model.run(inputs, method: method.name)]
        for case .tensor(let tensor) in batch.joined() { unsafe tensor.withUnsafeBytes { unsafe keep($0) } }
        return .ran
      } catch let error as MartletError where !error.description.isEmpty {
        return .refusedByRun
      }
    } catch let error as MartletError where !error.description.isEmpty {
      return .refusedByCompiler
    } catch let error as PlanError {
      return error.description.isEmpty ? .ran : .refusedByCompiler
    } catch {
      throw UntypedError(description: "\(method.name): \(type(of: error)): \(error)")
    }
  }
}

/// Reads the bytes, so that a result out of bounds is detected.
private func keep(_ bytes: UnsafeRawBufferPointer) {
  var sum: UInt8 = 0
  if let first = unsafe bytes.first, let last = unsafe bytes.last { sum = first &+ last }
  blackHole(sum)
}

@inline(never)
private func blackHole(_ value: UInt8) {}
