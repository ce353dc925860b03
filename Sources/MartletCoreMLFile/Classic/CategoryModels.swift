import MartletBytes
import MartletFeatures
import MartletTensor

/// A vector with a column for each category: 1 in the column of the input, 0 in others.
package struct OneHotEncoder: Sendable, Equatable {
  /// In the order of the columns. Of equal categories the first one counts.
  package let categories: Categories
  /// True if the result is a dictionary with the column as key.
  package let isSparse: Bool
  /// True if a value that is no category gives zeros; otherwise it is an error.
  package let ignoresUnknown: Bool
}

/// A dictionary's values as a vector with a column for each key.
package struct DictVectorizer: Sendable, Equatable {
  /// In the order of the columns. Of equal keys the first one counts.
  package let keys: Categories
}

package enum CategoricalMapping: Sendable, Equatable {
  /// - Parameter unknown: the result for other inputs; nil if they are an error.
  case toIntegers(MappingTable<String, Int64>, unknown: Int64?)
  case toStrings(MappingTable<Int64, String>, unknown: String?)
}

/// Numbers, arrays and dictionaries in sequence as one vector.
package struct FeatureVectorizer: Sendable, Equatable {
  package struct Column: Sendable, Equatable {
    /// The input.
    package let name: String
    /// Number of its elements, at least 1.
    package let count: Int
  }

  package let columns: [Column]
  /// Number of elements of the result.
  package let elementCount: Int

  /// Number of elements that a result may have.
  package static let maximumElements = 1 << 30
}

extension ClassicReader {
  func oneHotEncoder(_ source: SpecOneHotEncoder) throws(FileError) -> OneHotEncoder {
    try interface.check(.input, atMost: 1, .int64, .string)
    if source.outputSparse {
      try interface.check(.output, atMost: 1, .dictionary)
    } else {
      try interface.check(.output, atMost: 1, .multiArray)
    }
    let categories: Categories
    switch source.categoryType {
    case .stringCategories(let list): categories = storedCategories ?? .strings(KeyTable(list.vector))
    case .int64Categories(let list): categories = storedCategories ?? .integers(KeyTable(list.vector))
    case nil: throw error("CategoryType", "the categories are missing")
    }
    switch source.handleUnknown {
    case .errorOnUnknown: return OneHotEncoder(categories: categories, isSparse: source.outputSparse, ignoresUnknown: false)
    case .ignoreUnknown: return OneHotEncoder(categories: categories, isSparse: source.outputSparse, ignoresUnknown: true)
    case .UNRECOGNIZED(let number): throw error("handleUnknown", "\(number) is not a known value")
    }
  }

  func dictVectorizer(_ source: SpecDictVectorizer) throws(FileError) -> DictVectorizer {
    try interface.check(.input, atMost: 1, .dictionary)
    // The format allows dictionaries as result; converters declare arrays.
    try interface.check(.output, atMost: 1, .dictionary, .multiArray)
    switch source.map {
    case .stringToIndex(let list): return DictVectorizer(keys: storedCategories ?? .strings(KeyTable(list.vector)))
    case .int64ToIndex(let list): return DictVectorizer(keys: storedCategories ?? .integers(KeyTable(list.vector)))
    case nil: throw error("Map", "the keys are missing")
    }
  }

  /// The categories of a compiled form.
  private var storedCategories: Categories? { if case .categories(let stored)? = tables { stored } else { nil } }

  func categoricalMapping(_ source: SpecCategoricalMapping) throws(FileError) -> CategoricalMapping {
    switch source.mappingType {
    case .stringToInt64Map(let table):
      try checkMapping(from: .string, to: .int64)
      let map = if case .toIntegers(let stored)? = tables { stored } else { MappingTable(table.map) }
      switch source.valueOnUnknown {
      case .int64Value(let value): return .toIntegers(map, unknown: value)
      case nil: return .toIntegers(map, unknown: nil)
      case .strValue: throw error("ValueOnUnknown", "is a text, but the mapping gives integers")
      }
    case .int64ToStringMap(let table):
      try checkMapping(from: .int64, to: .string)
      let map = if case .toStrings(let stored)? = tables { stored } else { MappingTable(table.map) }
      switch source.valueOnUnknown {
      case .strValue(let value): return .toStrings(map, unknown: value)
      case nil: return .toStrings(map, unknown: nil)
      case .int64Value: throw error("ValueOnUnknown", "is an integer, but the mapping gives texts")
      }
    case nil: throw error("MappingType", "the mapping is missing")
    }
  }

  /// Checks that input and output are of these types, or sequences of them.
  private func checkMapping(from: FeatureKind, to: FeatureKind) throws(FileError) {
    let input = try interface.only(.input, from, .sequence)
    let output = try interface.only(.output, to, .sequence)
    guard (input.kind == .sequence) == (output.kind == .sequence) else {
      throw interface.error(.output, output, "either both features are sequences or none")
    }
    for (side, feature, kind) in [(ClassicInterface.Side.input, input, from), (.output, output, to)] {
      guard case .sequence(let sequence) = feature.type else { continue }
      guard sequence.element == (kind == .string ? .string : .int64) else {
        throw interface.error(side, feature, "the elements are not of the mapping's type, \(kind.rawValue)")
      }
    }
  }

  func featureVectorizer(_ source: SpecFeatureVectorizer) throws(FileError) -> FeatureVectorizer {
    try interface.check(.input, .int64, .double, .multiArray, .dictionary)
    try interface.check(.output, atMost: 1, .multiArray)
    var columns: [FeatureVectorizer.Column] = []
    var total: Extent = 0
    for (index, column) in source.inputList.enumerated() {
      try interface.feature(
        .input, named: column.inputColumn, by: "inputList[\(index)].inputColumn", .int64, .double, .multiArray, .dictionary)
      total += Extent(column.inputDimensions)
      guard total.fits(FeatureVectorizer.maximumElements), let count = Int(exactly: column.inputDimensions) else {
        throw error(
          "inputList[\(index)].inputDimensions",
          "with \(column.inputDimensions) the result exceeds the limit of \(FeatureVectorizer.maximumElements) elements")
      }
      guard count > 0 else { throw error("inputList[\(index)].inputDimensions", "an input has at least one element") }
      columns.append(FeatureVectorizer.Column(name: column.inputColumn, count: count))
    }
    return FeatureVectorizer(columns: columns, elementCount: total.clamped)
  }
}
