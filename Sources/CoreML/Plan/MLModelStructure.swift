public import Foundation
import MartletCoreMLFile

/// What a model is made of.
public enum MLModelStructure: Sendable {
  case program(Program)
  case neuralNetwork(NeuralNetwork)
  case pipeline(Pipeline)
  /// A model of another kind.
  case unsupported

  /// Reads a compiled model, or a model package or file.
  /// - Throws: `MLModelError.io` if it cannot be read.
  public static func load(contentsOf url: URL) async throws -> MLModelStructure {
    try await onBackgroundThread { MLModelStructure(try LoadedModel.read(url)) }
  }

  /// Tells what the model of an asset is made of.
  public static func load(asset: MLModelAsset) async throws -> MLModelStructure { MLModelStructure(asset.model) }

  /// An ML Program.
  public struct Program: Sendable {
    /// By name; a program with a single function has it as "main".
    public let functions: [String: Function]
  }

  /// A neural network.
  public struct NeuralNetwork: Sendable {
    /// In the order in which they run.
    public let layers: [Layer]

    public struct Layer: Sendable {
      public let name: String
      /// The kind, e.g. "convolution".
      public let type: String
      public let inputNames: [String]
      public let outputNames: [String]
    }
  }

  /// Models that run one after another.
  public struct Pipeline: Sendable {
    /// The models' names; empty strings where the file has none.
    public let subModelNames: [String]
    public let subModels: [MLModelStructure]
  }
}

extension MLModelStructure.Program {
  public struct Function: Sendable {
    public let inputs: [NamedValueType]
    public let block: Block
  }

  /// Operations in the order in which they run.
  public struct Block: Sendable {
    /// Besides the values around the block, such as a loop's variables.
    public let inputs: [NamedValueType]
    public let outputNames: [String]
    public let operations: [Operation]
  }

  public struct Operation: Sendable {
    /// E.g. "conv".
    public let operatorName: String
    /// By the name of the operator's parameter.
    public let inputs: [String: Argument]
    public let outputs: [NamedValueType]
    /// The branches of a condition, or the condition and the body of a loop.
    public let blocks: [Block]
    let place: OperationPlace
  }

  /// What a parameter is bound to: one binding, or several where the operator takes a list.
  public struct Argument: Sendable {
    public let bindings: [Binding]
  }

  public enum Binding: Sendable {
    /// A value of the program.
    case name(String)
    /// A value that stands in the program.
    case value(Value)
  }

  public struct NamedValueType: Sendable {
    public let name: String
    public let type: ValueType
  }

  /// The type of a value.
  public struct ValueType: Sendable {
    let type: MILType
  }

  /// A value that stands in the program.
  public struct Value: Sendable {
    let value: MILValue
  }
}

/// Where an operation stands in a model.
struct OperationPlace: Sendable, Hashable {
  /// Position among the models of each pipeline around.
  let models: [Int]
  let function: String
  /// Position among all operations of the function.
  let number: Int
}

extension MLModelStructure {
  /// - Parameter models: the position among the models of each pipeline around.
  init(_ model: CoreMLModel, models: [Int] = []) {
    switch model.content {
    case .program(let program):
      let functions = program.functions.map { ($0.name, Program.Function($0, models: models)) }
      self = .program(Program(functions: Dictionary(functions, uniquingKeysWith: { first, _ in first })))
    case .pipeline(let stages):
      self = .pipeline(
        Pipeline(
          subModelNames: stages.map(\.name),
          subModels: stages.enumerated().map { MLModelStructure($0.element.model, models: models + [$0.offset]) }))
    case .other:
      guard let layers = model.layers else {
        self = .unsupported
        return
      }
      self = .neuralNetwork(
        NeuralNetwork(
          layers: layers.map {
            NeuralNetwork.Layer(name: $0.name, type: $0.type, inputNames: $0.inputs, outputNames: $0.outputs)
          }))
    }
  }
}

extension MLModelStructure.Program.Function {
  fileprivate init(_ function: MILFunction, models: [Int]) {
    inputs = function.inputs.map { MLModelStructure.Program.NamedValueType($0) }
    block = MLModelStructure.Program.Block(function.block, models: models, function: function.name)
  }
}

extension MLModelStructure.Program.Block {
  fileprivate init(_ block: MILBlock, models: [Int], function: String) {
    inputs = block.inputs.map { MLModelStructure.Program.NamedValueType($0) }
    outputNames = block.outputs
    operations = block.operations.map { MLModelStructure.Program.Operation($0, models: models, function: function) }
  }
}

extension MLModelStructure.Program.Operation {
  fileprivate init(_ operation: MILOperation, models: [Int], function: String) {
    operatorName = operation.type
    inputs = operation.inputs.mapValues { MLModelStructure.Program.Argument($0) }
    outputs = operation.outputs.map { MLModelStructure.Program.NamedValueType($0) }
    blocks = operation.blocks.map { MLModelStructure.Program.Block($0, models: models, function: function) }
    place = OperationPlace(models: models, function: function, number: operation.number)
  }
}

extension MLModelStructure.Program.Argument {
  fileprivate init(_ argument: MILArgument) {
    bindings = argument.bindings.map { binding in
      switch binding {
      case .name(let name): .name(name)
      case .value(let value): .value(MLModelStructure.Program.Value(value: value))
      }
    }
  }
}

extension MLModelStructure.Program.NamedValueType {
  fileprivate init(_ named: MILNamedType) {
    name = named.name
    type = MLModelStructure.Program.ValueType(type: named.type)
  }
}
