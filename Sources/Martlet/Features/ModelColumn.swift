import MartletFeatures
import MartletTensor

/// An input or output of many calls, with an entry for each row.
public enum ModelColumn: Sendable {
  /// A number or an array for each row: the first axis is that of the rows.
  case tensor(Tensor)
  case strings([String])

  /// Number of rows; nil for a tensor of rank 0.
  public var rowCount: Int? {
    switch self {
    case .tensor(let tensor): tensor.shape.first
    case .strings(let strings): strings.count
    }
  }

  var kind: String {
    switch self {
    case .tensor(let tensor): ModelValue.tensor(tensor).kind
    case .strings(let strings): "\(strings.count) strings"
    }
  }
}

extension [String: ModelColumn] {
  /// Number of rows of a table.
  /// - Throws: `MartletError.invalidInput` if columns differ in it, or if there are none.
  var rowCount: Int {
    get throws {
      var known: (name: String, count: Int)?
      for (name, column) in sortedByKey {
        guard let count = column.rowCount else { throw MartletError.invalidInput("the column \(name) has no axis of rows") }
        if let known, known.count != count {
          throw MartletError.invalidInput("the column \(name) has \(count) rows, and \(known.name) has \(known.count)")
        }
        known = (name, count)
      }
      guard let known else { throw MartletError.invalidInput("the table has no columns") }
      return known.count
    }
  }
}

// MARK: Rows of a graph

extension ModelColumn {
  /// The input of a graph of rows.
  /// - Parameters:
  ///   - type: that of one row.
  func input(_ name: String, _ type: TensorType, count: Int) throws -> ModelValue {
    if case .tensor(let tensor) = self, tensor.host.dtype == type.dtype, tensor.shape.first == count,
      tensor.shape.dropFirst().elementsEqual(type.shape)
    {
      return .tensor(tensor)
    }
    let shape = [count] + type.shape
    guard case .tensor(let tensor) = self, tensor.elementCount == Shape.elementCount(shape) else {
      throw MartletError.invalidInput("the column \(name) does not fit", expected: "\(TensorType(type.dtype, shape))", found: kind)
    }
    let converted = try tensor.exactly(as: DataType(type.dtype))
    return .tensor(Tensor(HostTensor(dtype: type.dtype, shape: shape, storage: converted.host.sharedStorage)))
  }

  /// An output of a graph of rows.
  init(_ tensor: Tensor, _ feature: FeatureDescription, _ classification: Classification?, count: Int) throws {
    guard tensor.shape.first == count else {
      throw MartletError.executionFailed("the output \(feature.name) has the shape \(tensor.shape) for \(count) rows")
    }
    if let classification, classification.label == feature.name {
      self = try Self.labels(tensor.doubles, classification)
      return
    }
    switch feature.type {
    case .double, .int64:
      guard tensor.elementCount == count, tensor.shape.count > 1 else {
        self = .tensor(tensor)
        return
      }
      self = .tensor(Tensor(HostTensor(dtype: tensor.host.dtype, shape: [count], storage: tensor.host.sharedStorage)))
    case .multiArray, .state, .dictionary, .sequence, .string, .image: self = .tensor(tensor)
    }
  }

  private static func labels(_ positions: [Double], _ classification: Classification) throws -> ModelColumn {
    func label<Label>(_ labels: [Label], _ position: Double) throws -> Label {
      guard let index = Int(exactly: position), labels.indices.contains(index) else {
        throw MartletError.executionFailed("the output \(classification.label) names class \(position) of \(labels.count)")
      }
      return labels[index]
    }
    switch classification.labels {
    case .strings(let labels): return .strings(try positions.map { try label(labels, $0) })
    case .integers(let labels): return .tensor(Tensor(try positions.map { try label(labels, $0) }))
    }
  }
}

// MARK: Single rows

