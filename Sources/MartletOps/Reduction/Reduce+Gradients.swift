package import MartletGraph
import MartletTensor
import MartletVocabulary

extension Reduce {
  package func gradients(_ node: NodeGradients) throws(OperatorError) -> [ValueID?] {
    let x = try node.operand(0)
    let shape = try node.shape(of: x)
    let reduced = try axes.normalized(rank: shape.count)
    let kept = shape.indices.map { reduced.contains($0) ? 1 : shape[$0] }
    let gradient = try node.reshaped(try node.gradient(), kept)
    switch function {
    case .sum: return [try node.expanded(gradient, toShape: shape)]
    case .mean:
      let count = Extent.product(reduced.map { shape[$0] }).clamped
      let part = try node.pointwise("mean_gradient", [gradient]) { build, x in
        build.append(.binary(.mul, x[0], build.number(1 / Double(count))))
      }
      return [try node.expanded(part, toShape: shape)]
    case .sumSquares:
      return [
        try node.pointwise("square_gradient", [x, gradient]) { build, x in
          build.append(.binary(.mul, build.append(.binary(.mul, x[0], x[1])), build.number(2)))
        }
      ]
    case .max where shape.count == 4 && reduced == [2, 3]:
      // The first of equal elements, as in a pooling whose window is the image.
      let kernel = Array(shape.suffix(2))
      let window = Pool.Window.sliding(kernel: kernel, stride: [1, 1], before: [0, 0], after: [0, 0], dilation: [1, 1], ceil: false)
      return [try node.apply(PoolGradient(window, reduction: .maximum), [gradient, x])]
    default: throw .unsupported("the derivative of \(name)")
    }
  }
}
