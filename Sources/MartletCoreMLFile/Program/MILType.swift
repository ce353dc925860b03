/// One extent of a tensor type.
package enum MILDimension: Sendable, Hashable {
  case constant(Int)
  /// Known only at run time. A variadic dimension stands for any number of extents.
  case unknown(variadic: Bool)

  /// The extent; nil if it is unknown.
  package var extent: Int? {
    if case .constant(let extent) = self { extent } else { nil }
  }
}

/// Element type and extents of a tensor; a scalar has rank 0.
package struct MILTensorType: Sendable, Hashable {
  package var dataType: MILDataType
  /// `nil` if the rank is unknown.
  package var dimensions: [MILDimension]?

  package init(_ dataType: MILDataType, _ dimensions: [MILDimension]?) {
    self.dataType = dataType
    self.dimensions = dimensions
  }

  /// The extents; nil unless all are known.
  package var shape: [Int]? {
    guard let dimensions else { return nil }
    let extents = dimensions.compactMap(\.extent)
    return extents.count == dimensions.count ? extents : nil
  }
}

/// The type of a value in an ML Program.
package indirect enum MILType: Sendable, Hashable {
  case tensor(MILTensorType)
  case list(element: MILType, length: MILDimension)
  case tuple([MILType])
  case dictionary(key: MILType, value: MILType)
  /// A value that persists between predictions.
  case state(MILType)

  /// The tensor type, possibly wrapped in a state.
  package var tensor: MILTensorType? {
    switch self {
    case .tensor(let type): type
    case .state(let wrapped): wrapped.tensor
    case .list, .tuple, .dictionary: nil
    }
  }
}

/// An input of a function or block, or an output of an operation.
package struct MILNamedType: Sendable, Hashable {
  package var name: String
  package var type: MILType

  package init(name: String, type: MILType) {
    self.name = name
    self.type = type
  }
}

extension MILDimension: CustomStringConvertible {
  package var description: String {
    switch self {
    case .constant(let extent): String(extent)
    case .unknown(let variadic): variadic ? "*?" : "?"
    }
  }
}

/// Written as in the text form: `tensor<fp16, [1, ?]>`.
extension MILTensorType: CustomStringConvertible {
  package var description: String {
    let extents = dimensions.map { "[" + $0.map(\.description).joined(separator: ", ") + "]" } ?? "?"
    return "tensor<\(dataType.textName), \(extents)>"
  }
}

extension MILType: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tensor(let type): type.description
    case .list(let element, let length): "list<\(element), \(length)>"
    case .tuple(let types): "tuple<\(types.map(\.description).joined(separator: ", "))>"
    case .dictionary(let key, let value): "dict<\(key), \(value)>"
    case .state(let wrapped): "state<\(wrapped)>"
    }
  }
}
