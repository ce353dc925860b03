import MartletKernels
package import MartletTensor

extension Image {
  /// The float32 tensor of shape `[1, channels, height, width]`, or `[1, height, width, channels]`, with the elements
  /// `(sample / 255 - mean) / standardDeviation`, rounded once.
  /// - Precondition: both lists have one value per channel of the image's format.
  package func tensor(mean: [Float], standardDeviation: [Float], isChannelsLast: Bool = false) -> HostTensor {
    let channelCount = format.channelCount
    precondition(mean.count == channelCount && standardDeviation.count == channelCount, "one value for each channel")
    var result = HostTensor(
      zeros: .float32, shape: isChannelsLast ? [1, height, width, channelCount] : [1, channelCount, height, width])
    let (planeStride, pixelStride) = isChannelsLast ? (1, channelCount) : (width * height, 1)
    var (scale, bias) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for channel in 0..<channelCount {
      scale[channel] = Float(1 / (255 * Double(standardDeviation[channel])))
      bias[channel] = Float(-Double(mean[channel]) / Double(standardDeviation[channel]))
    }
    let channels = format.layout.storedChannels
    // The closure receives exactly the bytes of the shape above, aligned for any element type.
    unsafe result.withUnsafeMutableBytes { bytes in
      let output = bytes.baseAddress!
      withSource { source in
        unsafe source.forEachRow { row, pixels in
          unsafe PixelRows.toPlanes(
            pixels, channels, channelCount: channelCount, scale: scale, bias: bias, dtype: .float32,
            target: output + row * width * pixelStride * MemoryLayout<Float>.stride, planeStride: planeStride, stride: pixelStride,
            count: width)
        }
      }
    }
    return result
  }
}
