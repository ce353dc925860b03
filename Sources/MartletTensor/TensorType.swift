/// Dtype and concrete shape of a tensor.
package struct TensorType: Sendable, Hashable {
  package var dtype: DType
  package var shape: [Int]

  package init(_ dtype: DType, _ shape: [Int]) {
    self.dtype = dtype
    self.shape = shape
  }

  package var rank: Int { shape.count }
  /// Number of elements. The planner has checked it for overflow.
  package var elementCount: Int { Extent.product(shape).clamped }
  package var byteCount: Int { (Extent.product(shape) * dtype.byteCount).clamped }
}

extension TensorType: CustomStringConvertible {
  package var description: String { "\(dtype)\(shape)" }
}

/// An extent that is fixed, or known only when a call supplies its inputs.
package enum Dimension: Sendable, Hashable {
  case fixed(Int)
  /// Known for each call; at most `bound` if the file declares one.
  case symbolic(bound: Int?)

  package var isFixed: Bool { if case .fixed = self { true } else { false } }

  package var upperBound: Int? {
    switch self {
    case .fixed(let extent): extent
    case .symbolic(let bound): bound
    }
  }
}

extension Dimension: CustomStringConvertible {
  package var description: String {
    switch self {
    case .fixed(let extent): "\(extent)"
    case .symbolic(let bound?): "≤\(bound)"
    case .symbolic(nil): "?"
    }
  }
}

extension TensorSignature {
  /// Size in bytes of a dense tensor of the declared shape, symbolic extents counted as 1.
  ///
  /// Extents of 0 are counted as 1 too, so that no product of some of the extents is larger.
  package var declaredByteCount: Extent {
    var count = Extent(dtype.byteCount)
    for case .fixed(let extent) in dimensions where extent != 0 { count *= extent < 0 ? .max : extent }
    return count
  }
}

/// Dtype, possibly symbolic shape, and memory order of a tensor, as declared in a model file.
package struct TensorSignature: Sendable, Hashable {
  package var dtype: DType
  package var dimensions: [Dimension]
  /// Axis order in memory, outermost first; nil means row-major.
  package var dimOrder: [Int]?

  package init(dtype: DType, dimensions: [Dimension], dimOrder: [Int]? = nil) {
    self.dtype = dtype
    self.dimensions = dimensions
    self.dimOrder = dimOrder.flatMap { $0.elementsEqual(dimensions.indices) ? nil : $0 }
  }

  package init(_ type: TensorType) {
    self.init(dtype: type.dtype, dimensions: type.shape.map { .fixed($0) })
  }

  package var rank: Int { dimensions.count }

  /// Whether all dimensions are fixed.
  package var isFixed: Bool { dimensions.allSatisfy(\.isFixed) }

  /// The concrete shape; nil if a dimension is symbolic.
  package var fixedShape: [Int]? {
    var shape: [Int] = []
    shape.reserveCapacity(dimensions.count)
    for dimension in dimensions {
      guard case .fixed(let extent) = dimension else { return nil }
      shape.append(extent)
    }
    return shape
  }
}

extension TensorSignature: CustomStringConvertible {
  package var description: String {
    let extents = dimensions.map(\.description).joined(separator: ", ")
    let order = dimOrder.map { " order \($0)" } ?? ""
    return "\(dtype)[\(extents)]\(order)"
  }
}
