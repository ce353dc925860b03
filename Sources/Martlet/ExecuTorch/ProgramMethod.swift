import MartletBytes
import MartletExecuTorchFile

/// The declaration of a method in an ExecuTorch program.
package struct ProgramMethod: Sendable {
  package struct TensorDeclaration: Sendable {
    /// The relation of the extents in `shape` to those at run time.
    package enum Dynamism: Sendable {
      /// The extents are exact.
      case fixed
      /// The extents are upper bounds.
      case upperBound
      /// The extents have no meaning.
      case unbound
    }

    /// The attribute's name in the exported module; nil for others.
    package let name: String?
    package let shape: [Int]
    /// The axes from the outermost to the innermost in memory.
    package let dimensionOrder: [Int]
    /// The element type's number in the file format.
    package let scalarType: Int8
    /// Bytes of all elements at the declared extents; nil if `Int` cannot hold them.
    package let byteCount: Int?
    package let dynamism: Dynamism
    /// True if the program plans the tensor's memory or contains its elements.
    package let isMemoryPlanned: Bool
  }

  package enum Declaration: Sendable {
    case tensor(TensorDeclaration)
    case int(Int64)
    case double(Double)
    case bool(Bool)
    case string(String)
    case none
  }

  package let name: String
  /// Numbers and texts are part of the program: it was exported for one value of them.
  package let inputs: [Declaration]
  package let outputs: [Declaration]
  /// Tensors that are attributes of the exported model and have a name.
  package let attributes: [TensorDeclaration]
  /// Bytes of each memory area that the program plans with.
  package let memoryByteCounts: [Int]
  /// The backend of each delegate, in the program's order.
  package let backends: [String]
  package let instructionCount: Int
}

extension Model {
  /// The names of an ExecuTorch program's methods, in the file's order; none for other models.
  package var programMethodNames: [String] { program?.plans.map(\.name) ?? [] }

  /// The declaration of a method in an ExecuTorch program; nil if there is no method of that name.
  package func programMethod(_ name: String) -> ProgramMethod? { program?.plan(named: name).map { ProgramMethod($0) } }
}

extension ProgramMethod {
  fileprivate init(_ plan: ExecutionPlan) {
    name = plan.name
    inputs = plan.inputs.map { Declaration(plan.values[$0]) }
    outputs = plan.outputs.map { Declaration(plan.values[$0]) }
    attributes = plan.values.compactMap { value in
      guard let tensor = value.tensor, tensor.qualifiedName != nil else { return nil }
      return TensorDeclaration(tensor)
    }
    // Area 0 stands for constants.
    memoryByteCounts = Array(plan.bufferSizes.dropFirst())
    backends = plan.delegates.map(\.id)
    instructionCount = plan.chains.reduce(0) { $0 + $1.instructions.count }
  }
}

extension ProgramMethod.Declaration {
  fileprivate init(_ value: EValue) {
    self =
      switch value {
      case .tensor(let tensor): .tensor(ProgramMethod.TensorDeclaration(tensor))
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .bool(let value): .bool(value)
      case .string(let value): .string(value)
      case .none, .intList, .doubleList, .boolList, .tensorList, .optionalTensorList: .none
      }
  }
}

extension ProgramMethod.TensorDeclaration {
  fileprivate init(_ tensor: ProgramTensor) {
    name = tensor.qualifiedName
    shape = tensor.sizes
    dimensionOrder = tensor.dimOrder
    scalarType = tensor.scalarType.rawValue
    byteCount = tensor.layout.byteCount
    dynamism =
      switch tensor.shapeDynamism {
      case .fixed: .fixed
      case .upperBound: .upperBound
      case .unbound: .unbound
      }
    isMemoryPlanned =
      if tensor.dataBufferIndex != 0 {
        true
      } else {
        switch tensor.data {
        case .constant, .planned, .mutableInitialized: true
        case .external(_, let place): place != nil
        case .callerProvided: false
        }
      }
  }
}

extension ModelOptions.FileAccess {
  /// Checks that a file's bytes can be had this way.
  /// - Throws: `MartletError.invalidFile`.
  package func check(_ path: String) throws(MartletError) {
    var options = ModelOptions()
    options.fileAccess = self
    do {
      _ = try MappedFile(contentsOfPath: path, access: options.access)
    } catch {
      throw MartletError.invalidFile("\(error)")
    }
  }
}
