import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor

/// Convolutions of two and three spatial axes, and their transposes.
extension NetworkCall {
  func add(_ convolution: NetworkConvolution) throws {
    let input = try input()
    let isPlanar = convolution.kernel.count == 2
    let x = isPlanar ? try image(input) : input
    let window = try convolution.window()
    let (value, padding, outputPadding) = try placed(x, convolution, window)
    let op = Convolution(
      stride: convolution.stride, padding: padding, dilation: window.dilation, isTransposed: convolution.isTransposed,
      outputPadding: outputPadding, groups: convolution.groups, dtype: .float32)
    let bias = try convolution.bias.map { try weights($0, shape: [convolution.outputChannels]) }
    let result = try applied(op, [value, try kernel(convolution), bias])
    if isPlanar { try set(image: result, like: input) } else { try set(result) }
  }

  /// The operand with padding that depends on open extents, and the padding that remains.
  private func placed(
    _ x: ValueID, _ convolution: NetworkConvolution, _ window: SpatialWindow
  ) throws -> (x: ValueID, padding: [SpatialWindow.Amount], output: [Int]) {
    guard convolution.isTransposed else {
      let (x, padding) = try padded(x, window, with: .double(0))
      return (x, padding, window.stride.map { _ in 0 })
    }
    let spatial = try signature(of: x).dimensions.suffix(window.kernel.count)
    let (padding, output) = try window.transposed(input: Array(spatial), wanted: convolution.outputShape)
    return (x, padding, output)
  }

  /// The weights as [out, in / groups, kernel…], or [in, out / groups, kernel…] for a transposed convolution.
  private func kernel(_ convolution: NetworkConvolution) throws -> ValueID {
    guard let stored = convolution.weights else { return try input(1) }
    let kernel = convolution.kernel
    guard convolution.isTransposed else {
      return try weights(stored, shape: [convolution.outputChannels, convolution.kernelChannels] + kernel)
    }
    let outputs = convolution.outputChannels / convolution.groups
    if kernel.count == 2 { return try weights(stored, shape: [convolution.kernelChannels, outputs] + kernel, outputAxis: 1) }
    // Those of three axes are stored with the output channels first.
    let first = try weights(stored, shape: [outputs, convolution.kernelChannels] + kernel)
    return try permuted(first, [1, 0] + Array(2..<kernel.count + 2))
  }
}

extension NetworkBorders {
  fileprivate var isZero: Bool { before.allSatisfy { $0 == 0 } && after.allSatisfy { $0 == 0 } }
}

extension NetworkConvolution {
  fileprivate func window() throws(CallError) -> SpatialWindow {
    let amounts: SpatialWindow.Padding
    switch padding {
    // With an output shape, a transposed convolution without amounts loses as much at both ends.
    case .borders(let borders) where isTransposed && outputShape != nil && borders.isZero:
      amounts = .same(isLower: false)
    case .borders(let borders): amounts = .explicit(zip(borders.before, borders.after).map { ($0, $1) })
    case .same(let isHeavyAtStart): amounts = .same(isLower: isHeavyAtStart)
    }
    return try SpatialWindow(kernel: kernel, stride: stride, dilation: dilation, padding: amounts)
  }
}
