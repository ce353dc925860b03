import MartletBytes
import MartletTensor

extension NetworkReader {
  // MARK: Convolutions

  func convolution(_ source: SpecConvolutionLayerParams, inputCount: Int) throws(FileError) -> NetworkConvolution {
    let padding: NetworkConvolution.Padding
    switch source.convolutionPaddingType {
    case .valid(let valid)?: padding = .borders(try borders(valid.paddingAmounts, "paddingAmounts"))
    case .same(let same)?: padding = .same(isHeavyAtStart: try isHeavyAtStart(same, "asymmetryMode"))
    case nil: throw error("ConvolutionPaddingType", "is missing")
    }
    let kernel = try window(source.kernelSize, "kernelSize", default: 3)
    let dilation = try window(source.dilationFactor, "dilationFactor", default: 1)
    let isDynamic = inputCount == 2
    if isDynamic, source.isDeconvolution || source.hasBias_p || dilation != [1, 1] {
      throw error("input", "weights cannot be an input of a deconvolution, of a dilated convolution, or of one with a bias")
    }
    return try convolution(
      outputChannels: try extent(source.outputChannels, "outputChannels"),
      kernelChannels: try extent(source.kernelChannels, "kernelChannels"),
      groups: source.nGroups == 0 ? 1 : try extent(source.nGroups, "nGroups"), kernel: kernel,
      stride: try window(source.stride, "stride", default: 1), dilation: dilation, padding: padding,
      isTransposed: source.isDeconvolution, outputShape: source.outputShape, weights: isDynamic ? nil : source.weights,
      bias: source.hasBias_p ? source.bias : nil)
  }

  func convolution3D(_ source: SpecConvolution3DLayerParams) throws(FileError) -> NetworkConvolution {
    let padding: NetworkConvolution.Padding
    switch source.paddingType {
    case .valid: padding = .borders(NetworkBorders(before: [0, 0, 0], after: [0, 0, 0]))
    case .same: padding = .same(isHeavyAtStart: false)
    case .custom: padding = .borders(try customBorders(source))
    case .UNRECOGNIZED(let value): throw error("paddingType", "\(value) is not a kind of padding")
    }
    let groups = source.nGroups == 0 ? 1 : try extent(source.nGroups, "nGroups")
    let inputChannels = try extent(source.inputChannels, "inputChannels")
    guard inputChannels % groups == 0 else {
      throw error("nGroups", "\(groups) groups do not divide \(inputChannels) input channels")
    }
    // 0 stands for a value that the file leaves out.
    func sizes(_ values: [Int32], _ field: String) throws(FileError) -> [Int] {
      try self.sizes(values.map { $0 == 0 ? 1 : $0 }, field)
    }
    return try convolution(
      outputChannels: try extent(source.outputChannels, "outputChannels"),
      kernelChannels: source.isDeconvolution ? inputChannels : inputChannels / groups, groups: groups,
      kernel: try self.sizes([source.kernelDepth, source.kernelHeight, source.kernelWidth], "kernel size"),
      stride: try sizes([source.strideDepth, source.strideHeight, source.strideWidth], "stride"),
      dilation: try sizes([source.dilationDepth, source.dilationHeight, source.dilationWidth], "dilation"), padding: padding,
      isTransposed: source.isDeconvolution, outputShape: source.outputShape, weights: source.weights,
      bias: source.hasBias_p ? source.bias : nil)
  }

  private func convolution(
    outputChannels: Int, kernelChannels: Int, groups: Int, kernel: [Int], stride: [Int], dilation: [Int],
    padding: NetworkConvolution.Padding, isTransposed: Bool, outputShape: [UInt64], weights: SpecWeightParams?, bias: SpecWeightParams?
  ) throws(FileError) -> NetworkConvolution {
    guard outputChannels % groups == 0 else {
      throw error("nGroups", "\(groups) groups do not divide \(outputChannels) output channels")
    }
    guard outputShape.isEmpty || (isTransposed && outputShape.count == kernel.count) else {
      throw error("outputShape", "has \(outputShape.count) extents; only deconvolutions have one, of \(kernel.count) extents")
    }
    let perGroup = isTransposed ? outputChannels / groups : outputChannels
    let count = Extent.product(kernel) * Extent(kernelChannels) * Extent(perGroup)
    return NetworkConvolution(
      outputChannels: outputChannels, kernelChannels: kernelChannels, groups: groups, kernel: kernel, stride: stride, dilation: dilation,
      padding: padding, isTransposed: isTransposed, outputShape: outputShape.isEmpty ? nil : try extents(outputShape, "outputShape"),
      weights: try weights.map { weights throws(FileError) in
        try self.weights(weights, "weights", count: count, channels: Extent(outputChannels))
      }, bias: try self.bias(bias, count: outputChannels))
  }

