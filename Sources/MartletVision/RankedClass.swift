package import Martlet

/// A class of a picture, or of a part of it.
package struct RankedClass: Sendable, Hashable {
  package let identifier: String
  /// As the model gives it.
  package let confidence: Float

  package init(identifier: String, confidence: Float) {
    self.identifier = identifier
    self.confidence = confidence
  }

  /// The classes with the most confident one first. Equal ones keep their order; those that are not numbers are last.
  package static func ranked(_ classes: [RankedClass]) -> [RankedClass] {
    // A number for each class that grows with its rank, then with its place.
    var order = classes.indices.map { UInt64(rank(classes[$0].confidence)) << 32 | UInt64(truncatingIfNeeded: $0) }
    order.sort()
    return order.map { classes[Int(truncatingIfNeeded: $0 & 0xffff_ffff)] }
  }

  /// A number that falls as the confidence grows, and the largest one for NaN.
  private static func rank(_ confidence: Float) -> UInt32 {
    guard !confidence.isNaN else { return .max }
    // Zeros are equal.
    let bits = (confidence + 0).bitPattern
    return bits >> 31 == 0 ? ~bits & 0x7fff_ffff : bits
  }

  /// The classes of a classifier.
  /// - Parameters:
  ///   - label: the most probable class.
  ///   - probabilities: by label; nil if the model gives none, so that the label is certain.
  ///   - order: of the model's labels.
  package static func classes(label: String, probabilities: [String: Double]?, order: LabelOrder?) -> [RankedClass] {
    guard let probabilities else { return [RankedClass(identifier: label, confidence: 1)] }
    var known = [RankedClass?](repeating: nil, count: order?.count ?? 0)
    var others: [RankedClass] = []
    for (label, probability) in probabilities {
      let found = RankedClass(identifier: label, confidence: Float(probability))
      if let place = order?[label] { known[place] = found } else { others.append(found) }
    }
    others.sort { $0.identifier < $1.identifier }
    return ranked(known.compactMap { $0 } + others)
  }
}

/// The labels of a model in its order; one that repeats has its first place.
package struct LabelOrder: Sendable {
  package let count: Int
  private let places: [String: Int]

  package init(_ labels: [String]) {
    count = labels.count
    places = Dictionary(zip(labels, labels.indices), uniquingKeysWith: { first, _ in first })
  }

  /// The place of a label, from 0 on; nil for others.
  package subscript(label: String) -> Int? { places[label] }
}

extension ModelDictionary {
  /// The numbers by the text of their keys.
  package var byText: [String: Double] {
    switch self {
    case .byString(let numbers): numbers
    case .byInteger(let numbers): Dictionary(uniqueKeysWithValues: numbers.map { ("\($0)", $1) })
    }
  }
}
