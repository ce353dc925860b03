public import Foundation
import Martlet
import MartletFeatures

/// The device of each operation or layer of a model, and the estimated cost of each operation.
///
/// The planner estimates costs for the model's usual input shapes, from the arithmetic and the memory traffic of the chosen kernels. The
/// cost of a kernel that computes several operations is divided among them.
public final class MLComputePlan: Sendable {
  public let modelStructure: MLModelStructure

  /// Share of each operation in the total cost, from 0 to 1. Excludes its nested blocks.
  private let weights: [OperationPlace: Double]
  /// The planned functions, each identified by the place of its first operation.
  private let functions: Set<OperationPlace>
  /// The planned networks, each by its index in each enclosing pipeline.
  private let networks: Set<[Int]>

  /// The devices that can run an operation.
  public struct DeviceUsage: Sendable {
    public let preferred: MLComputeDevice
    public let supported: [MLComputeDevice]
  }

  /// The estimated cost of an operation.
  public struct Cost: Sendable {
    /// Share of the function's total cost, from 0 to 1. Conditions and loops include their blocks.
    public let weight: Double
  }

  /// Plans a compiled model, or a model package or file.
  /// - Throws: `MLModelError.io` if it cannot be read, `.parameters` if it has no such function, `.generic` naming an operator that
  ///   is not supported.
  public static func load(contentsOf url: URL, configuration: MLModelConfiguration) async throws -> MLComputePlan {
    try await onBackgroundThread { try MLComputePlan(try ModelAsset.read(url), configuration) }
  }

  /// Plans the model of an asset.
  /// - Throws: as `load(contentsOf:configuration:)`.
  public static func load(asset: MLModelAsset, configuration: MLModelConfiguration) async throws -> MLComputePlan {
    try await onBackgroundThread { try MLComputePlan(asset.model, configuration) }
  }

  private init(_ asset: ModelAsset, _ configuration: MLModelConfiguration) throws {
    modelStructure = MLModelStructure(asset.structure)
    if let name = configuration.functionName, asset.features.function(named: name) == nil {
      throw MLModelError(.parameters, "The model has no function '\(name)'")
    }
    let planned: [PlannedFunction]
    do {
      planned = try Self.plannedFunctions(of: asset, chosen: configuration.functionName, models: [])
    } catch {
      throw MLModelError(error)
    }
    // A prediction runs all models of a pipeline, so that their costs add up.
    let pipeline = planned.filter { !$0.models.isEmpty && $0.isChosen }
    var weights: [OperationPlace: Double] = [:]
    for function in planned {
      let whole = function.models.isEmpty || !function.isChosen ? [function] : pipeline
      let total = whole.reduce(0) { $0 + $1.seconds }
      // A program that only passes inputs on has no kernels; its operations share the cost equally.
      let count = whole.reduce(0) { $0 + $1.operations.count }
      for (number, seconds) in function.operations where !function.isNetwork {
        weights[function.place(number)] = total > 0 ? seconds / total : 1 / Double(count)
      }
    }
    self.weights = weights
    functions = Set(planned.lazy.filter { !$0.isNetwork }.map { $0.place(0) })
    networks = Set(planned.lazy.filter(\.isNetwork).map(\.models))
  }

  /// The devices for an operation; nil for constants, and for operations of another model.
  public func deviceUsage(for operation: MLModelStructure.Program.Operation) -> DeviceUsage? {
    guard !operation.isConstant, isPlanned(operation) else { return nil }
    return DeviceUsage(preferred: .cpu(.shared), supported: [.cpu(.shared)])
  }

  /// The devices for a layer of a neural network; nil for layers of another model.
  public func deviceUsage(for layer: MLModelStructure.NeuralNetwork.Layer) -> DeviceUsage? {
    guard networks.contains(layer.place.models), case .neuralNetwork(let network)? = modelStructure.model(at: layer.place.models),
      network.layers.indices.contains(layer.place.index)
    else { return nil }
    let known = network.layers[layer.place.index]
    guard known.name == layer.name, known.type == layer.type, known.outputNames == layer.outputNames else { return nil }
    return DeviceUsage(preferred: .cpu(.shared), supported: [.cpu(.shared)])
  }

  /// The estimated cost of an operation; nil for constants, and for operations of another model.
  ///
  /// The costs of the operations in a function's block add up to 1.
  public func estimatedCost(of operation: MLModelStructure.Program.Operation) -> Cost? {
    guard !operation.isConstant, isPlanned(operation) else { return nil }
    return Cost(weight: weight(of: operation))
  }

