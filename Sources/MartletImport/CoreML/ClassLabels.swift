package import MartletCoreMLFile

/// The classes of a classifier, in the order of its probabilities.
package enum ClassLabels: Sendable, Hashable {
  case strings([String])
  case integers([Int64])

  package var count: Int {
    switch self {
    case .strings(let labels): labels.count
    case .integers(let labels): labels.count
    }
  }
}

extension MILFunction {
  /// The classes that the function's operation `classify` names; nil for functions that are no classifiers.
  package var classLabels: ClassLabels? {
    guard let operation = block.operations.last(where: { $0.type == "classify" }) else { return nil }
    guard let binding = operation.inputs["classes"]?.bindings.first else { return nil }
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
