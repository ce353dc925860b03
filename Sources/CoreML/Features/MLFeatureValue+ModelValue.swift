import Foundation
package import Martlet

extension MLFeatureValue {
  /// The feature value of what a model gave that is neither an array nor an image.
  /// - Parameter type: the type that an undefined value has.
  convenience init(_ value: ModelValue, type: MLFeatureType) {
    switch value {
    case .int(let number): self.init(int64: Int64(number))
    case .double(let number): self.init(double: number)
    case .bool(let truth): self.init(int64: truth ? 1 : 0)
    case .string(let text): self.init(string: text)
    case .dictionary(let numbers): self.init(content: .numbers(numbers))
    case .sequence(.strings(let strings)): self.init(sequence: MLSequence(strings: strings))
    case .sequence(.integers(let integers)): self.init(sequence: MLSequence(int64s: integers.map { NSNumber(value: $0) }))
    case .tensor, .image, .none: self.init(undefined: type)
    }
  }

  /// The dictionary that a model gave; nil for other values.
  package var modelNumbers: ModelDictionary? { if case .numbers(let numbers) = content { numbers } else { nil } }
}

extension ModelDictionary {
  /// The numbers and their keys as objects.
  var objects: [AnyHashable: NSNumber] {
    func made(_ count: Int, _ pairs: some Sequence<(AnyHashable, Double)>) -> [AnyHashable: NSNumber] {
      var objects = [AnyHashable: NSNumber](minimumCapacity: count)
      for (key, number) in pairs { objects[key] = NSNumber(value: number) }
      return objects
    }
    return switch self {
    case .byString(let numbers): made(numbers.count, numbers.lazy.map { (AnyHashable($0.key), $0.value) })
    case .byInteger(let numbers): made(numbers.count, numbers.lazy.map { (AnyHashable(Int64($0.key)), $0.value) })
    }
  }
}