  private func weight(of operation: MLModelStructure.Program.Operation) -> Double {
    let own = operation.isConstant ? 0 : weights[operation.place] ?? 0
    return operation.blocks.reduce(own) { sum, block in block.operations.reduce(sum) { $0 + weight(of: $1) } }
  }

  /// Returns true if the operation belongs to a planned function. Also compares operator and outputs: another model can have an operation
  /// at the same place.
  private func isPlanned(_ operation: MLModelStructure.Program.Operation) -> Bool {
    let place = operation.place
    guard functions.contains(OperationPlace(models: place.models, function: place.function, number: 0)),
      let known = modelStructure.operation(at: place)
    else { return false }
    return known.operatorName == operation.operatorName && known.outputs.map(\.name) == operation.outputs.map(\.name)
  }

  // MARK: Planning

  private struct PlannedFunction {
    /// Index of the model in each enclosing pipeline, outermost first.
    let models: [Int]
    let name: String
    /// True for the function that a prediction runs.
    let isChosen: Bool
    /// Index and seconds of each operation that is not a constant.
    let operations: [(number: Int, seconds: Double)]
    /// True for a neural network, whose operations are its layers.
    var isNetwork = false

    var seconds: Double { operations.reduce(0) { $0 + $1.seconds } }

    func place(_ number: Int) -> OperationPlace { OperationPlace(models: models, function: name, number: number) }
  }

  /// Plans all functions. Throws if the chosen function is not supported.
  private static func plannedFunctions(
    of asset: ModelAsset, chosen: String?, models: [Int]
  ) throws -> [PlannedFunction] {
    switch asset.structure {
    case .program(let functions):
      let model = try Model(asset)
      return try model.methods.compactMap { method in
        let name = method.name
        let isChosen = name == chosen ?? model.defaultMethod
        guard let function = functions.first(where: { $0.name == name }) else { return nil }
        let plan: ModelPlan
        do {
          plan = try model.plan(method: name)
        } catch {
          if isChosen { throw error }
          return nil
        }
        let seconds = Dictionary(plan.operations.map { ($0.number, $0.estimatedSeconds) }, uniquingKeysWith: +)
        var operations: [(number: Int, seconds: Double)] = []
        for operation in function.block.operations { collect(operation, seconds, &operations) }
        return PlannedFunction(models: models, name: name, isChosen: isChosen, operations: operations)
      }
    case .pipeline(let stages):
      return try stages.enumerated().flatMap {
        try plannedFunctions(of: $0.element.asset, chosen: nil, models: models + [$0.offset])
      }
    case .layers:
      let model = try Model(asset)
      let operations = try model.plan().operations.map { (number: $0.number, seconds: $0.estimatedSeconds) }
      return [PlannedFunction(models: models, name: model.defaultMethod, isChosen: true, operations: operations, isNetwork: true)]
    case .other: return []
    }
  }

  private static func collect(
    _ operation: ModelStructure.Operation, _ seconds: [Int: Double], _ operations: inout [(number: Int, seconds: Double)]
  ) {
    if !operation.isConstant { operations.append((operation.number, seconds[operation.number] ?? 0)) }
    for block in operation.blocks { for nested in block.operations { collect(nested, seconds, &operations) } }
  }
}

extension MLModelStructure {
  /// The model with this index in each enclosing pipeline.
  fileprivate func model(at indices: [Int]) -> MLModelStructure? {
    var model = self
    for index in indices {
      guard case .pipeline(let pipeline) = model, pipeline.subModels.indices.contains(index) else { return nil }
      model = pipeline.subModels[index]
    }
    return model
  }

  fileprivate func operation(at place: OperationPlace) -> Program.Operation? {
    guard case .program(let program)? = model(at: place.models) else { return nil }
    return program.functions[place.function]?.block.operation(numbered: place.number)
  }
}

extension MLModelStructure.Program.Block {
  fileprivate func operation(numbered number: Int) -> MLModelStructure.Program.Operation? {
    // Indices ascend, and nested operations follow the operation that contains them.
    let next = operations.partitioned { operations[$0].place.number > number }
    guard next > 0 else { return nil }
    let found = operations[next - 1]
    if found.place.number == number { return found }
    for block in found.blocks { if let nested = block.operation(numbered: number) { return nested } }
    return nil
  }
}
