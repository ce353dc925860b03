import Foundation
import Martlet

extension MLFeatureValue {
  /// The feature value of what a model gave that is neither an array nor an image.
  /// - Parameter type: the type that an undefined value has.
  convenience init(_ value: ModelValue, type: MLFeatureType) {
    switch value {
    case .int(let number): self.init(int64: Int64(number))
    case .double(let number): self.init(double: number)
    case .bool(let truth): self.init(int64: truth ? 1 : 0)
    case .string(let text): self.init(string: text)
    case .dictionary(.byString(let numbers)):
      let pairs = numbers.map { (AnyHashable($0.key), NSNumber(value: $0.value)) }
      self.init(content: .dictionary(Dictionary(pairs, uniquingKeysWith: { $1 })))
    case .dictionary(.byInteger(let numbers)):
      let pairs = numbers.map { (AnyHashable(Int64($0.key)), NSNumber(value: $0.value)) }
      self.init(content: .dictionary(Dictionary(pairs, uniquingKeysWith: { $1 })))
    case .sequence(.strings(let strings)): self.init(sequence: MLSequence(strings: strings))
    case .sequence(.integers(let integers)): self.init(sequence: MLSequence(int64s: integers.map { NSNumber(value: $0) }))
    case .tensor, .image, .none: self.init(undefined: type)
    }
  }
}
