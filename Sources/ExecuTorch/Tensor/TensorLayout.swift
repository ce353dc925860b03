import Martlet

/// Shape, strides and dimension order of a dense tensor.
///
/// `dimensionOrder` lists the axes from outermost to innermost in memory and determines the strides.
package struct TensorLayout: Equatable {
  package let shape: [Int]
  package let strides: [Int]
  package let dimensionOrder: [Int]
  /// Number of elements.
  package let count: Int

  /// Maximum rank that the ExecuTorch runtime supports.
  static let maximumRank = 16

  /// An inconsistent shape, strides or dimension order.
  package struct Fault: Swift.Error {
    let description: String
  }

  /// Creates a layout from values that the caller has checked.
  init(trustedShape shape: [Int], strides: [Int], dimensionOrder: [Int], count: Int) {
    self.shape = shape
    self.strides = strides
    self.dimensionOrder = dimensionOrder
    self.count = count
  }

  /// Creates the layout of `shape`. If either strides or dimension order is empty, it is derived from the other; if both are empty, the
  /// layout is row-major.
  ///
  /// Strides must be dense in the dimension order. Strides of axes with extent 1 are arbitrary and are replaced. A dimension order must
  /// be a permutation of the axes.
  package init(shape: [Int], strides: [Int] = [], dimensionOrder: [Int] = []) throws(Fault) {
    let rank = shape.count
    guard rank <= TensorLayout.maximumRank else { throw Fault(description: "the rank \(rank) exceeds \(TensorLayout.maximumRank)") }
    guard let count = Shape.elementCount(shape) else {
      throw Fault(description: "the extents \(shape) are negative or too large")
    }
    guard strides.isEmpty || strides.count == rank else {
      throw Fault(description: "\(strides.count) strides for \(rank) axes")
    }
    guard dimensionOrder.isEmpty || dimensionOrder.count == rank else {
      throw Fault(description: "a dimension order of length \(dimensionOrder.count) for \(rank) axes")
    }
    guard dimensionOrder.isEmpty || Set(dimensionOrder) == Set(shape.indices) else {
      throw Fault(description: "the dimension order \(dimensionOrder) is not a permutation of the axes")
    }
    let order =
      !dimensionOrder.isEmpty
      ? dimensionOrder
      : strides.isEmpty ? Array(shape.indices) : shape.indices.sorted { strides[$0] > strides[$1] }

    var dense = [Int](repeating: 1, count: rank)
    var stride = 1
    for axis in order.reversed() {
      dense[axis] = stride
      let (next, overflow) = stride.multipliedReportingOverflow(by: max(shape[axis], 1))
      guard !overflow else { throw Fault(description: "the extents \(shape) are too large") }
      stride = next
    }
    for axis in strides.indices where strides[axis] != dense[axis] && shape[axis] != 1 {
      throw Fault(description: "strides \(strides) of shape \(shape) in dimension order \(order) should be \(dense)")
    }
    self.init(trustedShape: shape, strides: dense, dimensionOrder: order, count: count)
  }

  /// Same as `init(shape:strides:dimensionOrder:)`, for layouts given by the calling code: inconsistencies are programming errors.
  static func required(shape: [Int], strides: [Int] = [], dimensionOrder: [Int] = []) -> TensorLayout {
    do {
      return try TensorLayout(shape: shape, strides: strides, dimensionOrder: dimensionOrder)
    } catch {
      fatalError("Tensor: \(error.description)")
    }
  }

  /// Size of all elements in bytes. An overflow is a programming error.
  func byteCount(of dataType: DataType) -> Int {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size(ofDataType: dataType))
    guard !overflow else { fatalError("Tensor: the extents \(shape) are too large") }
    return bytes
  }
}
