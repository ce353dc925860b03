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
    (function.inputs + function.outputs).allSatisfy { feature in
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
  private let forests: ForestCache

  /// - Parameter file: the model's path, for errors.
  package convenience init(_ members: [ClassicMember], file: String) {
    self.init(members, isTable: false, file: file, forests: ForestCache())
  }

  private init(_ members: [ClassicMember], isTable: Bool, file: String, forests: ForestCache) {
    self.members = members
    self.isTable = isTable
    self.file = file
    self.forests = forests
  }

  /// The importer of a graph whose inputs and outputs have a first axis of any extent, with an index for each prediction. It shares what
  /// it makes with this one; their calls are serialised by the caller.
  package var table: ClassicImporter { ClassicImporter(members, isTable: true, file: file, forests: forests) }

  package func graph(of declared: FunctionDescription, limits: ResourceLimits) throws -> Graph {
    let builder = GraphBuilder(declared.programName, file: file, constants: ConstantPool(), limits: GraphBuilder.Limits(limits))
    let rows = ClassicRows(builder, isTable: isTable, forests: forests)
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
