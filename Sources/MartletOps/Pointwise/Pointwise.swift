package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// Any elementwise function: arithmetic, comparisons, activations, casts, and fusions of them.
/// - Shapes: tensor operands broadcast to the shape of the result; scalar operands are read when the kernel runs.
/// - DTypes: all except complex. `program` determines the type of each step; the result is converted to `dtype`.
/// - Accuracy: that of the program's functions, see `martlet_pointwise.h`.
/// - Sources: the pointwise operators of ATen, MIL and the XNNPACK and MPS payloads.
package struct Pointwise: PlannedOperator {
  package static let contract = OperatorContract([.init("operands", .data, .real, repeats: true)], accuracy: .ulp)

  package var program: PointwiseProgram
  package var dtype: DType
  /// Name of the computation in dumps.
  package var label: String

  package var name: String { label }
  package var attributes: [(name: String, value: String)] { [("program", program.description), ("dtype", dtype.name)] }

  package init(_ program: PointwiseProgram, dtype: DType, label: String) {
    self.program = program
    self.dtype = dtype
    self.label = label
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    var shape: [Int] = []
    for case .tensor(let type)? in operands.all {
      if type.dtype.isComplex { throw .unsupported("\(label) of \(type.dtype)") }
      guard let joined = Shape.broadcast(shape, type.shape) else {
        throw .invalid("shapes \(shape) and \(type.shape) do not broadcast")
      }
      shape = joined
    }
    return [.tensor(TensorType(dtype, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.broadcast(0..<operands.count)
  }

  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? {
    var narrowed = self
    narrowed.dtype = .bfloat16
    var read = Set(operands.indices)
    for instruction in program.instructions {
      if case .load(let operand, let type) = instruction, type != .float32 { read.remove(operand) }
    }
    return NarrowForm(narrowed: dtype == .float32 ? narrowed : nil, operands: read)
  }

  package var inPlaceOperands: [Int] {
    program.instructions.compactMap { if case .load(let operand, _) = $0 { operand } else { nil } }
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? {
    let shape = node.outputType(0).shape
    for case .tensor(let view, nil) in node.operands where view.shape == shape {
      if let order = view.denseOrder { return order }
    }
    return nil
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    // A single load is a copy, for which there are kernels for any pair of layouts and dtypes.
    if program.instructions.count == 1, case .load(let operand, let type) = program.instructions[0],
      ComputeType(for: node.input(operand).dtype) == type || type.dtype == dtype
    {
      let source = node.input(operand).broadcast(to: node.outputs[0].shape)
      if source != node.outputs[0] { node.builder.emitCopy(from: source, to: node.outputs[0], source: node.source) }
      return
    }
    let operands: [PointwiseOperand?] = node.operands.indices.map { index in
      switch node.operands[index] {
      case .tensor: return .tensor(node.input(index))
      case .scalar:
        let scalar = node.scalar(index)
        return .scalar { scalar.scalar($0) }
      default: return nil
      }
    }
    guard !operands.contains(where: { $0 == nil }) else { throw .invalid("\(label) takes tensors and scalars only") }
    let kernel = PointwiseKernel(program, operands: operands.map { $0! }, output: node.outputs[0])
    let scratch = node.workerScratch(byteCount: kernel.scratchByteCount)
    node.emit(
      "\(label) \(node.outputs[0].shape)", flops: Double(program.operationCount) * Double(node.outputs[0].elementCount),
      kernel.kernel(scratch: scratch))
  }
}

/// Programs of single operators.
extension PointwiseProgram {
  /// `f(x)` of one tensor operand, computed as `type`.
  package static func unary(_ function: UnaryFunction, as type: ComputeType) -> PointwiseProgram {
    var program = PointwiseProgram()
    let x = program.append(.load(operand: 0, as: type))
    program.append(.unary(function, x))
    return program
  }

  /// `f(a, b)` of two tensor operands.
  package static func binary(_ function: BinaryFunction, as type: ComputeType) -> PointwiseProgram {
    var program = PointwiseProgram()
    let a = program.append(.load(operand: 0, as: type))
    let b = program.append(.load(operand: 1, as: type))
    program.append(.binary(function, a, b))
    return program
  }

  /// The operand itself, converted when it is stored.
  package static func identity(as type: ComputeType) -> PointwiseProgram {
    var program = PointwiseProgram()
    program.append(.load(operand: 0, as: type))
    return program
  }
}
