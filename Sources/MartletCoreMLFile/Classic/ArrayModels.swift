import MartletBytes
import MartletFeatures
import MartletTensor

/// (x + shift) · scale
package struct Scaler: Sendable, Equatable {
  /// Empty, one for all elements, or one for each.
  package let shifts: [Double]
  /// Empty, one for all elements, or one for each.
  package let scales: [Double]
}

/// Divides an array by its norm.
package struct Normalizer: Sendable, Equatable {
  package enum Norm: Sendable, Equatable, CaseIterable {
    case max, l1, l2
  }

  package let norm: Norm
}

/// Selects elements of an array.
package struct ArrayFeatureExtractor: Sendable, Equatable {
  package let indices: [Int]
}

extension ClassicReader {
  func scaler(_ source: SpecScaler) throws(FileError) -> Scaler {
    let input = try interface.only(.input, .int64, .double, .multiArray)
    let output = try interface.only(.output, .int64, .double, .multiArray)
    guard input.kind == output.kind || input.kind == .int64 && output.kind == .double else {
      throw interface.error(.output, output, "is not of the input's type, \(input.kind.rawValue)")
    }
    let extent = try checkVectors(input, output) ?? 1
    func checked(_ values: [Double], _ field: String) throws(FileError) -> [Double] {
      guard values.count <= 1 || values.count == extent else {
        throw error(field, "there are \(values.count) values for an input of \(extent) elements")
      }
      return values
    }
    return Scaler(shifts: try checked(source.shiftValue, "shiftValue"), scales: try checked(source.scaleValue, "scaleValue"))
  }

  func normalizer(_ source: SpecNormalizer) throws(FileError) -> Normalizer {
    try interface.check(.input, atMost: 1, .multiArray)
    try interface.check(.output, atMost: 1, .multiArray)
    switch source.normType {
    case .lmax: return Normalizer(norm: .max)
    case .l1: return Normalizer(norm: .l1)
    case .l2: return Normalizer(norm: .l2)
    case .UNRECOGNIZED(let number): throw error("normType", "\(number) is not a known norm")
    }
  }

  func arrayFeatureExtractor(_ source: SpecArrayFeatureExtractor) throws(FileError) -> ArrayFeatureExtractor {
    let input = try interface.only(.input, .multiArray)
    let output = try interface.only(.output, .double, .int64, .multiArray)
    guard output.kind != .double || source.extractIndex.count == 1 else {
      throw error("extractIndex", "a number as output needs one index, not \(source.extractIndex.count)")
    }
    // The shape is known unless it is flexible or not declared.
    var limit = Shape.largestElementCount
    if let array = input.array, array.flexibility == .fixed, !array.shape.isEmpty { limit = Shape.elementCount(array.shape) ?? limit }
    var indices: [Int] = []
    indices.reserveCapacity(source.extractIndex.count)
    for (position, number) in source.extractIndex.enumerated() {
      guard let index = Int(exactly: number), index < limit else {
        throw error("extractIndex[\(position)]", "\(number) is not below the number of elements, \(limit)")
      }
      indices.append(index)
    }
    return ArrayFeatureExtractor(indices: indices)
  }
}
