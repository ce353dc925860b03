import MartletTensor

/// Layers by their types. Names of types are those that the `.mlmodel` has for the operation.
extension EspressoReader {
  func operation(of layer: EspressoLayer) throws(EspressoFailure) -> (type: String, operation: NetworkOperation) {
    let operation = try description(of: layer)
    guard !layer.inputs.isEmpty else { throw layer.damaged("bottom", "names no blob") }
    let takesMany = ["elementwise", "concat", "general_concat"].contains(layer.type)
    guard layer.inputs.count == 1 || takesMany, layer.outputs.count == 1 else {
      throw .unsupported("\(layer.type) layers of \(layer.inputs.count) inputs and \(layer.outputs.count) outputs are not supported")
    }
    return operation
  }

  private func description(of layer: EspressoLayer) throws(EspressoFailure) -> (type: String, operation: NetworkOperation) {
    switch layer.type {
    case "convolution", "deconvolution": ("convolution", .convolution(try convolution(layer)))
    case "pool": ("pooling", .pool(try pool(layer)))
    case "inner_product": ("innerProduct", .innerProduct(try innerProduct(layer)))
    case "activation": try activation(layer)
    case "elementwise": try elementwise(layer)
    case "batchnorm": ("batchnorm", .batchNorm(try batchNorm(layer)))
    case "softmax": ("softmax", try softmax(layer))
    case "softmax_nd": ("softmaxND", .softmaxAlong(axis: try layer.int("nd_axis")))
    case "concat": ("concat", try concat(layer))
    case "general_concat": ("concatND", .concat(axis: try layer.int("axis"), isInterleaved: false))
    case "upsample": ("upsample", try upsample(layer))
    case "flatten": ("flatten", .flatten(isChannelLast: try flattenMode(layer)))
    case "reshape": try reshape(layer)
    case "transpose": ("transpose", try transpose(layer))
    case "copy": ("copy", .copy)
    default: throw .unsupported("layers of the type \(layer.type) are not supported in compiled networks")
    }
  }

  // MARK: Weights

  /// The values of a blob that the layer refers to.
  private func weights(
    _ layer: EspressoLayer, _ field: String, isHalf: Bool = false, count: Extent
  ) throws(EspressoFailure) -> NetworkWeights {
    let section = try layer.int(field)
    guard let weights = blobs.weights(section, isHalf: isHalf, count: count) else {
      throw layer.damaged(field, "section \(section) of the weights does not hold \(count.clamped) values")
    }
    return weights
  }

  /// The weights of a product; an error for quantised ones.
  private func matrix(_ layer: EspressoLayer, count: Extent) throws(EspressoFailure) -> NetworkWeights {
    try layer.require("quantization_mode", 0)
    if layer.has("blob_weights") { return try weights(layer, "blob_weights", count: count) }
    guard layer.has("blob_weights_f16") else { throw .unsupported("the layer has weights in a form that is not known") }
    return try weights(layer, "blob_weights_f16", isHalf: true, count: count)
  }

  private func biases(_ layer: EspressoLayer, count: Int) throws(EspressoFailure) -> NetworkWeights? {
    guard try layer.flag("has_biases") else {
      // Its number stays in the file.
      _ = layer.has("blob_biases")
      return nil
    }
    return try weights(layer, "blob_biases", count: Extent(count))
  }

  // MARK: Windows

  /// Padding of height and width; nil if it is that of `same`.
  private func borders(_ layer: EspressoLayer) throws(EspressoFailure) -> NetworkBorders? {
    try layer.require("pad_fill_mode", 0)
    let before = [try layer.int("pad_t", default: 0), try layer.int("pad_l", default: 0)]
    let after = [try layer.int("pad_b", default: 0), try layer.int("pad_r", default: 0)]
    guard [before, after].joined().allSatisfy({ Extent($0).count != nil }) else { throw layer.damaged("pad", "an amount is not possible") }
    let mode = try layer.int("pad_mode", default: 0)
    switch mode {
    case 0: return NetworkBorders(before: before, after: after)
    case 1: return nil
    // Without padding, whatever the amounts are.
    case 2: return NetworkBorders(before: [0, 0], after: [0, 0])
    default: throw .unsupported("the layer has pad_mode \(mode)")
    }
  }

  private func pair(_ layer: EspressoLayer, _ y: String, _ x: String, default value: Int? = nil) throws(EspressoFailure) -> [Int] {
    [try layer.extent(y, default: value), try layer.extent(x, default: value)]
  }

