package import MartletGraph
import MartletOps
package import MartletTensor

/// The window of a convolution or pooling over spatial axes.
package struct SpatialWindow {
  package typealias Amount = (before: Int, after: Int)

  /// Padding of the borders.
  package enum Padding {
    case explicit([Amount])
    /// Padding that gives `ceil(extent / stride)` windows, as TensorFlow's SAME. An odd element goes to the end, or to the beginning if
    /// `isLower`.
    case same(isLower: Bool)
  }

  package let kernel: [Int]
  package let stride: [Int]
  package let dilation: [Int]
  package let padding: Padding

  /// - Throws: unless every axis of the kernel has a stride, a dilation and padding in a range in which the extent of a window cannot
  ///   overflow.
  package init(kernel: [Int], stride: [Int], dilation: [Int], padding: Padding) throws(CallError) {
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    guard [kernel, stride, dilation].allSatisfy({ $0.count == kernel.count && $0.allSatisfy { $0 > 0 && $0 < 1 << 31 } }) else {
      throw CallError("a window \(kernel) with strides \(stride) and dilations \(dilation) is not supported")
    }
    if case .explicit(let amounts) = padding {
      guard amounts.count == kernel.count, amounts.allSatisfy({ max($0.before.magnitude, $0.after.magnitude) < 1 << 31 }) else {
        throw CallError("padding \(amounts) does not fit \(kernel.count) axes")
      }
    }
  }

  /// Extent of a window, including its dilation.
  // In range: kernel and dilation are less than 2^31.
  package func reach(_ axis: Int) -> Int { (kernel[axis] - 1) * dilation[axis] + 1 }

  /// The amounts of explicit padding; nil for other kinds.
  package var explicit: [Amount]? {
    if case .explicit(let amounts) = padding { amounts } else { nil }
  }

  /// The padding and output padding of a transposed convolution: the number of elements removed from its full result and added at its end.
  ///
  /// - Parameters:
  ///   - input: spatial extents of the operand.
  ///   - wanted: required spatial extents of the result, if the file declares them.
  package func transposed(input: [Dimension], wanted: [Int]?) throws(CallError) -> (padding: [Amount], output: [Int]) {
    guard input.count == kernel.count, wanted?.count ?? kernel.count == kernel.count else {
      throw CallError("an operand of \(input.count) spatial axes does not fit a kernel of \(kernel.count)")
    }
    var amounts = explicit ?? kernel.map { _ in (0, 0) }
    var output = kernel.map { _ in 0 }
    for axis in kernel.indices {
      var cut: Int?
      // In range: reach and stride are at most 2^62.
      if case .same = padding { cut = reach(axis) - stride[axis] }
      if case .fixed(let extent) = input[axis], let target = wanted?[axis] {
        guard extent < 1 << 31 else { throw CallError("an extent of \(extent) is too large") }
        // In range: the extent and the stride are less than 2^31, the reach is at most (2^31 - 2)(2^31 - 1) + 1.
        let full = (extent - 1) * stride[axis] + reach(axis)
        if case .same = padding {
          guard let rest = (Extent(full) - target).value else { throw CallError("an extent of \(target) is not possible") }
          cut = rest
        } else {
          guard let missing = (Extent(target) - full + amounts[axis].before + amounts[axis].after).value else {
            throw CallError("an extent of \(target) is not possible")
          }
          if missing > 0 {
            output[axis] = missing
          } else {
            guard let after = (Extent(amounts[axis].after) - missing).value else {
              throw CallError("an extent of \(target) is not possible")
            }
            amounts[axis].after = after
          }
        }
      }
      if let cut {
        amounts[axis] = cut > 0 ? split(cut) : (0, 0)
        output[axis] = max(-cut, 0)
      }
    }
    return (amounts, output)
  }

  /// The amount if it is known when importing.
  package static func known(_ amount: (before: GraphNumber, after: GraphNumber)) -> Amount? {
    guard let before = amount.before.known?.intValue, let after = amount.after.known?.intValue else { return nil }
    return (Int(widening: before), Int(widening: after))
  }

  /// Divides an amount between beginning and end.
  private func split(_ amount: Int) -> Amount {
    // In range: halves of the amount.
    if case .same(isLower: true) = padding { return (amount - amount / 2, amount / 2) }
    // In range: halves of the amount.
    return (amount / 2, amount - amount / 2)
  }
}

extension GraphWriting {
  /// The amounts of padding before and after each axis of a window on adjacent axes of `x`, the first of which is `first`.
  package func padding(
    of x: ValueID, _ window: SpatialWindow, from first: Int
  ) throws(CallError) -> [(before: GraphNumber, after: GraphNumber)] {
    switch window.padding {
    case .explicit(let amounts): return amounts.map { (GraphNumber($0.before), GraphNumber($0.after)) }
    case .same(let isLower):
      var amounts: [(before: GraphNumber, after: GraphNumber)] = []
      for axis in window.kernel.indices {
        let extent = try extent(of: x, axis: first + axis)
        // (ceil(extent / stride) - 1) * stride + reach - extent
        let start =
          window.stride[axis] == 1
          ? try arithmetic(.sub, extent, GraphNumber(1))
          : try arithmetic(
            .mul, try arithmetic(.floorDivide, try arithmetic(.sub, extent, GraphNumber(1)), GraphNumber(window.stride[axis])),
            GraphNumber(window.stride[axis]))
        var total =
          window.stride[axis] == 1
          // In range: the reach is at least 1.
          ? GraphNumber(window.reach(axis) - 1)
          : try arithmetic(.sub, try arithmetic(.add, start, GraphNumber(window.reach(axis))), extent)
        total = try arithmetic(.max, total, GraphNumber(0))
        let half = try arithmetic(.floorDivide, total, GraphNumber(2))
        let rest = try arithmetic(.sub, total, half)
        amounts.append(isLower ? (rest, half) : (half, rest))
      }
      return amounts
    }
  }

  /// The padding of the last axes of `x` for a window on them. If it depends on unknown extents, the returned operand is already padded and
  /// the padding is zero.
  /// - Parameter value: the value of padding elements.
  @_semantics("optimize.sil.specialize.generic.never")
  package func padded(_ x: ValueID, _ window: SpatialWindow, with value: Scalar) throws(CallError) -> (ValueID, [SpatialWindow.Amount]) {
    let signature = try signature(of: x)
    let axes = window.kernel.indices
    guard signature.rank >= axes.count else { throw CallError("rank \(signature.rank) has no \(axes.count) spatial axes") }
    let first = signature.rank - axes.count
    let amounts = try padding(of: x, window, from: first)
    let known = amounts.compactMap(SpatialWindow.known)
    if known.count == axes.count { return (x, known) }
    var operands: [ValueID?] = [x, number(value)]
    let arguments = try intArguments(amounts.flatMap { [$0.before, $0.after] }, "pad", &operands)
    var dimensions = signature.dimensions
    for axis in axes { dimensions[first + axis] = .symbolic(bound: nil) }
    let pad = Pad(.constant, before: axes.map { arguments[2 * $0] }, after: axes.map { arguments[2 * $0 + 1] })
    let none = axes.map { _ in (before: 0, after: 0) }
    return (intermediate(pad, operands, TensorSignature(dtype: signature.dtype, dimensions: dimensions)), none)
  }
}
