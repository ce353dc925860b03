package import MartletCoreMLFile
package import MartletFeatures
package import MartletGraph
package import MartletTensor

/// A numeric model: its features are numbers and arrays, and it consists of nodes of a graph.
package struct ClassicMember: Sendable {
  package let kind: CoreMLModelKind
  package let model: ClassicModel
  package let function: FunctionDescription

  /// Nil if the model is not numeric.
  package init?(_ model: CoreMLModel) {
    guard case .classic(let classic) = model.content else { return nil }
    let function = model.description.defaultFunction
    guard classic.isNumeric(function) else { return nil }
    (kind, self.model, self.function) = (model.kind, classic, function)
  }

  /// True for a model in which NaN stands for a missing number.
  package var acceptsMissingValues: Bool {
    switch model {
    case .imputer, .treeEnsembleClassifier, .treeEnsembleRegressor, .identity: true
    default: false
    }
  }

  /// True for a model whose graph can compute many rows in one call.
  package var hasRows: Bool {
    if case .nonMaximumSuppression = model { return false }
    return (function.inputs + function.outputs).allSatisfy { feature in
      guard case .multiArray(let array) = feature.type else { return true }
      return array.fixedCount != nil
    }
  }
}

/// Imports numeric models, one after another, as one graph. Features of one model are inputs of later ones, by name.
///
/// In the graph every feature is a matrix with a row for each prediction and a column for each element; a number has one column.
package final class ClassicImporter {
  private let members: [ClassicMember]
  private let isTable: Bool
  private let file: String

  /// - Parameters:
  ///   - isTable: true for a graph whose inputs and outputs have a first axis of any extent, one index for each prediction.
  ///   - file: the model's path, for errors.
  package init(_ members: [ClassicMember], isTable: Bool = false, file: String) {
    self.members = members
    self.isTable = isTable
    self.file = file
  }

  package func graph(of declared: FunctionDescription, limits: ResourceLimits) throws -> Graph {
    let builder = GraphBuilder(declared.programName, file: file, constants: ConstantPool(), limits: GraphBuilder.Limits(limits))
    let rows = ClassicRows(builder, isTable: isTable)
    do {
      for feature in declared.inputs { try rows.addInput(feature) }
      for (index, member) in members.enumerated() {
        let op = "\(member.kind)"
        try builder.located(at: "model \(index)", op: op) {
          try builder.operation(op, "\(index)", number: index, source: "\(op) \(index)") { try rows.add(member) }
        }
      }
      let outputs = try declared.outputs.map { try rows.output($0) }
      let graph = try builder.graph(outputs: outputs)
      try graph.verify()
      return graph
    } catch let error as CallError {
      throw ImportError(error, file: file, method: declared.programName, location: "inputs and outputs", op: nil)
    }
  }
}

extension ArrayFeature {
  /// Number of elements; nil if the feature declares no fixed shape.
  package var fixedCount: Int? { flexibility == .fixed && !shape.isEmpty ? Shape.elementCount(shape) : nil }
}