  private func convolution(_ layer: EspressoLayer) throws(EspressoFailure) -> NetworkConvolution {
    let isTransposed = layer.type == "deconvolution"
    let outputs = try layer.extent("C")
    let inputs = try layer.extent("K")
    let groups = try layer.extent("n_groups", default: 1)
    let kernel = try pair(layer, "Ny", "Nx")
    guard inputs % groups == 0, outputs % groups == 0 else {
      throw layer.damaged("n_groups", "\(groups) groups do not divide \(inputs) and \(outputs) channels")
    }
    try layer.require("has_batch_norm", 0)
    try layer.require("n_parallel", 1)
    var outputShape: [Int]?
    if isTransposed, layer.has("deconv_out_height"), try layer.int("deconv_out_height") != 0 {
      outputShape = try pair(layer, "deconv_out_height", "deconv_out_width")
    } else {
      _ = layer.has("deconv_out_width")
    }
    let padding: NetworkConvolution.Padding = try borders(layer).map { .borders($0) } ?? .same(isHeavyAtStart: false)
    let perGroup = isTransposed ? outputs / groups : outputs
    let kernelChannels = isTransposed ? inputs : inputs / groups
    let count = Extent.product(kernel + [kernelChannels, perGroup])
    return NetworkConvolution(
      outputChannels: outputs, kernelChannels: kernelChannels, groups: groups, kernel: kernel,
      stride: try pair(layer, "stride_y", "stride_x", default: 1), dilation: try pair(layer, "dilation_y", "dilation_x", default: 1),
      padding: padding, isTransposed: isTransposed, outputShape: outputShape, weights: try matrix(layer, count: count),
      bias: try biases(layer, count: outputs))
  }

  private func pool(_ layer: EspressoLayer) throws(EspressoFailure) -> NetworkPool {
    let kinds: [NetworkPool.Kind] = [.average, .max, .l2]
    let kind = try layer.int("avg_or_max")
    guard kinds.indices.contains(kind) else { throw .unsupported("the layer has avg_or_max \(kind)") }
    let isGlobal = try layer.flag("is_global")
    let kernel = try pair(layer, "size_y", "size_x", default: isGlobal ? 1 : nil)
    let stride = try pair(layer, "stride_y", "stride_x", default: 1)
    let borders = try borders(layer)
    let style = try layer.int("top_shape_style", default: 0)
    let padding: NetworkPool.Padding
    switch (style, borders) {
    case (0, nil): padding = .same(isHeavyAtStart: false)
    case (0, let borders?): padding = .borders(borders)
    case (2, let borders?) where borders.before == borders.after: padding = .includeLastPixel(borders.before)
    default: throw .unsupported("the layer has top_shape_style \(style)")
    }
    return NetworkPool(
      kind: kinds[kind], kernel: isGlobal ? [] : kernel, stride: isGlobal ? [] : stride, padding: padding,
      excludesPadding: try layer.flag("average_count_exclude_padding"), isGlobal: isGlobal)
  }

  private func upsample(_ layer: EspressoLayer) throws(EspressoFailure) -> NetworkOperation {
    var factors = [try layer.extent("scaling_factor_y", default: 1), try layer.extent("scaling_factor_x", default: 1)].map { Float($0) }
    let fractions = [
      try layer.float("fractional_scaling_factor_y", default: 1), try layer.float("fractional_scaling_factor_x", default: 1),
    ]
    if try layer.flag("use_fractional_scale_factors") {
      guard fractions.allSatisfy({ $0 > 0 && $0.isFinite }) else {
        throw layer.damaged("fractional_scaling_factor", "\(fractions) are not positive factors")
      }
      factors = fractions
    }
    let isAligned = try layer.flag("align_corners")
    // Older compilers knew one grid only.
    let isLegacy = try layer.flag("is_legacy_mode", default: !layer.has("align_corners"))
    let mode: NetworkUpsampling
    switch try layer.int("mode", default: 0) {
    case 0: mode = .nearest
    case 1: mode = isLegacy ? .bilinear : isAligned ? .bilinearAligned : .bilinearUnaligned
    case let other: throw .unsupported("the layer has the mode \(other)")
    }
    return .upsample(height: factors[0], width: factors[1], mode)
  }

  // MARK: Products and normalisation

  private func innerProduct(_ layer: EspressoLayer) throws(EspressoFailure) -> NetworkProduct {
    let inputs = try layer.extent("nB")
    let outputs = try layer.extent("nC")
    try layer.require("has_prelu", 0)
    try layer.require("is_lookup", 0)
    // In both modes a vector is multiplied; the shape of the blob tells which axes it has.
    _ = layer.has("nd_mode")
    return NetworkProduct(
      inputChannels: inputs, outputChannels: outputs, weights: try matrix(layer, count: Extent(inputs) * outputs),
      bias: try biases(layer, count: outputs), isDynamicallyQuantized: false)
  }