extension ModelColumn {
  /// The input of a row.
  /// - Precondition: the column has that row.
  package func value(_ row: Int, for input: ValueSignature) throws -> ModelValue {
    func mismatch() -> MartletError { .invalidInput("the column \(input.name) does not fit", expected: "\(input)", found: kind) }
    switch (self, input.kind) {
    case (.strings(let strings), .string): return .string(strings[row])
    case (.tensor(let tensor), .tensor(let dataType, let shape, _)):
      let slice = Array(tensor.shape.dropFirst())
      let isNumber = slice.isEmpty && shape.allSatisfy { $0 == 1 }
      return .tensor(try tensor.row(row, shape: isNumber ? shape : slice).exactly(as: dataType))
    case (.tensor(let tensor), .int):
      guard tensor.shape.count == 1, let number = Int(exactly: try tensor.row(row, shape: []).doubles[0]) else { throw mismatch() }
      return .int(number)
    case (.tensor(let tensor), .double):
      guard tensor.shape.count == 1 else { throw mismatch() }
      return .double(try tensor.row(row, shape: []).doubles[0])
    case (.tensor(let tensor), .bool):
      guard tensor.shape.count == 1 else { throw mismatch() }
      return .bool(try tensor.row(row, shape: []).doubles[0] != 0)
    default: throw mismatch()
    }
  }

  /// The outputs of all rows.
  /// - Parameter labels: those of a classifier, whose probabilities become [rows, classes].
  init(_ values: [ModelValue], of output: ValueSignature, labels: ModelSequence?) throws {
    func refusal(_ value: ModelValue) -> MartletError {
      .unsupported("the output \(output.name) is \(value.kind), which has no place in a table")
    }
    switch values.first {
    case .tensor(let first)?:
      var bytes: [UInt8] = []
      for (row, value) in values.enumerated() {
        guard let tensor = value.tensor, tensor.shape == first.shape, tensor.dataType == first.dataType else {
          throw MartletError.executionFailed(
            "the output \(output.name) of row \(row) is \(value.kind), and that of row 0 \(values[0].kind)")
        }
        unsafe tensor.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
      }
      let shape = [values.count] + first.shape
      guard let tensor = HostTensor(dtype: first.host.dtype, shape: shape, bytes: bytes) else { throw refusal(values[0]) }
      self = .tensor(Tensor(tensor))
    case .int?: self = .tensor(Tensor(try values.map { if case .int(let number) = $0 { number } else { throw refusal($0) } }))
    case .double?: self = .tensor(Tensor(try values.map { if case .double(let number) = $0 { number } else { throw refusal($0) } }))
    case .bool?: self = .tensor(Tensor(try values.map { if case .bool(let truth) = $0 { truth } else { throw refusal($0) } }))
    case .string?: self = .strings(try values.map { if case .string(let text) = $0 { text } else { throw refusal($0) } })
    case .dictionary(let first)?:
      guard let labels else { throw refusal(.dictionary(first)) }
      var numbers: [Double] = []
      for value in values {
        switch (value, labels) {
        case (.dictionary(.byString(let entries)), .strings(let keys)): numbers += keys.map { entries[$0] ?? 0 }
        case (.dictionary(.byInteger(let entries)), .integers(let keys)): numbers += keys.map { entries[$0] ?? 0 }
        default: throw refusal(value)
        }
      }
      self = .tensor(try Tensor(numbers, shape: [values.count, numbers.count / values.count]))
    case .image?, .sequence?, .none?: throw refusal(values[0])
    case nil: self = .tensor(Tensor([Double]()))
    }
  }
}

extension Tensor {
  /// The elements as another type that represents each of them; floating-point numbers are rounded.
  fileprivate func exactly(as target: DataType) throws -> Tensor {
    target == dataType || dataType.isInteger == target.isInteger ? try converted(to: target) : try Tensor(doubles, as: target, shape: shape)
  }

  /// A row with another shape of as many elements.
  fileprivate func row(_ row: Int, shape: [Int]) throws -> Tensor {
    // In range: a row of the tensor.
    let byteCount = elementCount / self.shape[0] * host.dtype.byteCount
    // In range: the start of a row of the tensor.
    let storage = TensorStorage(byteCount, of: host.sharedStorage, at: row * byteCount)
    return Tensor(HostTensor(dtype: host.dtype, shape: shape, storage: storage))
  }
}
