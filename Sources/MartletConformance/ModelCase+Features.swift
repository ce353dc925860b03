package import Martlet
import MartletPixels
import MartletTensor

extension ModelCase {
  package func run(method: String?, inputs: [NamedCaseValue], outputs: [String]) throws -> [String: CaseValue] {
    guard model.coreMLModel != nil else { throw NamedArgumentsUnsupported() }
    let method = method ?? function ?? model.defaultMethod
    let signature = try model.signature(of: method)
    var values: [String: ModelValue] = [:]
    for input in inputs {
      guard signature.inputs.contains(where: { $0.name == input.name }) else {
        throw MartletError.invalidInput("there is no input \(input.name)")
      }
      values[input.name] = try input.value.modelValue
    }
    return try model.run(values, method: method).mapValues { CaseValue($0) }
  }
}

extension CaseValue {
  package init(_ value: ModelValue) {
    switch value {
    case .tensor(let tensor): self = .tensor(tensor.host, dimOrder: nil)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .bool(let value): self = .bool(value)
    case .string(let value): self = .string(value)
    case .image(let picture): self = .image(picture.image)
    case .dictionary(let dictionary): self = .dictionary(dictionary)
    case .sequence(.strings(let strings)): self = .list(strings.map { .string($0) })
    case .sequence(.integers(let integers)): self = .list(integers.map { .int($0) })
    case .none: self = .none
    }
  }

  /// The value as a model takes it.
  /// - Throws: `MartletError.invalidInput` for a list of other values than strings or integers.
  package var modelValue: ModelValue {
    get throws {
      switch self {
      case .tensor(let tensor, _): return .tensor(Tensor(tensor))
      case .int(let value): return .int(value)
      case .double(let value): return .double(value)
      case .bool(let value): return .bool(value)
      case .string(let value): return .string(value)
      case .image(let image): return .image(Picture(image))
      case .dictionary(let dictionary): return .dictionary(dictionary)
      case .none: return .none
      case .list(let items):
        let integers = items.compactMap { if case .int(let number) = $0 { number } else { nil } }
        if integers.count == items.count { return .sequence(.integers(integers)) }
        let strings = items.compactMap { if case .string(let text) = $0 { text } else { nil } }
        guard strings.count == items.count else { throw MartletError.invalidInput("a list is not an input of this kind of model") }
        return .sequence(.strings(strings))
      }
    }
  }
}
