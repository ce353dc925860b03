import MartletCoreMLFile
import MartletFeatures
import MartletTensor

/// The column of each category. Of equal categories the first one counts.
struct CategoryColumns: Sendable {
  private let positions: CategoryPositions
  let count: Int

  init(_ categories: Categories) {
    count = categories.count
    positions = CategoryPositions(categories)
  }

  /// The column of a value; nil if it is no category.
  func column(of value: ModelValue) -> Int? {
    switch value {
    case .string(let text): positions[text]
    case .int(let number): positions[Int64(widening: number)]
    case .double(let number): Int64(exactly: number).flatMap { positions[$0] }
    case .tensor(let tensor): tensor.host.numbers.first.flatMap { Int64(exactly: $0) }.flatMap { positions[$0] }
    default: nil
    }
  }

  /// The numbers of a dictionary with their columns; entries of other keys are left out.
  func entries(of dictionary: ModelDictionary) -> [(column: Int, number: Double)] {
    switch dictionary {
    case .byString(let numbers): numbers.compactMap { key, number in positions[key].map { ($0, number) } }
    case .byInteger(let numbers): numbers.compactMap { key, number in positions[Int64(widening: key)].map { ($0, number) } }
    }
  }
}

extension ModelValue {
  /// A vector of doubles whose length the file determines.
  ///
  /// - Parameters:
  ///   - memory: charged for the time of the call: afterwards the vector is the caller's.
  ///   - fill: writes over zeros.
  /// - Throws: `AllocationError` if the vector exceeds the budget, and what `fill` throws.
  fileprivate init(
    vectorOf count: Int, charging memory: MemoryBudget, fill: (_ vector: UnsafeMutableBufferPointer<Double>) throws -> Void
  ) throws {
    guard let byteCount = HostTensor.byteCount(dtype: .float64, shape: [count]) else { throw AllocationError(byteCount: .max) }
    try memory.charge(byteCount)
    defer { memory.refund(byteCount) }
    let storage = try TensorStorage.zeroed(allocating: byteCount)
    try unsafe fill(UnsafeMutableBufferPointer(start: storage.pointer.bindMemory(to: Double.self, capacity: count), count: count))
    self = .tensor(Tensor(HostTensor(dtype: .float64, shape: [count], storage: storage)))
  }
}

extension MartletError {
  /// The error for a feature whose value a model does not take.
  static func mismatch(_ name: String, _ expected: String, _ value: ModelValue?) -> MartletError {
    guard let value else { return .invalidInput("the feature \(name) is missing") }
    return .invalidInput("the feature \(name) is \(expected), not \(value.kind)")
  }
}

extension [String: ModelValue] {
  /// The number that an optional feature gives; nil if it is absent.
  /// - Throws: `MartletError.invalidInput` if its value is not a number.
  func number(_ name: String?) throws -> Double? {
    guard let name else { return nil }
    switch self[name] ?? .none {
    case .none: return nil
    case .double(let number): return number
    case .int(let number): return Double(number)
    case .tensor(let tensor) where tensor.host.elementCount == 1: return tensor.host.numbers.first
    case let value: throw MartletError.mismatch(name, "a number", value)
    }
  }
}

/// 1 in the column of a category, 0 in others.
struct OneHotFunction: FeatureFunction {
  private let encoder: OneHotEncoder
  private let columns: CategoryColumns
  private let input: String
  private let output: String
  private let memory: MemoryBudget

  /// - Parameter memory: the budget that the vector is charged to.
  init(_ encoder: OneHotEncoder, input: String, output: String, memory: MemoryBudget) {
    (self.encoder, self.input, self.output, self.memory) = (encoder, input, output, memory)
    columns = CategoryColumns(encoder.categories)
  }

  func apply(to features: inout [String: ModelValue]) throws {
    let value = features[input] ?? .none
    let column = columns.column(of: value)
    guard column != nil || encoder.ignoresUnknown else {
      throw MartletError.invalidInput("the feature \(input) is not one of the model's \(columns.count) categories", found: value.text)
    }
    if encoder.isSparse {
      features[output] = .dictionary(.byInteger(column.map { [$0: 1] } ?? [:]))
    } else {
      features[output] = try unsafe ModelValue(vectorOf: columns.count, charging: memory) { vector in
        if let column { unsafe vector[column] = 1 }
      }
    }
  }
}

/// The numbers of a dictionary in the columns of their keys. Other keys are ignored.
struct DictVectorizerFunction: FeatureFunction {
  private let columns: CategoryColumns
  private let input: String
  private let output: String
  private let isDictionary: Bool
  private let memory: MemoryBudget

  /// - Parameters:
  ///   - output: a dictionary by column, or an array.
  ///   - memory: the budget that an array is charged to.
  init(_ vectorizer: DictVectorizer, input: String, output: FeatureDescription?, memory: MemoryBudget) {
    columns = CategoryColumns(vectorizer.keys)
    (self.input, self.output, self.memory) = (input, output?.name ?? "", memory)
    isDictionary = if case .dictionary? = output?.type { true } else { false }
  }

  func apply(to features: inout [String: ModelValue]) throws {
    guard case .dictionary(let dictionary)? = features[input] else {
      throw MartletError.mismatch(input, "a dictionary", features[input])
    }
    let entries = columns.entries(of: dictionary)
    if isDictionary {
      let numbers = Dictionary(entries.map { ($0.column, $0.number) }, uniquingKeysWith: { first, _ in first })
      features[output] = .dictionary(.byInteger(numbers))
    } else {
      features[output] = try unsafe ModelValue(vectorOf: columns.count, charging: memory) { vector in
        for (column, number) in entries { unsafe vector[column] = number }
      }
    }
  }
}

