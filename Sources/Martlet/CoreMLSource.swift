package import MartletBytes
package import MartletCoreMLFile
package import MartletFeatures
package import MartletGraph
import MartletImport
import MartletLock
package import MartletOps
package import MartletTensor

/// A Core ML model: `.mlmodel`, `.mlpackage` or `.mlmodelc`. Its functions are the methods.
package final class CoreMLSource: ModelSource {
  package let model: CoreMLModel
  package let methods: [MethodSignature]
  package let defaultMethod: String
  package let mappedFiles: [MappedFile]
  /// The keys of `ModelOptions.linkedModels` that stand for no linked model.
  package let unusedLocations: [String]
  private let chains: [String: ModelChain]
  private let graphs: Guarded<[String: CoreMLStages.StageGraph]>

  /// - Parameter memory: the budget that functions on features charge their results to.
  package init(_ model: CoreMLModel, options: ModelOptions = ModelOptions(), memory: MemoryBudget = MemoryBudget()) {
    self.model = model
    methods = model.description.functions.map { MethodSignature($0, of: model) }
    defaultMethod = model.description.defaultFunction.programName
    let stages = CoreMLStages(model, options: options, memory: memory)
    mappedFiles = model.mappedFiles + stages.linkedModels.flatMap(\.mappedFiles)
    unusedLocations = stages.unusedLocations
    chains = stages.chains
    graphs = Guarded(stages.graphs)
  }

  package func function(_ method: String) -> FunctionDescription? {
    model.description.functions.first { $0.programName == method }
  }

  /// The packed weights of a compiled model; nil if there are none.
  package var packedWeights: (any PackedWeightSource)? { model.compiledForm.flatMap { PackedWeightFile($0) } }

  package var summary: String { "\(model.kind), \(model.description.functions.count) functions, version \(model.specificationVersion)" }

  package func hasMethod(_ name: String) -> Bool { function(name) != nil }

  package func hasGraph(_ name: String) -> Bool { graphs.withLock { $0[name] != nil } }

  package func graph(of name: String, limits: ResourceLimits) throws -> Graph {
    try graphs.withLock { graphs in
      guard let graph = graphs[name] else { throw MartletError.invalidInput("the model has no graph \(name)") }
      var imported = try graph.importer.graph(of: graph.function, limits: limits)
      imported.name = name
      return imported
    }
  }

  package func usualShape(ofInput position: Int, of method: String) -> [Int]? {
    guard let inputs = function(method)?.inputs, inputs.indices.contains(position) else { return nil }
    switch inputs[position].type {
    case .multiArray(let array): return array.shape
    case .image(let image): return [1, 1, image.size.height, image.size.width]
    default: return nil
    }
  }

  package func chain(of method: String) -> ModelChain? { chains[method] }
}