  /// The parameters are stored by channels: gamma, beta, mean and variance, to which the compiler has added epsilon.
  private func batchNorm(_ layer: EspressoLayer) throws(EspressoFailure) -> NetworkBatchNorm {
    let channels = try layer.extent("C")
    let section = try layer.int("blob_batchnorm_params")
    func list(_ offset: Int) throws(EspressoFailure) -> NetworkWeights {
      let file = "model.espresso.weights"
      guard let list = blobs.weights(section, every: 4, from: offset, count: Extent(channels), file: file) else {
        throw layer.damaged("blob_batchnorm_params", "section \(section) of the weights does not hold 4 values for \(channels) channels")
      }
      return list
    }
    let computes = try layer.flag("training")
    let isInstanceNorm = try layer.flag("training_instancenorm")
    _ = layer.has("training_momentum")
    let epsilon = try layer.float("training_eps", default: computes ? 1e-5 : 0)
    return NetworkBatchNorm(
      channels: channels, isInstanceNorm: computes && isInstanceNorm, epsilon: computes ? epsilon : 0, gamma: try list(0),
      beta: try list(1), mean: computes ? nil : try list(2), variance: computes ? nil : try list(3))
  }

  /// C is the axis in the order w, h, k.
  private func softmax(_ layer: EspressoLayer) throws(EspressoFailure) -> NetworkOperation {
    try layer.require("C", 2)
    return .softmax
  }

  // MARK: Shapes

  private func concat(_ layer: EspressoLayer) throws(EspressoFailure) -> NetworkOperation {
    try layer.require("axis", 1)
    return .concatOld(isSequence: false)
  }

  private func flattenMode(_ layer: EspressoLayer) throws(EspressoFailure) -> Bool {
    switch try layer.int("mode", default: 0) {
    case 0: false
    case 1: true
    case let other: throw .unsupported("the layer has the mode \(other)")
    }
  }

  /// With a rank, to a shape of that rank. Without one, to [seq, k, h, w], where n stays.
  private func reshape(_ layer: EspressoLayer) throws(EspressoFailure) -> (type: String, operation: NetworkOperation) {
    try layer.require("dynamic_shape", 0)
    _ = layer.has("version")
    var shape: [Int] = []
    for field in ["dst_seq", "dst_n", "dst_k", "dst_h", "dst_w"] {
      let extent = try layer.int(field, default: 1)
      guard extent == -1 || Extent(extent).count != nil else { throw layer.damaged(field, "\(extent) is not an extent") }
      shape.append(extent)
    }
    let isChannelLast = try flattenMode(layer)
    guard layer.has("dst_nd_rank") else {
      guard shape[1] <= 1, !shape.contains(-1) else { throw .unsupported("the layer has dst_n \(shape[1])") }
      let images = Array(shape.suffix(3))
      return ("reshape", .reshapeOld(shape: shape[0] <= 1 ? images : [shape[0]] + images, isChannelLast: isChannelLast))
    }
    let rank = try layer.int("dst_nd_rank")
    guard (1...5).contains(rank) else { throw layer.damaged("dst_nd_rank", "\(rank) is not a rank") }
    guard !isChannelLast else { throw .unsupported("the layer has the mode 1") }
    return ("reshapeStatic", .reshape(.fixed(Array(shape.suffix(rank)))))
  }

  /// Each axis of the result names the axis that it was: w is 0, h 1, k 2, n 3 and seq 4.
  private func transpose(_ layer: EspressoLayer) throws(EspressoFailure) -> NetworkOperation {
    var axes: [Int] = []
    for (position, field) in ["axis_w", "axis_h", "axis_k", "axis_n", "axis_seq"].enumerated() {
      axes.append(try layer.int(field, default: position))
    }
    guard axes.sorted() == [0, 1, 2, 3, 4] else { throw layer.damaged("axis", "\(axes) are not all axes") }
    let rank = layer.inputs.first.flatMap { self.rank(ofBlob: $0) } ?? 5
    guard rank > 0, axes.prefix(rank).allSatisfy({ $0 < rank }) else {
      throw .unsupported("the layer moves axes \(axes) of a blob of rank \(rank)")
    }
    return .transpose((0..<rank).map { rank - 1 - axes[rank - 1 - $0] })
  }
}