/// Replaces texts by integers, or integers by texts, one or a sequence.
struct CategoricalMappingFunction: FeatureFunction {
  private let mapping: CategoricalMapping
  private let input: String
  private let output: String

  init(_ mapping: CategoricalMapping, input: String, output: String) {
    (self.mapping, self.input, self.output) = (mapping, input, output)
  }

  func apply(to features: inout [String: ModelValue]) throws {
    switch (mapping, features[input]) {
    case (.toIntegers, .string(let text)?): features[output] = .int(try integer(text))
    case (.toIntegers, .sequence(.strings(let texts))?): features[output] = .sequence(.integers(try texts.map { try integer($0) }))
    case (.toStrings, .int(let number)?): features[output] = .string(try text(number))
    case (.toStrings, .sequence(.integers(let numbers))?): features[output] = .sequence(.strings(try numbers.map { try text($0) }))
    case (.toIntegers, let value): throw MartletError.mismatch(input, "a string or a sequence of strings", value)
    case (.toStrings, let value): throw MartletError.mismatch(input, "an integer or a sequence of integers", value)
    }
  }

  private func integer(_ text: String) throws -> Int { Int(widening: try mapping.integer(for: text) ?? fail(text)) }
  private func text(_ number: Int) throws -> String { try mapping.text(for: Int64(widening: number)) ?? fail("\(number)") }

  private func fail<Result>(_ value: String) throws -> Result {
    throw MartletError.invalidInput("the model maps no value \(value) of the feature \(input)")
  }
}

/// Numbers, arrays and dictionaries by column in sequence as one vector.
struct FeatureVectorizerFunction: FeatureFunction {
  private let vectorizer: FeatureVectorizer
  private let output: String
  private let memory: MemoryBudget

  /// - Parameter memory: the budget that the vector is charged to. The file says how long it is.
  init(_ vectorizer: FeatureVectorizer, output: String, memory: MemoryBudget) {
    (self.vectorizer, self.output, self.memory) = (vectorizer, output, memory)
  }

  func apply(to features: inout [String: ModelValue]) throws {
    features[output] = try unsafe ModelValue(vectorOf: vectorizer.elementCount, charging: memory) { vector in
      var start = 0
      for column in vectorizer.columns {
        // In range: the columns are those of the vector, in sequence.
        let part = unsafe UnsafeMutableBufferPointer(rebasing: vector[start..<start + column.count])
        try unsafe write(features[column.name], to: part, of: column)
        start += column.count
      }
    }
  }

  /// - Parameter part: the elements of the column, which are zeros.
  private func write(
    _ value: ModelValue?, to part: UnsafeMutableBufferPointer<Double>, of column: FeatureVectorizer.Column
  ) throws {
    switch value {
    case .int(let number)? where column.count == 1: unsafe part[0] = Double(number)
    case .double(let number)? where column.count == 1: unsafe part[0] = number
    case .tensor(let tensor)? where tensor.host.elementCount == column.count:
      for (index, number) in tensor.host.numbers.enumerated() { unsafe part[index] = number }
    case .dictionary(.byInteger(let numbers))?:
      for (index, number) in numbers {
        guard part.indices.contains(index) else {
          throw MartletError.invalidInput("the key \(index) of the feature \(column.name) is not below \(column.count)")
        }
        unsafe part[index] = number
      }
    case let value: throw MartletError.mismatch(column.name, "a vector of \(column.count) elements", value)
    }
  }
}

/// Replaces missing texts and missing entries of dictionaries.
struct ImputerFunction: FeatureFunction {
  private let imputer: Imputer
  private let input: String
  private let output: String

  init(_ imputer: Imputer, input: String, output: String) { (self.imputer, self.input, self.output) = (imputer, input, output) }

  func apply(to features: inout [String: ModelValue]) throws {
    switch (imputer.imputed, features[input] ?? .none) {
    case (.string(let text), .none): features[output] = .string(text)
    case (.string(let text), .string(let value)):
      let isMissing = if case .string(let marker)? = imputer.replaced { value == marker } else { value.isEmpty }
      features[output] = .string(isMissing ? text : value)
    case (.stringDictionary(let table), .dictionary(.byString(let numbers))):
      features[output] = .dictionary(.byString(merged(numbers, table)))
    case (.stringDictionary(let table), .none): features[output] = .dictionary(.byString(table))
    case (.integerDictionary(let table), .dictionary(.byInteger(let numbers))):
      features[output] = .dictionary(.byInteger(merged(numbers, Self.integers(table))))
    case (.integerDictionary(let table), .none): features[output] = .dictionary(.byInteger(Self.integers(table)))
    case (_, let value): throw MartletError.mismatch(input, "of the type of the imputed value", value)
    }
  }

  private static func integers(_ table: [Int64: Double]) -> [Int: Double] {
    Dictionary(table.map { (Int(widening: $0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// The numbers with those that are absent or NaN taken from a table.
  private func merged<Key: Hashable>(_ numbers: [Key: Double], _ table: [Key: Double]) -> [Key: Double] {
    numbers.merging(table) { given, imputed in given.isNaN ? imputed : given }
  }
}

extension ModelValue {
  /// The value for a message.
  fileprivate var text: String {
    switch self {
    case .string(let text): "\"\(text)\""
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    default: kind
    }
  }
}
