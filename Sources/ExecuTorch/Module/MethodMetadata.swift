public import Foundation
import MartletExecuTorchFile
import MartletTensor

/// What a program says of a tensor.
public final class TensorMetadata: NSObject {
  /// Extents, outermost axis first; upper bounds where the tensor is dynamic.
  public let shape: [Int]
  /// The axes from outermost to innermost in memory.
  public let dimensionOrder: [Int]
  public let dataType: DataType
  /// Whether the program has a place for the tensor's memory, or holds its elements.
  public let isMemoryPlanned: Bool
  /// The attribute's qualified name; empty for inputs and outputs.
  public let name: String

  init(_ tensor: ProgramTensor, name: String) {
    shape = tensor.sizes
    dimensionOrder = tensor.dimOrder
    dataType = DataType(rawValue: tensor.scalarType.rawValue) ?? .undefined
    isMemoryPlanned = tensor.isMemoryPlanned
    self.name = name
  }
}

/// What a program says of one of its methods.
public final class MethodMetadata: NSObject {
  public let name: String
  public let inputValueTags: [ValueTag]
  public let outputValueTags: [ValueTag]
  /// By the input's index; only inputs that are tensors.
  public let inputTensorMetadata: [Int: TensorMetadata]
  /// By the output's index; only outputs that are tensors.
  public let outputTensorMetadata: [Int: TensorMetadata]
  /// Tensors that are attributes of the exported model and have a name.
  public let attributeTensorMetadata: [TensorMetadata]
  /// Bytes of each memory area that the program plans with. The engine lays out memory of its own and does not take these.
  public let memoryPlannedBufferSizes: [Int]
  /// The backend of each delegate, in the program's order.
  public let backendNames: [String]
  public let instructionCount: Int

  init(_ plan: ExecutionPlan) {
    name = plan.name
    inputValueTags = plan.inputs.map { ValueTag(plan.values[$0]) }
    outputValueTags = plan.outputs.map { ValueTag(plan.values[$0]) }
    inputTensorMetadata = Self.tensors(plan.inputs, in: plan)
    outputTensorMetadata = Self.tensors(plan.outputs, in: plan)
    attributeTensorMetadata = plan.values.compactMap { value in
      guard case .tensor(let tensor) = value, let name = tensor.qualifiedName else { return nil }
      return TensorMetadata(tensor, name: name)
    }
    // Area 0 stands for constants.
    memoryPlannedBufferSizes = Array(plan.bufferSizes.dropFirst())
    backendNames = plan.delegates.map(\.id)
    instructionCount = plan.chains.reduce(0) { $0 + $1.instructions.count }
  }

  private static func tensors(_ indices: [Int], in plan: ExecutionPlan) -> [Int: TensorMetadata] {
    var result: [Int: TensorMetadata] = [:]
    for (position, index) in indices.enumerated() {
      if case .tensor(let tensor) = plan.values[index] { result[position] = TensorMetadata(tensor, name: "") }
    }
    return result
  }
}

extension ProgramTensor {
  /// Whether the program has a place for the tensor's memory, or holds its elements.
  var isMemoryPlanned: Bool {
    if dataBufferIndex != 0 { return true }
    return switch data {
    case .constant, .planned, .mutableInitialized: true
    case .external(_, let place): place != nil
    case .callerProvided: false
    }
  }
}

extension ValueTag {
  init(_ value: EValue) {
    self =
      switch value {
      case .tensor: .tensor
      case .string: .string
      case .double: .double
      case .int: .integer
      case .bool: .boolean
      default: .none
      }
  }
}
