package import MartletTensor

/// Selection of elements by masks. Masks are row-major bool; other tensors are row-major.
package enum Masking {
  /// A kernel that writes the coordinates of the true elements, one int64 row each in row-major order, and stores their number in `slot`.
  /// `shape` is that of the mask.
  package static func coordinates(_ mask: TensorView, to destination: TensorView, slot: Int) -> Kernel {
    let shape = mask.shape
    let rank = shape.count
    return { context in
      let truth = context.elements(mask, as: UInt8.self)
      let rows = context.elements(destination, as: Int64.self)
      var count = 0
      context.inRanges(mask.elementCount) { range in
        for element in range where truth[element] != 0 {
          var rest = element
          for axis in stride(from: rank - 1, through: 0, by: -1) {
            let (quotient, position) = rest.quotientAndRemainder(dividingBy: shape[axis])
            rows[count * rank + axis] = Int64(position)
            rest = quotient
          }
          count += 1
        }
      }
      context.set(slot: slot, .int(Int64(count)))
    }
  }

  /// A kernel that copies the elements of `x` at which the mask is true to consecutive places and stores their number in `slot`.
  package static func select(_ x: TensorView, _ mask: TensorView, to destination: TensorView, slot: Int) -> Kernel {
    precondition(x.shape == mask.shape && x.dtype == destination.dtype)
    return { context in
      let count =
        switch x.dtype.byteCount {
        case 1: select(context, x, mask, destination, UInt8.self)
        case 2: select(context, x, mask, destination, UInt16.self)
        case 4: select(context, x, mask, destination, UInt32.self)
        case 8: select(context, x, mask, destination, UInt64.self)
        default: select(context, x, mask, destination, SIMD2<UInt64>.self)
        }
      context.set(slot: slot, .int(Int64(count)))
    }
  }

  private static func select<T: BitwiseCopyable>(
    _ context: KernelContext, _ x: TensorView, _ mask: TensorView, _ destination: TensorView, _ type: T.Type
  ) -> Int {
    let from = context.elements(x, as: type)
    let truth = context.elements(mask, as: UInt8.self)
    let to = context.elements(destination, as: type)
    var count = 0
    context.inRanges(mask.elementCount) { range in
      for element in range where truth[element] != 0 {
        to[count] = from[element]
        count += 1
      }
    }
    return count
  }

  /// A kernel that replaces the elements of `x` at which the mask is true by consecutive elements of `source`.
  package static func scatter(_ source: TensorView, _ mask: TensorView, to x: TensorView) -> Kernel {
    precondition(x.shape == mask.shape && x.dtype == source.dtype)
    return { context in
      switch x.dtype.byteCount {
      case 1: try scatter(context, source, mask, x, UInt8.self)
      case 2: try scatter(context, source, mask, x, UInt16.self)
      case 4: try scatter(context, source, mask, x, UInt32.self)
      case 8: try scatter(context, source, mask, x, UInt64.self)
      default: try scatter(context, source, mask, x, SIMD2<UInt64>.self)
      }
    }
  }

  private static func scatter<T: BitwiseCopyable>(
    _ context: KernelContext, _ source: TensorView, _ mask: TensorView, _ x: TensorView, _ type: T.Type
  ) throws {
    let from = context.elements(source, as: type)
    let truth = context.elements(mask, as: UInt8.self)
    let to = context.elements(x, as: type)
    let available = source.elementCount
    var count = 0
    try context.inRanges(mask.elementCount) { range in
      for element in range where truth[element] != 0 {
        guard count < available else {
          throw KernelError("the mask has more true elements than the \(available) of the source")
        }
        to[element] = from[count]
        count += 1
      }
    }
  }
}
