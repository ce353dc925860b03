package import MartletGraph
import MartletVocabulary
import MartletOps
package import MartletTensor

/// Anything that adds nodes to a graph: the builder itself and the calls that rows receive.
///
/// The extensions contain the functions that all formats share, so that a row states only what is particular to its format. They run once for
/// each node of a file; those marked would otherwise be compiled for every conforming type and operator.
package protocol GraphWriting {
  var builder: GraphBuilder { get }
}

extension GraphBuilder: GraphWriting {
  package var builder: GraphBuilder { self }
}

extension GraphWriting {
  /// Appends a node and returns its only result, a tensor without a name in the file.
  @_semantics("optimize.sil.specialize.generic.never")
  package func intermediate(_ op: any Operator, _ operands: [ValueID?], _ signature: TensorSignature) -> ValueID {
    builder.addNode(op, operands, type: .tensor(signature))
  }

  /// Appends a node and returns its results, tensors without names in the file.
  @_semantics("optimize.sil.specialize.generic.never")
  package func intermediates(_ op: any Operator, _ operands: [ValueID?], _ signatures: [TensorSignature]) -> [ValueID] {
    builder.addNode(op, operands, types: signatures.map { .tensor($0) })
  }

  /// Appends a node whose result is a scalar.
  package func number(_ op: any Operator, _ operands: [ValueID?], _ kind: ScalarKind) -> ValueID {
    builder.addNode(op, operands, type: .scalar(kind))
  }

  /// A known number as a value of the graph.
  package func number(_ scalar: Scalar) -> ValueID { builder.addScalar(scalar) }

  /// A tensor constant created by the importer.
  package func constant(_ tensor: HostTensor) -> ValueID { builder.addConstant(Constant(tensor)) }

  /// The signature of a value, which must be a tensor.
  package func signature(of value: ValueID) throws(CallError) -> TensorSignature {
    guard let signature = builder.tensorSignature(of: value) else { throw CallError("a value is \(builder.type(of: value)), not a tensor") }
    return signature
  }

  /// The axis as a non-negative position; `rank` is that of the tensor.
  package func normalized(_ axis: Int, rank: Int) throws(CallError) -> Int {
    guard let normal = Shape.normalizedAxis(axis, rank: rank), rank > 0 else { throw CallError("axis \(axis) does not fit rank \(rank)") }
    return normal
  }

  // MARK: Element by element

  /// `value` converted to another element type. Floating-point numbers are truncated to integers.
  package func converted(_ value: ValueID, to dtype: DType) throws(CallError) -> ValueID {
    let signature = try signature(of: value)
    guard signature.dtype != dtype else { return value }
    guard let type = ComputeType(for: signature.dtype) else { throw CallError("\(signature.dtype) cannot become \(dtype)") }
    return intermediate(Pointwise(.identity(as: type), dtype: dtype, label: "cast"), [value], signature.with(dtype))
  }

  /// A function of tensors that broadcast, computed in `type`.
  package func pointwise(
    _ label: String, values: [ValueID], in type: DType, _ signature: TensorSignature,
    _ body: (inout PointwiseBuilder, [Int]) throws -> Void
  ) throws -> ValueID {
    var build = try PointwiseBuilder(type)
    let registers = values.map { build.load($0) }
    try body(&build, registers)
    return intermediate(build.node(label, dtype: signature.dtype), build.operands, signature)
  }
}

extension TensorSignature {
  /// The same shape with elements of another type.
  package func with(_ dtype: DType) -> TensorSignature { TensorSignature(dtype: dtype, dimensions: dimensions, dimOrder: dimOrder) }
}

extension Constant {
  /// A float32 constant created by the importer.
  package convenience init(_ values: [Float], shape: [Int]) { self.init(elements: values, .float32, shape: shape) }

  /// A float64 constant created by the importer.
  package convenience init(_ values: [Double], shape: [Int]) { self.init(elements: values, .float64, shape: shape) }

  /// An int32 constant created by the importer.
  package convenience init(_ values: [Int32], shape: [Int]) { self.init(elements: values, .int32, shape: shape) }

  /// A constant of elements of the type `dtype`.
  convenience init<Element: BitwiseCopyable>(elements: [Element], _ dtype: DType, shape: [Int]) {
    precondition(Shape.elementCount(shape) == elements.count, "the shape does not fit the elements")
    var tensor = HostTensor(zeros: dtype, shape: shape)
    unsafe tensor.withUnsafeMutableBytes { bytes in unsafe elements.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) } }
    self.init(tensor)
  }
}
