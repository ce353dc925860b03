import MartletFeatures

extension ModelDescription {
  /// The description with the labels of the functions that are classifiers.
  func withLabels(of program: MILProgram) -> ModelDescription {
    var result = self
    for index in result.functions.indices {
      let function = result.functions[index]
      result.functions[index].classification = program.function(named: function.programName)?.classification(of: function)
    }
    return result
  }
}

extension MILFunction {
  /// The classification that computes the predicted feature; nil for functions that are not classifiers.
  fileprivate func classification(of declared: FunctionDescription) -> Classification? {
    let candidates = declared.predictedFeatureName.map { [$0] } ?? declared.outputs.map(\.name)
    guard
      let operation = block.operations.last(where: { operation in
        operation.type == "classify" && operation.outputs.first.map { candidates.contains($0.name) } == true
      }), let label = operation.outputs.first?.name, let labels = operation.classLabels(in: block)
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
