import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Pooling over one to three axes.
let milPoolingRows: MILCallTable = [
  "max_pool": { call in try call.pool(.maximum) },
  "avg_pool": { call in
    let excludes = try call.bool("exclude_padding_from_average", default: false)
    try call.pool(.average(countsPadding: !excludes, divisor: nil))
  },
  // The square root of the sum of squares.
  "l2_pool": { call in
    let x = try call.tensor("x")
    var type = try call.signature(of: x)
    type.dtype = .float32
    let squares = try call.pointwise("square", values: [x], in: .float32, type) { build, x in build.unary(.square, x[0]) }
    let sums = try call.pooled(squares, .average(countsPadding: true, divisor: 1))
    let out = try call.outputSignature()
    try call.set(try call.pointwise("sqrt", values: [sums], in: .float32, out) { build, x in build.unary(.sqrt, x[0]) })
  },
]

extension MILCall {
  fileprivate mutating func pool(_ reduction: PoolReduction) throws {
    try set(try pooled(try tensor("x"), reduction))
  }

  /// Pools `x` over its last axes. Windows of three axes are pooled plane by plane and then along the first of the axes: a maximum of
  /// maxima, or an average of averages over equal numbers of elements.
  fileprivate mutating func pooled(_ x: ValueID, _ reduction: PoolReduction) throws -> ValueID {
    let kernel = try ints("kernel_sizes")
    guard (1...3).contains(kernel.count) else { throw CallError("parameter kernel_sizes is \(kernel)") }
    let window = try window(kernel: kernel)
    let ceil = try bool("ceil_mode", default: false)
    // Padding that depends on run-time extents becomes elements of the operand. This is only correct if padding elements do not change the
    // result.
    let isNeutral = window.explicit != nil || reduction == .maximum || reduction == .average(countsPadding: true, divisor: nil)
    var (x, padding) = try padded(x, window, with: .double(reduction == .maximum ? -.infinity : 0))
    if !isNeutral, padding.allSatisfy({ $0 == (0, 0) }), try signature(of: x).fixedShape == nil {
      throw CallError("an average without the padding is not supported for flexible extents")
    }
    func sliding(_ axes: Range<Int>, before: Int = 0) -> Pool.Window {
      let unit = Array(repeating: 1, count: before)
      let none = Array(repeating: 0, count: before)
      return .sliding(
        kernel: axes.map { kernel[$0] } + unit, stride: axes.map { window.stride[$0] } + unit,
        before: axes.map { padding[$0].before } + none, after: axes.map { padding[$0].after } + none,
        dilation: axes.map { _ in 1 } + unit, ceil: ceil)
    }
    var signature = try signature(of: x)
    guard signature.rank == kernel.count + 2 else { throw CallError("x has rank \(signature.rank), not \(kernel.count + 2)") }
    let out = try outputSignature()
    guard out.rank == signature.rank else { throw CallError("the result has rank \(out.rank), not \(signature.rank)") }
    signature.dimensions.replaceSubrange(2..., with: out.dimensions.dropFirst(2))
    switch kernel.count {
    case 2: return intermediate(Pool(sliding(0..<2), reduction: reduction), [x], signature)
    case 1:
      let image = try unsqueezed(x, axis: 3)
      var flat = signature
      flat.dimensions.append(.fixed(1))
      let pooled = intermediate(Pool(sliding(0..<1, before: 1), reduction: reduction), [image], flat)
      return intermediate(Squeeze(axes: [3]), [pooled], signature)
    default:
      let extents = try extents(of: x)
      let planes = try reshaped(x, [extents[0], try arithmetic(.mul, extents[1], extents[2]), extents[3], extents[4]])
      var type = try self.signature(of: planes)
      type.dimensions.replaceSubrange(2..., with: out.dimensions.suffix(2))
      x = intermediate(Pool(sliding(1..<3), reduction: reduction), [planes], type)
      let pooled = try self.extents(of: x)
      let area = try arithmetic(.mul, pooled[2], pooled[3])
      let columns = try reshaped(x, [extents[0], extents[1], extents[2], area])
      type = try self.signature(of: columns)
      type.dimensions[2] = out.dimensions[2]
      x = intermediate(Pool(sliding(0..<1, before: 1), reduction: reduction), [columns], type)
      return try reshaped(x, [extents[0], extents[1], try extent(of: x, axis: 2), pooled[2], pooled[3]])
    }
  }
}
