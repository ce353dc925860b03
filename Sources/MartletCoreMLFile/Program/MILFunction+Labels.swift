package import MartletFeatures

/// What makes a classifier of a function.
package struct Classification: Sendable, Hashable {
  package let labels: ClassLabels
  /// The output with the label. The program gives the position of its class.
  package let label: String
  /// The output with the probabilities by label, if there is one. The program gives a tensor.
  package let probabilities: String?
}

extension CoreMLModel {
  /// The classification that gives a function's predicted feature; nil for functions that are no classifiers.
  package func classification(of function: CoreMLFunctionDescription) -> Classification? {
    guard let program = program(for: function) else { return nil }
    let candidates = function.predictedFeatureName.map { [$0] } ?? function.outputs.map(\.name)
    guard
      let operation = program.block.operations.last(where: { operation in
        operation.type == "classify" && operation.outputs.first.map { candidates.contains($0.name) } == true
      }), let label = operation.outputs.first?.name, let labels = operation.classLabels(in: program.block)
    else { return nil }
    return Classification(
      labels: labels, label: label, probabilities: operation.outputs.count > 1 ? operation.outputs[1].name : nil)
  }
}

extension MILOperation {
  /// The classes of an operation `classify`, which are constants.
  fileprivate func classLabels(in block: MILBlock) -> ClassLabels? {
    guard let binding = inputs["classes"]?.bindings.first else { return nil }
    let value: MILValue?
    switch binding {
    case .value(let immediate): value = immediate
    case .name(let name): value = block.operations.first { $0.outputs.first?.name == name }?.attributes["val"]
    }
    switch value {
    case .list(let items, _)?:
      let strings = items.compactMap(\.string)
      if strings.count == items.count { return .strings(strings) }
      let integers = items.compactMap { $0.tensor?.integers?.first }
      return integers.count == items.count ? .integers(integers) : nil
    case .tensor(let tensor)?:
      if tensor.dataType == .string { return .strings(tensor.strings) }
      return tensor.integers.map { .integers($0) }
    default: return nil
    }
  }
}
