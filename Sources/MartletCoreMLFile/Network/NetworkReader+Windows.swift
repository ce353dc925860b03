import MartletBytes
import MartletTensor

extension NetworkReader {
  // MARK: Pooling

  func pool(_ source: SpecPoolingLayerParams) throws(FileError) -> NetworkPool {
    let kind: NetworkPool.Kind
    switch source.type {
    case .max: kind = .max
    case .average: kind = .average
    case .l2: kind = .l2
    case .UNRECOGNIZED(let value): throw error("type", "\(value) is not a kind of pooling")
    }
    let padding: NetworkPool.Padding
    switch source.poolingPaddingType {
    case .valid(let valid)?: padding = .borders(try borders(valid.paddingAmounts, "paddingAmounts"))
    case .same(let same)?: padding = .same(isHeavyAtStart: try isHeavyAtStart(same, "asymmetryMode"))
    case .includeLastPixel(let complete)?:
      let amounts = complete.paddingAmounts
      guard amounts.isEmpty || amounts.count == 2 else { throw error("paddingAmounts", "has \(amounts.count) values instead of 2") }
      padding = .includeLastPixel(
        amounts.isEmpty ? [0, 0] : try amounts.map { amount throws(FileError) in try int(amount, "paddingAmounts") })
    case nil:
      guard source.globalPooling else { throw error("PoolingPaddingType", "is missing") }
      padding = .borders(NetworkBorders(before: [0, 0], after: [0, 0]))
    }
    // The window of a global pooling is the image, whatever its declared size.
    let isGlobal = source.globalPooling
    return NetworkPool(
      kind: kind, kernel: isGlobal ? [] : try window(source.kernelSize, "kernelSize", default: 3),
      stride: isGlobal ? [] : try window(source.stride, "stride", default: 1), padding: padding,
      excludesPadding: source.avgPoolExcludePadding, isGlobal: isGlobal)
  }

  func pool3D(_ source: SpecPooling3DLayerParams) throws(FileError) -> NetworkPool {
    let kind: NetworkPool.Kind
    switch source.type {
    case .max: kind = .max
    case .average: kind = .average
    case .UNRECOGNIZED(let value): throw error("type", "\(value) is not a kind of pooling")
    }
    let padding: NetworkPool.Padding
    switch source.paddingType {
    case .valid: padding = .borders(NetworkBorders(before: [0, 0, 0], after: [0, 0, 0]))
    case .same: padding = .same(isHeavyAtStart: false)
    case .custom: padding = .borders(try customBorders(source))
    case .UNRECOGNIZED(let value): throw error("paddingType", "\(value) is not a kind of padding")
    }
    let hasAmounts = [source.customPaddingBefore, source.customPaddingAfter].contains { $0.contains { $0 != 0 } }
    guard source.paddingType == .custom || !hasAmounts else { throw error("customPadding", "is for the padding type custom only") }
    return NetworkPool(
      kind: kind, kernel: try sizes([source.kernelDepth, source.kernelHeight, source.kernelWidth], "kernel size"),
      stride: try sizes([source.strideDepth, source.strideHeight, source.strideWidth], "stride"), padding: padding,
      excludesPadding: source.countExcludePadding, isGlobal: false)
  }

  func globalPool3D(_ source: SpecGlobalPooling3DLayerParams) throws(FileError) -> NetworkPool.Kind {
    switch source.type {
    case .max: .max
    case .average: .average
    case .UNRECOGNIZED(let value): throw error("type", "\(value) is not a kind of pooling")
    }
  }

  /// Amounts at the borders of depth, height and width.
  func customBorders(_ source: some CustomPadding) throws(FileError) -> NetworkBorders {
    let (before, after) = (source.customPaddingBefore, source.customPaddingAfter)
    guard before.allSatisfy({ $0 >= 0 }), after.allSatisfy({ $0 >= 0 }) else { throw error("customPadding", "has negative amounts") }
    return NetworkBorders(before: before.map { Int(widening: $0) }, after: after.map { Int(widening: $0) })
  }

  func sizes(_ values: [Int32], _ field: String) throws(FileError) -> [Int] {
    try values.map { value throws(FileError) in try extent(value, field) }
  }

  // MARK: Padding, cropping and resizing