  // MARK: Products and normalisation

  func innerProduct(_ source: SpecInnerProductLayerParams) throws(FileError) -> NetworkProduct {
    let inputChannels = try extent(source.inputChannels, "inputChannels")
    let outputChannels = try extent(source.outputChannels, "outputChannels")
    return NetworkProduct(
      inputChannels: inputChannels, outputChannels: outputChannels,
      weights: try weights(
        source.weights, "weights", count: Extent(inputChannels) * outputChannels, channels: Extent(outputChannels)),
      bias: try bias(source.hasBias_p ? source.bias : nil, count: outputChannels), isDynamicallyQuantized: source.int8DynamicQuantize)
  }

  func batchedProduct(_ source: SpecBatchedMatMulLayerParams, inputCount: Int) throws(FileError) -> NetworkBatchedProduct {
    guard inputCount == 1 else {
      guard !source.hasBias_p else { throw error("hasBias", "needs weights in the file") }
      return NetworkBatchedProduct(
        transposesFirst: source.transposeA, transposesSecond: source.transposeB, rows: 0, columns: 0, weights: nil, bias: nil,
        isDynamicallyQuantized: false)
    }
    let rows = try extent(source.weightMatrixFirstDimension, "weightMatrixFirstDimension")
    let columns = try extent(source.weightMatrixSecondDimension, "weightMatrixSecondDimension")
    return NetworkBatchedProduct(
      transposesFirst: source.transposeA, transposesSecond: source.transposeB, rows: rows, columns: columns,
      weights: try weights(source.weights, "weights", count: Extent(rows) * columns, channels: Extent(columns)),
      bias: try bias(source.hasBias_p ? source.bias : nil, count: columns), isDynamicallyQuantized: source.int8DynamicQuantize)
  }

  func embedding(
    _ count: UInt64, _ channels: UInt64, _ values: SpecWeightParams, _ bias: SpecWeightParams?
  ) throws(FileError) -> NetworkEmbedding {
    let count = try extent(count, "number of rows")
    let channels = try extent(channels, "number of channels")
    return NetworkEmbedding(
      count: count, channels: channels,
      weights: try weights(values, "weights", count: Extent(count) * channels, channels: Extent(channels)),
      bias: try self.bias(bias, count: channels))
  }

  private func bias(_ source: SpecWeightParams?, count: Int) throws(FileError) -> NetworkWeights? {
    try source.map { bias throws(FileError) in try weights(bias, "bias", count: Extent(count)) }
  }

  func batchNorm(_ source: SpecBatchnormLayerParams) throws(FileError) -> NetworkBatchNorm {
    let channels = try extent(source.channels, "channels")
    func vector(_ source: SpecWeightParams, _ field: String) throws(FileError) -> NetworkWeights {
      try weights(source, field, count: Extent(channels))
    }
    let computes = source.computeMeanVar
    return NetworkBatchNorm(
      channels: channels, isInstanceNorm: computes && source.instanceNormalization, epsilon: source.epsilon.or(1e-5),
      gamma: try vector(source.gamma, "gamma"),
      beta: try vector(source.beta, "beta"), mean: computes ? nil : try vector(source.mean, "mean"),
      variance: computes ? nil : try vector(source.variance, "variance"))
  }

  func layerNorm(_ source: SpecLayerNormalizationLayerParams) throws(FileError) -> NetworkOperation {
    guard !source.normalizedShape.isEmpty else { throw error("normalizedShape", "is empty") }
    let shape = try source.normalizedShape.map { value throws(FileError) in try extent(value, "normalizedShape") }
    let count = Extent.product(shape)
    return .layerNorm(
      shape: shape, epsilon: source.eps, gamma: try weights(source.gamma, "gamma", count: count),
      beta: try weights(source.beta, "beta", count: count))
  }
}
