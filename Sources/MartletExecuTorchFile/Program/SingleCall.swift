import MartletBytes
import MartletTensor

extension ExecuTorchProgram {
  /// Creates a program in memory: a method `forward` with a single call.
  ///
  /// - Parameters:
  ///   - op: the operator's name and overload, such as `aten::add.out`.
  ///   - values: the values of the method, to which the indices in `arguments`, `inputs`, `outputs` and lists refer.
  package init(calling op: String, arguments: [Int], values: [EValue], inputs: [Int], outputs: [Int]) {
    let parts = op.split(separator: ".", maxSplits: 1)
    let name = ExecutionPlan.OperatorName(name: String(parts[0]), overload: parts.count > 1 ? String(parts[1]) : "")
    let chain = ExecutionPlan.Chain(
      inputs: [], outputs: [], instructions: [.kernelCall(operatorIndex: 0, arguments: arguments)], stacktrace: [])
    let plan = ExecutionPlan(
      name: "forward", containerMetaType: nil, values: values, inputs: inputs, outputs: outputs, chains: [chain], operators: [name],
      delegates: [], bufferSizes: [0], bufferDevices: [:])
    self.init(plan: plan, name: op)
  }

  private init(plan: ExecutionPlan, name: String) {
    file = ByteView(of: MappedFile(copying: [], name: name))
    header = nil
    version = 0
    plans = [plan]
    segments = []
    namedData = [:]
  }
}

extension ProgramTensor {
  /// Creates a row-major tensor.
  /// - Precondition: the shape's byte count does not overflow.
  package convenience init(_ scalarType: ScalarType, sizes: [Int], data: Data) {
    self.init(layout: TensorLayout(scalarType, sizes: sizes), data: data)
  }
}

extension TensorLayout {
  fileprivate init(_ scalarType: ScalarType, sizes: [Int]) {
    self.scalarType = scalarType
    self.sizes = sizes
    dimOrder = Array(sizes.indices)
    let count = Extent.product(sizes)
    elementCount = count.clamped
    byteCount = scalarType.byteCount.map { (count * $0).clamped }
  }
}
