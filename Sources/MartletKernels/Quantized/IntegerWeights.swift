/// 8-bit weights for `IntegerConvolution`.
package struct IntegerWeights: Sendable {
  /// Strides, in elements, of output channel, input channel, and tap rows and columns.
  package var strides: (output: Int, input: Int, y: Int, x: Int)
  package var groups: Int
  /// Channels per group.
  package var outputChannels: Int
  package var inputChannels: Int
  package var kernel: (height: Int, width: Int)
  /// Offset of the first weight in elements.
  package var offset = 0
  /// Taps along a third axis that count as input channels, and their stride in elements. Tap by tap, all channels of a group follow.
  package var depthTaps: (count: Int, stride: Int)?
  /// True if there are no weights, so that every sum is 0.
  package var isBlank = false
  /// True if 3 × 3 weights are transformed for Winograd tiles of 2 × 2 results. Set by `chooseWinograd`.
  package private(set) var isWinograd = false

  package init(
    strides: (output: Int, input: Int, y: Int, x: Int), groups: Int, outputChannels: Int, inputChannels: Int,
    kernel: (height: Int, width: Int)
  ) {
    self.strides = strides
    self.groups = groups
    self.outputChannels = outputChannels
    self.inputChannels = inputChannels
    self.kernel = kernel
  }

  /// Number of products per sum.
  package var depth: Int { inputChannels * kernel.height * kernel.width }

  /// Maximum number of products whose sum is guaranteed to fit in 32 bits.
  package static let greatestDepth = 60_000

  /// Uses Winograd tiles, which give the same results, for a convolution of this stride and dilation where they are faster.
  ///
  /// They take 4 of 9 products, but transform inputs and sums, and read 3.6 times the bytes of weights. Measured on ResNet-18: 2.3 times as
  /// fast with 49 tiles and more; with 16 1.9 times on an Intel processor (512 channels), no faster on an AMD Zen 3.
  package mutating func chooseWinograd(
    stride: (y: Int, x: Int), dilation: (y: Int, x: Int), images: Int, outputExtents: (height: Int, width: Int)
  ) {
    let tiles = images * ((outputExtents.height + 1) / 2) * ((outputExtents.width + 1) / 2)
    isWinograd =
      kernel == (3, 3) && stride == (1, 1) && dilation == (1, 1) && groups == 1 && !isBlank && depthTaps == nil
      && min(inputChannels, outputChannels) >= 16 && tiles >= 16 && mk_q8_winograd_is_supported(inputChannels) != 0
  }

  package var isDepthwise: Bool { inputChannels == 1 && outputChannels == 1 && groups > 1 && kernel.height <= 16 }

  var panelCount: Int { groups * ((outputChannels + 31) / 32) }

  /// Length of a list with one number per column, including padding.
  var paddedColumns: Int { isDepthwise ? (groups + 31) / 32 * 32 : panelCount * 32 }

  /// Position of output channel `channel`, counted over all groups, in such a list.
  func paddedColumn(_ channel: Int) -> Int {
    if isDepthwise { return channel }
    return channel / outputChannels * ((outputChannels + 31) / 32 * 32) + channel % outputChannels
  }

  /// Size of the packed weights in bytes.
  package var packedByteCount: Int {
    if isWinograd { return mk_q8_winograd_packed_bytes(outputChannels, inputChannels) }
    if isDepthwise { return mk_q8_depthwise2d_packed_bytes(groups, kernel.height, kernel.width) }
    return mk_q8_conv2d_packed_bytes(groups, outputChannels, inputChannels, kernel.height, kernel.width)
  }

  /// - Parameter packed: aligned to 64 bytes.
  package func pack(_ weights: UnsafePointer<Int8>, into packed: UnsafeMutablePointer<Int8>) {
    let weights = unsafe weights + offset
    if isBlank {
      unsafe packed.update(repeating: 0, count: packedByteCount)
    } else if let depthTaps {
      var flat = self
      flat.depthTaps = nil
      flat.offset = 0
      flat.strides = (depth, kernel.height * kernel.width, kernel.width, 1)
      unsafe dense(weights, depthTaps).withUnsafeBufferPointer { dense in
        if let start = dense.baseAddress { unsafe flat.pack(start, into: packed) }
      }
    } else if isWinograd {
      unsafe mk_q8_winograd_pack_weights(
        weights, strides.output, strides.input, strides.y, strides.x, outputChannels, inputChannels, packed)
    } else if isDepthwise {
      unsafe mk_q8_depthwise2d_pack_weights(
        weights, strides.output, strides.y, strides.x, groups, kernel.height, kernel.width, packed)
    } else {
      unsafe mk_q8_conv2d_pack_weights(
        weights, strides.output, strides.input, strides.y, strides.x, groups, outputChannels, inputChannels, kernel.height,
        kernel.width, packed)
    }
  }
}

