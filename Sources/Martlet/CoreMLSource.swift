package import MartletCoreMLFile
package import MartletGraph
import MartletImport
import MartletLock
package import MartletOps
import MartletTensor

/// A Core ML model: `.mlmodel`, `.mlpackage` or `.mlmodelc`. Its functions are the methods.
package final class CoreMLSource: ModelSource {
  package let model: CoreMLModel
  package let methods: [MethodSignature]
  private let importer: Guarded<MILProgramImporter?>

  package init(_ model: CoreMLModel) {
    self.model = model
    methods = model.description.functions.map { MethodSignature($0, of: model) }
    importer = Guarded(model.program.map { MILProgramImporter($0, file: model.path) })
  }

  package func function(_ method: String) -> CoreMLFunctionDescription? {
    model.description.functions.first { $0.programName == method }
  }

  /// The packed weights of a compiled model; nil if there are none.
  package var packedWeights: (any PackedWeightSource)? { model.compiledForm.flatMap { PackedWeightFile($0) } }

  package var defaultMethod: String { model.description.defaultFunction.programName }

  package var summary: String { "\(model.kind), \(model.description.functions.count) functions, version \(model.specificationVersion)" }

  package func hasMethod(_ name: String) -> Bool { function(name) != nil }

  package func graph(of method: String) throws -> Graph {
    guard let function = function(method) else { throw MartletError.invalidInput("the model has no function \(method)") }
    return try importer.withLock { importer in
      guard let importer else {
        throw ImportError(
          file: model.path, method: method, location: "model", op: "\(model.kind)", reason: "models of this kind are not supported")
      }
      return try importer.graph(of: function)
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

  /// Default value of an optional array input: an array of the default shape, filled with the default from the model description.
  package func defaultInput(_ name: String, of method: String) -> ModelValue? {
    guard let feature = function(method)?.inputs.first(where: { $0.name == name }), feature.isOptional,
      case .multiArray(let array) = feature.type, let value = array.defaultValue
    else { return nil }
    let number: Scalar =
      switch value {
      case .int(let number): .int(Int64(number))
      case .float(let number): .double(Double(number))
      case .double(let number): .double(number)
      }
    guard let signature = methods.first(where: { $0.name == method })?.inputs.first(where: { $0.name == name }),
      case .tensor(let dataType, _, _) = signature.kind
    else { return nil }
    return HostTensor(repeating: number, dtype: dataType.dtype, shape: array.shape).map { .tensor(Tensor($0)) }
  }
}
