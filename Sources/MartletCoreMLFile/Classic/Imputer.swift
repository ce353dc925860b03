import MartletBytes
import MartletFeatures

/// Replaces missing values.
package struct Imputer: Sendable, Equatable {
  package enum Value: Sendable, Equatable {
    case double(Double)
    case integer(Int64)
    case string(String)
    /// One for each element of the input.
    case doubles([Double])
    case integers([Int64])
    case stringDictionary([String: Double])
    case integerDictionary([Int64: Double])
  }

  /// A value that stands for a missing one.
  package enum Marker: Sendable, Equatable {
    case double(Double)
    case integer(Int64)
    case string(String)
  }

  package let imputed: Value
  /// NaN stands for a missing number if this is nil.
  package let replaced: Marker?
}

extension ClassicReader {
  func imputer(_ source: SpecImputer) throws(FileError) -> Imputer {
    let input = try interface.only(.input, .int64, .double, .multiArray, .string, .dictionary)
    let output = try interface.only(.output, .int64, .double, .multiArray, .string, .dictionary)
    guard input.kind == output.kind else { throw interface.error(.output, output, "is not of the input's type, \(input.kind.rawValue)") }
    let extent = try checkVectors(input, output)

    let (imputed, kinds, marker) = try imputed(source)
    guard kinds.contains(input.kind) else {
      throw error("ImputedValue", "the value does not fit the input's type, \(input.kind.rawValue)")
    }
    let count: Int? =
      switch imputed {
      case .doubles(let values): values.count
      case .integers(let values): values.count
      default: nil
      }
    if let count, let extent, count != extent {
      throw error("ImputedValue", "there are \(count) values for an input of \(extent) elements")
    }
    let replaced: Imputer.Marker
    switch source.replaceValue {
    case nil: return Imputer(imputed: imputed, replaced: nil)
    case .replaceDoubleValue(let value): replaced = .double(value)
    case .replaceInt64Value(let value): replaced = .integer(value)
    case .replaceStringValue(let value): replaced = .string(value)
    }
    guard FeatureKind(replaced) == marker else { throw error("ReplaceValue", "the value is not of the type of the imputed one") }
    return Imputer(imputed: imputed, replaced: replaced)
  }

  /// The value with the types of inputs that it is for, and the type of the replaced values; nil if none can be given.
  private func imputed(_ source: SpecImputer) throws(FileError) -> (Imputer.Value, [FeatureKind], FeatureKind?) {
    switch source.imputedValue {
    case .imputedDoubleValue(let value): return (.double(value), [.double, .multiArray], .double)
    case .imputedInt64Value(let value): return (.integer(value), [.int64], .int64)
    case .imputedStringValue(let value): return (.string(value), [.string], .string)
    case .imputedDoubleArray(let list): return (.doubles(list.vector), [.multiArray], .double)
    case .imputedInt64Array(let list): return (.integers(list.vector), [.multiArray], .int64)
    case .imputedStringDictionary(let table): return (.stringDictionary(table.map), [.dictionary], nil)
    case .imputedInt64Dictionary(let table): return (.integerDictionary(table.map), [.dictionary], nil)
    case nil: throw error("ImputedValue", "the value is missing")
    }
  }

  /// Checks that arrays have one axis and the same extent.
  /// - Returns: the extent; nil for features that are not arrays.
  func checkVectors(_ input: FeatureDescription, _ output: FeatureDescription) throws(FileError) -> Int? {
    guard let array = input.array, let result = output.array else { return nil }
    guard array.shape.count == 1 else { throw interface.error(.input, input, "the array must have one axis, not \(array.shape.count)") }
    guard result.shape == array.shape else {
      throw interface.error(.output, output, "the shape \(result.shape) is not that of the input, \(array.shape)")
    }
    return array.shape[0]
  }
}

extension FeatureKind {
  fileprivate init(_ marker: Imputer.Marker) {
    self =
      switch marker {
      case .double: .double
      case .integer: .int64
      case .string: .string
      }
  }
}
