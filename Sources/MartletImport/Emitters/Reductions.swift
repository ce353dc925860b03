import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Reductions that several formats have and that consist of several nodes.
extension GraphWriting {
  /// The logarithm of the sum of the exponentials, computed in float32; reduced axes keep the extent 1.
  /// - Parameter axes: nil for all axes.
  @_semantics("optimize.sil.specialize.generic.never")
  func logSumExp(_ x: ValueID, axes: [Int]?) throws -> ValueID {
    let signature = try signature(of: x)
    let largest = try applied(Reduce(.max, axes: axes, keepsAxes: true, dtype: signature.dtype), [x])
    let kept = try self.signature(of: largest).with(.float32)
    // Infinities are excluded, because their difference is NaN.
    let pivot = try pointwise("pivot", values: [largest], in: .float32, kept) { build, x in
      build.ternary(.select, build.unary(.isinf, x[0]), build.literal(0), x[0])
    }
    let powers = try pointwise("exp", values: [x, pivot], in: .float32, signature.with(.float32)) { build, x in
      build.unary(.exp, build.binary(.sub, x[0], x[1]))
    }
    let sum = try applied(Reduce(.sum, axes: axes, keepsAxes: true, dtype: .float32), [powers])
    return try pointwise("log", values: [sum, pivot], in: .float32, kept) { build, x in
      build.binary(.add, build.unary(.log, x[0]), x[1])
    }
  }
}
