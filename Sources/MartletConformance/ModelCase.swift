import Foundation
package import Martlet
import MartletTensor

/// A recorded case's model, run by the engine.
package struct ModelCase: CaseModel {
  let model: Model
  /// The method that runs where a step names none; nil for the model's default.
  let function: String?

  /// A case run by a model that is open already.
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

  package func run(method: String?, inputs: [CaseValue]) throws -> [CaseValue] {
    let values = try inputs.map { input -> ModelValue in
      switch input {
      case .tensor(let tensor, _): .tensor(Tensor(tensor))
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .bool(let value): .bool(value)
      case .string(let value): .string(value)
      case .none: .none
      case .list, .image, .dictionary: throw MartletError.invalidInput("a \(input.kind) is no input of this kind of model")
      }
    }
    return try model.run(values, method: method).map { output in
      switch output {
      case .tensor(let tensor): .tensor(tensor.host, dimOrder: nil)
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .bool(let value): .bool(value)
      case .string(let value): .string(value)
      case .none: .none
      }
    }
  }
}
