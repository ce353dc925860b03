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
  package let mappedFiles: [MappedFile]
  private let chains: [String: ModelChain]
  private let importer: Guarded<MILProgramImporter?>

  package init(_ model: CoreMLModel) {
    self.model = model
    mappedFiles = model.mappedFiles
    methods = model.description.functions.map { MethodSignature($0, of: model) }
    chains = Dictionary(
      model.description.functions.map { ($0.programName, Self.chain(of: $0)) },
      uniquingKeysWith: { first, _ in first })
    importer = Guarded(model.program.map { MILProgramImporter($0, file: model.path) })
  }

  package func function(_ method: String) -> FunctionDescription? {
    model.description.functions.first { $0.programName == method }
  }

  /// The packed weights of a compiled model; nil if there are none.
  package var packedWeights: (any PackedWeightSource)? { model.compiledForm.flatMap { PackedWeightFile($0) } }

  package var defaultMethod: String { model.description.defaultFunction.programName }

  package var summary: String { "\(model.kind), \(model.description.functions.count) functions, version \(model.specificationVersion)" }

  package func hasMethod(_ name: String) -> Bool { function(name) != nil }

  package func graph(of method: String, limits: ResourceLimits) throws -> Graph {
    guard let function = function(method) else { throw MartletError.invalidInput("the model has no function \(method)") }
    return try importer.withLock { importer in
      guard let importer else {
        throw ImportError(
          file: model.path, method: method, location: "\(model.kind)", op: nil, reason: "models of this kind are not supported")
      }
      return try importer.graph(of: function, limits: limits)
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

  private static func chain(of function: FunctionDescription) -> ModelChain {
    var stages: [ModelChain.Stage] = [
      .graph(GraphStep(method: function.programName, inputs: function.inputs, outputs: function.outputs))
    ]
    if let classification = function.classification { stages.append(.function(ClassLabelling(classification))) }
    return ModelChain(stages, inputs: function.inputs.map(\.name), outputs: function.outputs.map(\.name))
  }
}