extension IntegerWeights {
  /// The weights row-major, with taps along the third axis as input channels.
  private func dense(_ weights: UnsafePointer<Int8>, _ taps: (count: Int, stride: Int)) -> [Int8] {
    var result: [Int8] = []
    result.reserveCapacity(groups * outputChannels * depth)
    for output in 0..<groups * outputChannels {
      for tap in 0..<taps.count {
        for input in 0..<inputChannels / taps.count {
          for y in 0..<kernel.height {
            for x in 0..<kernel.width {
              result.append(
                unsafe weights[output * strides.output + tap * taps.stride + input * strides.input + y * strides.y + x * strides.x])
            }
          }
        }
      }
    }
    return result
  }
}

/// Per-column parameters that `IntegerConvolution` reads in addition to the weights.
package struct IntegerParameters: Sendable {
  /// Real value of one unit of the sum, per output channel.
  private var units: [Double]
  /// Requantisation factor of the sum, per output channel.
  private var factors: [Float]
  private var outputScale: Float
  private var bias: [Float]?
  /// True if biases are kept as floating-point numbers: results are float32, or a bias is not a 32-bit integer number of units.
  package private(set) var hasRealBias: Bool

  /// - Parameters:
  ///   - inputScale: 1 if rows have their own scales.
  ///   - weightScales: one per output channel, or a single one.
  ///   - outputScale: of integer results; 1 for real ones.
  package init(
    inputScale: Float, weightScales: [Float], bias: [Float]?, channels: Int, outputScale: Float, result: IntegerResult
  ) {
    var units: [Double] = []
    var factors: [Float] = []
    units.reserveCapacity(channels)
    factors.reserveCapacity(channels)
    for channel in 0..<channels {
      let weightScale = weightScales[weightScales.count == 1 ? 0 : channel]
      units.append(Double(inputScale) * Double(weightScale))
      // In float32 and in XNNPACK's order: results halfway between two steps depend on the last bit.
      factors.append(inputScale * weightScale / outputScale)
    }
    self.units = units
    self.factors = factors
    self.outputScale = outputScale
    self.bias = bias
    switch result {
    case .real: hasRealBias = bias != nil
    case .quantized:
      hasRealBias =
        bias.map { bias in
          zip(bias, units).contains { bias, unit in
            let count = Double(bias) / unit
            guard abs(count) < 0x1p30 else { return true }
            // In range: the number has 31 bits. A conversion costs less than a call of the C library's `round`.
            let nearest = Double(Int32(count + (count < 0 ? -0.5 : 0.5)))
            return abs(count - nearest) > max(1e-3, abs(count) * 0x1p-22)
          }
        } ?? false
    }
  }

  /// Bytes of the packed form.
  package static func byteCount(_ weights: IntegerWeights) -> Int { weights.paddedColumns * 8 }

  package func pack(_ weights: IntegerWeights, into packed: UnsafeMutableRawPointer) {
    let columns = weights.paddedColumns
    let scales = unsafe packed.assumingMemoryBound(to: Float.self)
    unsafe packed.initializeMemory(as: UInt8.self, repeating: 0, count: columns * 8)
    let realBias = unsafe scales + columns
    let sumBias = unsafe UnsafeMutableRawPointer(realBias).assumingMemoryBound(to: Int32.self)
    for channel in units.indices {
      let column = weights.paddedColumn(channel)
      unsafe scales[column] = factors[channel]
      guard let bias else { continue }
      if hasRealBias {
        unsafe realBias[column] = Float(Double(bias[channel]) / Double(outputScale))
      } else {
        unsafe sumBias[column] = Int32((Double(bias[channel]) / units[channel]).rounded(.toNearestOrEven))
      }
    }
  }
}
