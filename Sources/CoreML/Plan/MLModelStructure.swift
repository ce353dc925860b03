public import Foundation
import Martlet

/// The structure of a model.
public enum MLModelStructure: Sendable {
  case program(Program)
  case neuralNetwork(NeuralNetwork)
  case pipeline(Pipeline)
  /// A model of another kind.
  case unsupported

  /// Reads a compiled model, or a model package or file.
  /// - Throws: `MLModelError.io` if it cannot be read.
  public static func load(contentsOf url: URL) async throws -> MLModelStructure {
    try await onBackgroundThread { MLModelStructure(try ModelAsset.read(url).structure) }
  }

  /// Returns the structure of an asset's model.
  public static func load(asset: MLModelAsset) async throws -> MLModelStructure { MLModelStructure(asset.model.structure) }

  /// An ML Program.
  public struct Program: Sendable {
    /// The functions by name. The function of a single-function program is named "main".
    public let functions: [String: Function]
  }

  /// A neural network.
  public struct NeuralNetwork: Sendable {
    /// The layers in execution order.
    public let layers: [Layer]

    public struct Layer: Sendable {
      public let name: String
      /// The kind of the layer, such as "convolution".
      public let type: String
      public let inputNames: [String]
      public let outputNames: [String]
      let place: LayerPlace
    }
  }

  /// Models that run in sequence.
  public struct Pipeline: Sendable {
    /// The names of the models; empty strings where the file has none.
    public let subModelNames: [String]
    public let subModels: [MLModelStructure]
  }
}

extension MLModelStructure.Program {
  public struct Function: Sendable {
    public let inputs: [NamedValueType]
    public let block: Block
  }

  /// Operations in execution order.
  public struct Block: Sendable {
    /// Values that the block receives, such as loop variables. The block can also use values of the enclosing blocks.
    public let inputs: [NamedValueType]
    public let outputNames: [String]
    public let operations: [Operation]
  }

  public struct Operation: Sendable {
    /// The name of the operator, such as "conv".
    public let operatorName: String
    /// The arguments by name of the operator's parameter.
    public let inputs: [String: Argument]
    public let outputs: [NamedValueType]
    /// The branches of a condition, or the condition and the body of a loop.
    public let blocks: [Block]
    let place: OperationPlace
    /// True for operators that only hold a value.
    let isConstant: Bool
  }

  /// The argument of a parameter: one binding, or several if the operator takes a list.
  public struct Argument: Sendable {
    public let bindings: [Binding]
  }

  public enum Binding: Sendable {
    /// A value that the program computes or receives, by name.
    case name(String)
    /// A literal value in the program.
    case value(Value)
  }

  public struct NamedValueType: Sendable {
    public let name: String
    public let type: ValueType
  }

  /// The type of a value.
  public struct ValueType: Sendable {
    let type: ModelStructure.ValueType
  }

  /// A literal value in the program.
  public struct Value: Sendable {
    let value: ModelStructure.Literal
  }
}

/// Identifies an operation within a model.
struct OperationPlace: Sendable, Hashable {
  /// Index of the model in each enclosing pipeline, outermost first.
  let models: [Int]
  let function: String
  /// Index among all operations of the function.
  let number: Int
}

/// Identifies a layer within a model.
struct LayerPlace: Sendable, Hashable {
  /// Index of the model in each enclosing pipeline, outermost first.
  let models: [Int]
  /// Index among the layers of the network.
  let index: Int
}

extension MLModelStructure {
  /// - Parameter models: index of the model in each enclosing pipeline, outermost first.
  init(_ structure: ModelStructure, models: [Int] = []) {
    switch structure {
    case .program(let functions):
      let functions = functions.map { ($0.name, Program.Function($0, models: models)) }
      self = .program(Program(functions: Dictionary(functions, uniquingKeysWith: { first, _ in first })))
    case .pipeline(let stages):
      self = .pipeline(
        Pipeline(
          subModelNames: stages.map(\.name),
          subModels: stages.enumerated().map { MLModelStructure($0.element.asset.structure, models: models + [$0.offset]) }))
    case .layers(let layers):
      self = .neuralNetwork(
        NeuralNetwork(
          layers: layers.enumerated().map { index, layer in
            NeuralNetwork.Layer(
              name: layer.name, type: layer.kind, inputNames: layer.inputs, outputNames: layer.outputs,
              place: LayerPlace(models: models, index: index))
          }))
    case .other: self = .unsupported
    }
  }
}

extension MLModelStructure.Program.Function {
  fileprivate init(_ function: ModelStructure.Function, models: [Int]) {
    inputs = function.inputs.map { MLModelStructure.Program.NamedValueType($0) }
    block = MLModelStructure.Program.Block(function.block, models: models, function: function.name)
  }
}

extension MLModelStructure.Program.Block {
  fileprivate init(_ block: ModelStructure.Block, models: [Int], function: String) {
    inputs = block.inputs.map { MLModelStructure.Program.NamedValueType($0) }
    outputNames = block.outputs
    operations = block.operations.map { MLModelStructure.Program.Operation($0, models: models, function: function) }
  }
}

extension MLModelStructure.Program.Operation {
  fileprivate init(_ operation: ModelStructure.Operation, models: [Int], function: String) {
    operatorName = operation.operator
    inputs = operation.inputs.mapValues { MLModelStructure.Program.Argument($0) }
    outputs = operation.outputs.map { MLModelStructure.Program.NamedValueType($0) }
    blocks = operation.blocks.map { MLModelStructure.Program.Block($0, models: models, function: function) }
    place = OperationPlace(models: models, function: function, number: operation.number)
    isConstant = operation.isConstant
  }
}

extension MLModelStructure.Program.Argument {
  fileprivate init(_ arguments: [ModelStructure.Argument]) {
    bindings = arguments.map { argument in
      switch argument {
      case .name(let name): .name(name)
      case .literal(let literal): .value(MLModelStructure.Program.Value(value: literal))
      }
    }
  }
}

extension MLModelStructure.Program.NamedValueType {
  fileprivate init(_ named: ModelStructure.NamedType) {
    name = named.name
    type = MLModelStructure.Program.ValueType(type: named.type)
  }
}
