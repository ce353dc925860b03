import Martlet

/// The names of a provider's features. Rows of a batch that share them are read without looking up each name in each row.
final class FeatureNames: RandomAccessCollection, Sendable {
  static let none = FeatureNames([])

  private let names: [String]
  private let positions: [String: Int]

  /// A name that is repeated refers to its first position.
  init(_ names: [String]) {
    self.names = names
    positions = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
  }

  var startIndex: Int { 0 }
  var endIndex: Int { names.count }
  subscript(position: Int) -> String { names[position] }

  func position(of name: String) -> Int? { positions[name] }

  // MARK: Sharing

  /// The names used last.
  private static let recent = Guarded<[FeatureNames]>([])
  private static let recentCount = 4

  /// The keys of a dictionary, and their values in the same order. Dictionaries with the same keys get the same object, unless too many others
  /// came between them.
  static func shared<Value>(by dictionary: [String: Value]) -> (FeatureNames, [Value]) {
    for names in recent.withLock({ $0 }) {
      if let values = names.values(in: dictionary) { return (names, values) }
    }
    let names = FeatureNames(Array(dictionary.keys))
    recent.withLock { recent in
      if recent.count == recentCount { recent.removeLast() }
      recent.insert(names, at: 0)
    }
    return (names, Array(dictionary.values))
  }

  /// The value of each name, or nil if the keys of the dictionary are not exactly these names.
  private func values<Value>(in dictionary: [String: Value]) -> [Value]? {
    guard dictionary.count == count, names.first.map({ dictionary[$0] != nil }) ?? true else { return nil }
    var values: [Value] = []
    values.reserveCapacity(count)
    for name in names {
      guard let value = dictionary[name] else { return nil }
      values.append(value)
    }
    return values
  }
}
