package import Foundation
package import Martlet
import MartletBytes
import MartletCompiler
import MartletCoreMLFile
import MartletExecuTorchFile
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
  /// Maximum number of elements in all inputs together for which a method is run and not only planned.
  package var largestInputCount = 1 << 16

  package init() {
    options = ModelOptions()
    options.threads = 1
    options.callLimits = ResourceLimits(memoryByteCount: 64 << 20, operationCount: 2e8, nodeCount: 5_000)
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
  /// - Returns: the furthest stage that a method reached.
  /// - Throws: `UntypedError` if an error is not of an engine type or has no text.
  package func run(_ bytes: [UInt8], seed: UInt64 = 0, companion: [UInt8]? = nil) throws(UntypedError) -> Outcome {
    let file = MappedFile(copying: bytes, name: "input").bytes
    let url = URL(fileURLWithPath: "/input.pte")
    return try run(seed) {
      if CoreMLMutator.isModel(bytes) {
        return try Model(CoreMLModel(specification: file, weights: nil), url: URL(fileURLWithPath: "/input.mlmodel"), options: options)
      }
      if case .flatTensor = ExecuTorchFileKind(of: file) {
        let data = try FlatTensorFile(file)
        guard let companion else { return nil }
        return try Model(MappedFile(copying: companion, name: "program").bytes, url: url, options: options, data: [data])
      }
      return try Model(file, url: url, options: options)
    }
  }

  /// Inspects, opens, dumps, plans, compiles and runs every method of the model at `url`, as users do.
  ///
  /// - Parameters:
  ///   - seed: for the inputs.
  ///   - folder: where a Core ML model is compiled; nil to compile none.
  /// - Returns: the furthest stage that a method reached.
  /// - Throws: `UntypedError` if an error is not of an engine type or has no text.
  package func run(contentsOf url: URL, seed: UInt64, compilingInto folder: URL? = nil) throws(UntypedError) -> Outcome {
    try run(seed) {
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
  private func run(_ seed: UInt64, open: () throws -> Model?) throws(UntypedError) -> Outcome {
    do {
      guard let model = try open() else { return .planned }
      var outcome = Outcome.refusedByCompiler
      for method in model.methods.prefix(4) {
        let result = try run(method, of: model, seed: seed)
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

  private func run(_ method: MethodSignature, of model: Model, seed: UInt64) throws(UntypedError) -> Outcome {
    var random = FuzzRandom(seed: seed)
    var inputs: [ModelValue]? = []
    var bindings: [InputBinding] = []
    var elementCount = 0
    let fill = random.below(4)
    for input in method.inputs {
      switch input.kind {
      case .tensor(let type, let declared, let isDynamic):
        let shape = zip(declared, isDynamic).map { extent, isDynamic in
          guard isDynamic else { return extent }
          let small = random.below(5)
          return extent < 0 ? small : random.one(in: 4) ? extent : min(extent, small)
        }
        bindings.append(.tensor(TensorType(type.dtype, shape), order: nil))
        guard let count = Shape.elementCount(shape), count <= largestInputCount - elementCount else {
          inputs = nil
          continue
        }
        elementCount += count
        inputs?.append(.tensor(Self.tensor(type, shape, fill: fill, &random)))
      case .int:
        bindings.append(.scalar(.int))
        inputs?.append(.int(random.one(in: 2) ? random.below(4) : Int(random.hostileInteger())))
      case .double:
        bindings.append(.scalar(.double))
        inputs?.append(.double(random.hostileDouble()))
      case .bool:
        bindings.append(.scalar(.bool))
        inputs?.append(.bool(random.one(in: 2)))
      case .string:
        bindings.append(.none)
        inputs?.append(.string("text"))
      case .image(let image):
        bindings.append(.none)
        let format: Picture.PixelFormat = image.isGray ? .gray : .rgb
        let (count, overflow) = image.width.multipliedReportingOverflow(by: image.height)
        guard !overflow, count > 0, count <= (largestInputCount - elementCount) / 3,
          let picture = try? Picture(
            width: image.width, height: image.height, format: format,
            pixels: (0..<count * format.channelCount).map { _ in UInt8(random.below(256)) })
        else {
          inputs = nil
          continue
        }
        elementCount += 3 * count
        inputs?.append(.image(picture))
      case .dictionary(keys: .string):
        bindings.append(.none)
        inputs?.append(.dictionary(.byString(["a": random.hostileDouble()])))
      case .dictionary(keys: .int):
        bindings.append(.none)
        inputs?.append(.dictionary(.byInteger([Int(random.hostileInteger()): 1])))
      case .sequence(of: .string):
        bindings.append(.none)
        inputs?.append(.sequence(.strings(["a", "b"])))
      case .sequence(of: .int):
        bindings.append(.none)
        inputs?.append(.sequence(.integers([Int(random.hostileInteger())])))
      case .none, .unsupported:
        bindings.append(.none)
        inputs?.append(.none)
      }
    }
    do {
      let compiled = try model.compiled(method.name)
      // Inputs that are too large to allocate can still be planned, unless no tensor can have such a shape.
      guard let inputs else {
        let areLegal = bindings.allSatisfy { binding in
          if case .tensor(let type, _) = binding { HostTensor.byteCount(dtype: type.dtype, shape: type.shape) != nil } else { true }
        }
        if areLegal, bindings.count == compiled.graph.inputs.count { try compiled.prepare(for: bindings) }
        return .planned
      }
      do {
        for output in try model.run(inputs, method: method.name) {
          if case .tensor(let tensor) = output { unsafe tensor.withUnsafeBytes { unsafe keep($0) } }
        }
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

  /// A tensor of zeros, small numbers, or arbitrary bytes.
  private static func tensor(_ type: DataType, _ shape: [Int], fill: Int, _ random: inout FuzzRandom) -> Tensor {
    var host = HostTensor(zeros: type.dtype, shape: shape)
    if fill > 0 {
      unsafe host.withUnsafeMutableBytes { bytes in
        for index in bytes.indices {
          switch (fill, type) {
          case (_, .bool): unsafe bytes[index] = UInt8(random.below(2))
          // Small values for integer types; denormals for floating-point types.
          case (1, _), (2, .int64), (2, .int32): unsafe bytes[index] = index % type.byteCount == 0 ? UInt8(random.below(3)) : 0
          default: unsafe bytes[index] = UInt8(truncatingIfNeeded: random.next())
          }
        }
      }
    }
    return Tensor(host)
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
