public import Foundation
import Martlet

/// The metadata of a tensor in a program.
public final class TensorMetadata: NSObject {
  /// The extents, outermost axis first. Dynamic extents are given as upper bounds.
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

/// The metadata of a method in a program.
public final class MethodMetadata: NSObject {
  public let name: String
  public let inputValueTags: [ValueTag]
  public let outputValueTags: [ValueTag]
  /// The tensor inputs, by index of the input.
  public let inputTensorMetadata: [Int: TensorMetadata]
  /// The tensor outputs, by index of the output.
  public let outputTensorMetadata: [Int: TensorMetadata]
  /// The named tensors that are attributes of the exported model.
  public let attributeTensorMetadata: [TensorMetadata]
  /// The byte count of each memory area in the program's plan. The engine plans memory itself and does not allocate these areas.
  public let memoryPlannedBufferSizes: [Int]
  /// The backend of each delegate, in program order.
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
