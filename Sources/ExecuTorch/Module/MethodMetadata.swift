public import Foundation
import Martlet

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

  init(_ tensor: ProgramMethod.TensorDeclaration, name: String = "") {
    shape = tensor.shape
    dimensionOrder = tensor.dimensionOrder
    dataType = tensor.dataType
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

  init(_ method: ProgramMethod) {
    name = method.name
    inputValueTags = method.inputs.map { ValueTag($0) }
    outputValueTags = method.outputs.map { ValueTag($0) }
    inputTensorMetadata = Self.tensors(method.inputs)
    outputTensorMetadata = Self.tensors(method.outputs)
    attributeTensorMetadata = method.attributes.map { TensorMetadata($0, name: $0.name ?? "") }
    memoryPlannedBufferSizes = method.memoryByteCounts
    backendNames = method.backends
    instructionCount = method.instructionCount
  }

  private static func tensors(_ values: [ProgramMethod.Declaration]) -> [Int: TensorMetadata] {
    var result: [Int: TensorMetadata] = [:]
    for (position, value) in values.enumerated() {
      if case .tensor(let tensor) = value { result[position] = TensorMetadata(tensor) }
    }
    return result
  }
}

extension ValueTag {
  init(_ value: ProgramMethod.Declaration) {
    self =
      switch value {
      case .tensor: .tensor
      case .string: .string
      case .double: .double
      case .int: .integer
      case .bool: .boolean
      case .none: .none
      }
  }
}
