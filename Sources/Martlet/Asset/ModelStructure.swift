import MartletCoreMLFile

/// The structure of a Core ML model, as its file states it.
public enum ModelStructure: Sendable {
  /// The functions of a program, sorted by name.
  case program([Function])
  /// Models that run in sequence.
  case pipeline([Stage])
  /// The layers of a neural network in execution order.
  case layers([Layer])
  /// A model of another kind.
  case other

  init(_ asset: ModelAsset) {
    switch asset.model.content {
    case .program(let program): self = .program(program.functions.map { Function(function: $0) })
    case .pipeline(let stages):
      self = .pipeline(stages.map { Stage(name: $0.name, asset: ModelAsset($0.model, url: asset.url)) })
    case .network(let network): self = .layers(network.layers.map { Layer(layer: $0) })
    case .classic: self = .other
    }
  }

  /// A model of a pipeline.
  public struct Stage: Sendable {
    /// `model` and the position if the file does not name the models.
    public let name: String
    public let asset: ModelAsset
  }

  /// A layer of a neural network.
  public struct Layer: Sendable {
    fileprivate let layer: NetworkLayer

    public var name: String { layer.name }
    /// The kind as named in the format, e.g. `convolution`.
    public var kind: String { layer.type }
    public var inputs: [String] { layer.inputs }
    public var outputs: [String] { layer.outputs }
  }

  /// A function of a program.
  public struct Function: Sendable {
    fileprivate let function: MILFunction

    public var name: String { function.name }
    public var inputs: [NamedType] { function.inputs.map { NamedType($0) } }
    public var block: Block { Block(block: function.block) }
  }

  /// Operations in execution order.
  public struct Block: Sendable {
    fileprivate let block: MILBlock

    /// The loop variables of a loop's block; empty in other blocks. A block can also use values of the enclosing blocks.
    public var inputs: [NamedType] { block.inputs.map { NamedType($0) } }
    public var operations: [Operation] { block.operations.map { Operation(operation: $0) } }
    /// The names of the block's results.
    public var outputs: [String] { block.outputs }
  }

  public struct Operation: Sendable {
    fileprivate let operation: MILOperation

    /// Position among all operations of the function. Operations of nested blocks follow the one that contains them.
    public var number: Int { operation.number }
    /// The operator, such as `conv`.
    public var `operator`: String { operation.type }
    /// True for operators that only hold a value, stored or compressed.
    public var isConstant: Bool { operation.type == "const" || operation.type.hasPrefix("constexpr_") }
    /// The arguments by parameter: several for a parameter that takes a list.
    public var inputs: [String: [Argument]] { operation.inputs.mapValues { $0.bindings.map { Argument($0) } } }
    public var outputs: [NamedType] { operation.outputs.map { NamedType($0) } }
    /// The branches of a condition, or the condition and the body of a loop.
    public var blocks: [Block] { operation.blocks.map { Block(block: $0) } }
  }

  public enum Argument: Sendable {
    /// A value that the program computes or receives.
    case name(String)
    /// A value in the program itself.
    case literal(Literal)

    fileprivate init(_ binding: MILBinding) {
      switch binding {
      case .name(let name): self = .name(name)
      case .value(let value): self = .literal(Literal(value: value))
      }
    }
  }

  /// A value in the program itself.
  public struct Literal: Sendable {
    fileprivate let value: MILValue

    public var type: ValueType { ValueType(type: value.type) }
  }

  public struct NamedType: Sendable, Hashable {
    public let name: String
    public let type: ValueType

    fileprivate init(_ named: MILNamedType) {
      name = named.name
      type = ValueType(type: named.type)
    }
  }

  /// The type of a value. Its description is that of the format's text form, e.g. `tensor<fp16, [1, 3]>`.
  public struct ValueType: Sendable, Hashable, CustomStringConvertible {
    fileprivate let type: MILType

    public var description: String { type.description }
  }
}
