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
  ///   - order: all labels, in the model's order.
  package static func classes(label: String, probabilities: [String: Double]?, order: [String]?) -> [RankedClass] {
    guard let probabilities else { return [RankedClass(identifier: label, confidence: 1)] }
    // Each class is looked up once, not at every comparison.
    var left = probabilities
    var classes: [RankedClass] = []
    classes.reserveCapacity(probabilities.count)
    for label in order ?? [] {
      if let probability = left.removeValue(forKey: label) {
        classes.append(RankedClass(identifier: label, confidence: Float(probability)))
      }
    }
    let others = left.sorted { $0.key < $1.key }
    classes += others.map { RankedClass(identifier: $0.key, confidence: Float($0.value)) }
    return ranked(classes)
  }
}
