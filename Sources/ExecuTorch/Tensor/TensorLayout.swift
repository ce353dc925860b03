import MartletTensor

/// Shape, strides and dimension order of a tensor without gaps: every element of its memory, once.
///
/// `dimensionOrder` lists the axes from outermost to innermost in memory and determines the strides.
package struct TensorLayout: Equatable {
  package let shape: [Int]
  package let strides: [Int]
  package let dimensionOrder: [Int]
  /// Number of elements.
  package let count: Int

  /// More axes than this cannot be described by the file format's runtime.
  static let maximumRank = 16

  /// A shape, strides or a dimension order that do not describe a tensor, in words.
  package struct Fault: Swift.Error {
    let description: String
  }

  /// A layout that the caller knows to be right.
  init(trustedShape shape: [Int], strides: [Int], dimensionOrder: [Int], count: Int) {
    self.shape = shape
    self.strides = strides
    self.dimensionOrder = dimensionOrder
    self.count = count
  }

  /// The layout of `shape`. Of strides and dimension order, either may be empty and is derived from the other; without both,
  /// the layout is row-major.
  ///
  /// Strides must be those of a tensor without gaps in the dimension order; only of axes of extent 1 they may be any number
  /// and are replaced. A dimension order must be a permutation of the axes.
  package init(shape: [Int], strides: [Int] = [], dimensionOrder: [Int] = []) throws(Fault) {
    let rank = shape.count
    guard rank <= TensorLayout.maximumRank else { throw Fault(description: "\(rank) axes are more than \(TensorLayout.maximumRank)") }
    guard let count = Shape.elementCount(shape) else {
      throw Fault(description: "the extents \(shape) are negative or too large")
    }
    guard strides.isEmpty || strides.count == rank else {
      throw Fault(description: "\(strides.count) strides for \(rank) axes")
    }
    guard dimensionOrder.isEmpty || dimensionOrder.count == rank else {
      throw Fault(description: "a dimension order of \(dimensionOrder.count) for \(rank) axes")
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
      throw Fault(description: "strides \(strides) of the shape \(shape) in the dimension order \(order) should be \(dense)")
    }
    self.init(trustedShape: shape, strides: dense, dimensionOrder: order, count: count)
  }

  /// As `init(shape:strides:dimensionOrder:)`, for layouts from the program's own code: faults in them are errors of the programmer.
  static func required(shape: [Int], strides: [Int] = [], dimensionOrder: [Int] = []) -> TensorLayout {
    do {
      return try TensorLayout(shape: shape, strides: strides, dimensionOrder: dimensionOrder)
    } catch {
      fatalError("Tensor: \(error.description)")
    }
  }

  /// Bytes of all elements; a number that `Int` cannot hold is an error of the programmer.
  func byteCount(of dataType: DataType) -> Int {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size(ofDataType: dataType))
    guard !overflow else { fatalError("Tensor: the extents \(shape) are too large") }
    return bytes
  }
}