  /// Layers that change the extents of images.
  func window(_ parameters: SpecNeuralNetworkLayer.OneOf_Layer, inputCount: Int) throws(FileError) -> NetworkOperation {
    switch parameters {
    case .padding(let source):
      let amounts = try borders(source.paddingAmounts, "paddingAmounts")
      switch source.paddingType {
      case .constant(let constant)?: return .pad(.constant(constant.value), amounts)
      case .reflection?: return .pad(.reflection, amounts)
      case .replication?: return .pad(.replication, amounts)
      case nil: throw error("PaddingType", "is missing")
      }
    case .constantPad(let source):
      let amounts = try source.padAmounts.map { amount throws(FileError) in try int(amount, "padAmounts") }
      guard inputCount == 2 || (!amounts.isEmpty && amounts.count % 2 == 0) else {
        throw error("padAmounts", "has \(amounts.count) values instead of two for each axis")
      }
      if inputCount == 1, source.padToGivenOutputSizeMode {
        for (start, end) in pairs(amounts) where start > 0 && end > 0 {
          throw error("padAmounts", "\(start) and \(end) are two sizes for one axis of the output")
        }
      }
      return .padAll(value: source.value, amounts: amounts, isOutputSize: source.padToGivenOutputSizeMode)
    case .crop(let source):
      if inputCount == 1 { return .crop(try borders(source.cropAmounts, "cropAmounts"), offset: [0, 0]) }
      guard source.offset.count == 2 else { throw error("offset", "has \(source.offset.count) values instead of 2") }
      return .crop(nil, offset: try source.offset.map { offset throws(FileError) in try int(offset, "offset") })
    case .upsample(let source): return try upsample(source)
    case .resizeBilinear(let source):
      let size = try window(source.targetSize, "targetSize", default: 1)
      return .resize(height: size[0], width: size[1], try sampling(source.mode))
    case .cropResize(let source):
      let size = try window(source.targetSize, "targetSize", default: 1)
      let (isCentered, isWidthFirst): (Bool, Bool)
      switch source.boxIndicesMode.boxMode {
      case .cornersHeightFirst: (isCentered, isWidthFirst) = (false, false)
      case .cornersWidthFirst: (isCentered, isWidthFirst) = (false, true)
      case .centerSizeHeightFirst: (isCentered, isWidthFirst) = (true, false)
      case .centerSizeWidthFirst: (isCentered, isWidthFirst) = (true, true)
      case .UNRECOGNIZED(let value): throw error("boxIndicesMode", "\(value) is not a form of boxes")
      }
      return .cropResize(
        NetworkCropResize(
          height: size[0], width: size[1], hasNormalizedBoxes: source.normalizedCoordinates, sampling: try sampling(source.mode),
          areBoxesCentered: isCentered, isWidthFirst: isWidthFirst, spatialScale: source.spatialScale.or(1)))
    case .slidingWindows(let source):
      return .slidingWindows(
        axis: try int(source.axis, "axis"), size: try extent(source.windowSize, "windowSize"), step: try extent(source.step, "step"))
    case .reorganizeData(let source):
      let mode: NetworkReorganization
      switch source.mode {
      case .spaceToDepth: mode = .spaceToDepth
      case .depthToSpace: mode = .depthToSpace
      case .pixelShuffle: mode = .pixelShuffle
      case .UNRECOGNIZED(let value): throw error("mode", "\(value) is not a reorganization")
      }
      guard source.blockSize > 1 else { throw error("blockSize", "\(source.blockSize) is not above 1") }
      return .reorganize(mode, blockSize: try extent(source.blockSize, "blockSize"))
    default: throw error("layer", "is of a type that is not known")
    }
  }

  private func upsample(_ source: SpecUpsampleLayerParams) throws(FileError) -> NetworkOperation {
    let factors: [Float]
    if source.fractionalScalingFactor.isEmpty {
      factors = try window(source.scalingFactor, "scalingFactor", default: 1).map { Float($0) }
    } else {
      guard source.scalingFactor.isEmpty else { throw error("scalingFactor", "and fractionalScalingFactor are both present") }
      factors = source.fractionalScalingFactor
      guard factors.count == 2, factors.allSatisfy({ $0 > 0 && $0.isFinite }) else {
        throw error("fractionalScalingFactor", "\(factors) are not two positive factors")
      }
      guard source.mode == .bilinear, source.linearUpsampleMode != .default else {
        throw error("fractionalScalingFactor", "needs a linear mode that aligns corners or does not")
      }
    }
    let mode: NetworkUpsampling
    switch (source.mode, source.linearUpsampleMode) {
    case (.nn, .default): mode = .nearest
    case (.nn, _): throw error("linearUpsampleMode", "is for bilinear upsampling only")
    case (.bilinear, .default): mode = .bilinear
    case (.bilinear, .alignCornersTrue): mode = .bilinearAligned
    case (.bilinear, .alignCornersFalse): mode = .bilinearUnaligned
    case (.bilinear, .UNRECOGNIZED(let value)): throw error("linearUpsampleMode", "\(value) is not a mode")
    case (.UNRECOGNIZED(let value), _): throw error("mode", "\(value) is not a mode")
    }
    return .upsample(height: factors[0], width: factors[1], mode)
  }

  /// Neighbouring values at even and odd positions.
  private func pairs(_ values: [Int]) -> some Sequence<(Int, Int)> {
    let even = stride(from: 0, to: values.count, by: 2).lazy.map { values[$0] }
    let odd = stride(from: 1, to: values.count, by: 2).lazy.map { values[$0] }
    return zip(even, odd)
  }

  private func sampling(_ mode: SpecSamplingMode) throws(FileError) -> NetworkSampling {
    switch mode.samplingMethod {
    case .strictAlignEndpointsMode: .strictAlignEndpoints
    case .alignEndpointsMode: .alignEndpoints
    case .upsampleMode: .upsample
    case .roiAlignMode: .roiAlign
    case .UNRECOGNIZED(let value): throw error("mode", "\(value) is not a grid")
    }
  }
}

/// A message with amounts of padding for three axes.
protocol CustomPadding {
  var customPaddingFront: Int32 { get }
  var customPaddingBack: Int32 { get }
  var customPaddingTop: Int32 { get }
  var customPaddingBottom: Int32 { get }
  var customPaddingLeft: Int32 { get }
  var customPaddingRight: Int32 { get }
}

extension CustomPadding {
  /// Amounts before depth, height and width.
  var customPaddingBefore: [Int32] { [customPaddingFront, customPaddingTop, customPaddingLeft] }
  /// Amounts after depth, height and width.
  var customPaddingAfter: [Int32] { [customPaddingBack, customPaddingBottom, customPaddingRight] }
}

extension SpecConvolution3DLayerParams: CustomPadding {}
extension SpecPooling3DLayerParams: CustomPadding {}
