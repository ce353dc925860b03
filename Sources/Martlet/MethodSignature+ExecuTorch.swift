package import MartletExecuTorchFile
import MartletImport
import MartletTensor

extension MethodSignature {
  /// The signature declared by an ExecuTorch plan. Inputs and outputs have no names in the file: they are called `input0`, `output0` and
  /// so on.
  package init(_ plan: ExecutionPlan) {
    name = plan.name
    inputs = plan.inputs.enumerated().map { ValueSignature(plan.values[$1], name: "input\($0)") }
    outputs = plan.outputs.enumerated().map { ValueSignature(plan.values[$1], name: "output\($0)") }
  }
}

extension ValueSignature {
  fileprivate init(_ value: EValue, name: String) {
    self.name = name
    isOptional = false
    switch value {
    case .tensor(let tensor):
      guard let dtype = DType(tensor.scalarType) else {
        kind = .unsupported("\(tensor.scalarType)\(tensor.sizes)")
        return
      }
      let dynamic = tensor.shapeDynamism != .fixed
      let unbound = tensor.shapeDynamism == .unbound
      kind = .tensor(
        DataType(dtype), shape: tensor.sizes.map { unbound ? -1 : $0 }, isDynamic: tensor.sizes.map { _ in dynamic })
    case .int: kind = .int
    case .double: kind = .double
    case .bool: kind = .bool
    case .string: kind = .string
    case .none: kind = .none
    case .intList, .doubleList, .boolList, .tensorList, .optionalTensorList: kind = .unsupported(value.kindName)
    }
  }
}
