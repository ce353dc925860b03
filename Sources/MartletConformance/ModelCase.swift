import FoundationEssentials
package import Martlet
import MartletCoreMLFile

/// A recorded case's model, run by the engine.
package struct ModelCase: CaseModel {
  let model: Model
  /// The method to run if a step does not name one; nil for the model's default method.
  let function: String?

  /// Runs a case on a model that is already open.
  package init(_ model: Model) {
    self.model = model
    function = nil
  }

  /// Opens the model of a case with its data files.
  package init(_ recorded: RecordedCase, options base: ModelOptions) throws {
    var options = base
    options.dataFiles = recorded.dataPaths.map { URL(fileURLWithPath: $0) }
    options.sharesStateBetweenMethods = recorded.sharesMemoryArenas
    function = recorded.function
    model = try Model(contentsOf: URL(fileURLWithPath: recorded.modelPath), options: options)
  }

  package var ignoresUnitExtents: Bool { if case .network(_)? = model.coreMLModel?.content { true } else { false } }

  package func generationFailures(of recorded: RecordedCase) -> [CaseFailure] {
    model.program == nil ? [] : GenerationCheck(recorded: recorded, options: model.options).failures()
  }

  package func run(method: String?, inputs: [CaseValue]) throws -> [CaseValue] {
    try model.run(try inputs.map { try $0.modelValue }, method: method).map { CaseValue($0) }
  }
}
