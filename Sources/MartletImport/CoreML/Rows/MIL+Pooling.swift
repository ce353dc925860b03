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
    let window = try call.window(kernel: try call.ints("kernel_sizes"))
    let ceil = try call.bool("ceil_mode", default: false)
    try call.setConverted(try call.rootOfPooledSquares(try call.tensor("x"), window, ceil: ceil))
  },
]

extension MILCall {
  fileprivate mutating func pool(_ reduction: PoolReduction) throws {
    let window = try window(kernel: try ints("kernel_sizes"))
    try set(try pooled(try tensor("x"), window, reduction, ceil: try bool("ceil_mode", default: false)))
  }
}
