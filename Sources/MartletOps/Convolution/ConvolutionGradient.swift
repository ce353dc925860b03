package import MartletGraph
import MartletKernels
import MartletTensor

/// Gradients of a convolution with respect to its input, weight and bias.
/// - Operands: the gradient of the result [N, O, spatial…], `x` [N, C, spatial…], `weight`.
/// - Results: those selected by `wanted`, with the shapes of `x`, `weight` and [O].
/// - DTypes: floating-point types, computed in float64; the gradient of a float32 weight alone in float32. - Source: ATen `convolution_backward.out`.
package struct ConvolutionGradient: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("gradient", .data, .floating), .init("x", .data, .floating), .init("weight", .weight, .floating),
    ], accuracy: .lengthScaled)

  package var convolution: Convolution
  package var wanted: [Bool]

  package var name: String { "conv_gradient" }
  package var attributes: [(name: String, value: String)] { convolution.attributes + [("wanted", "\(wanted)")] }

  package init(_ convolution: Convolution, wanted: [Bool]) {
    self.convolution = convolution
    self.wanted = wanted
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (gradient, x, weight) = (try operands.tensor(0), try operands.tensor(1), try operands.tensor(2))
    guard case .tensor(let result)? = try convolution.infer(Operands([.tensor(x), .tensor(weight)])).first,
      result.shape == gradient.shape, gradient.dtype.isFloatingPoint, wanted.count == 3
    else { throw .invalid("a gradient \(gradient) does not match a convolution of \(x) with \(weight)") }
    let types = [x.shape, weight.shape, [gradient.shape[1]]].map { OperandType.tensor(TensorType(gradient.dtype, $0)) }
    return zip(types, wanted).filter(\.1).map(\.0)
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard wanted.count == 3 else { return nil }
    if wanted[0] || wanted[1] { return operands.shape(wanted[0] ? 1 : 2) }
    return [operands.extent(0, axis: 1)]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    if try planProducts(node) { return }
    let missing = 3 - convolution.stride.count
    func volume(_ view: TensorView) -> TensorView {
      var view = view
      for _ in 0..<missing {
        view.shape.insert(1, at: 2)
        view.strides.insert(0, at: 2)
      }
      return view
    }
    func spread(_ list: [Int], _ filler: Int) -> [Int] { [Int](repeating: filler, count: missing) + list }
    var kernel = ConvolutionGradientKernel(
      gradient: volume(node.contiguous(0, as: .float64)), x: volume(node.contiguous(1, as: .float64)),
      weight: volume(node.contiguous(2, as: .float64)), stride: spread(convolution.stride, 1),
      padding: spread(convolution.padding.map(\.before), 0), dilation: spread(convolution.dilation, 1),
      isTransposed: convolution.isTransposed, groups: convolution.groups)
    let stagings = node.outputs.indices.map { node.staging($0, as: .float64) }
    var next = 0
    func result(_ index: Int) -> TensorView? {
      guard wanted[index] else { return nil }
      next += 1
      return stagings[next - 1]
    }
    kernel.inputGradient = result(0)
    kernel.weightGradient = result(1)
    kernel.biasGradient = result(2)
    let positions = convolution.isTransposed ? kernel.x : kernel.gradient
    let products = Double(positions.elementCount) * Double(kernel.weight.elementCount / max(kernel.weight.shape[0], 1))
    node.emit(name, flops: 4 * products, work: .depthwise, kernel.kernel())
    for (index, staging) in stagings.enumerated() { node.finish(index, from: staging) }
  }
}
