import MartletTensor

/// Antialiased resizing of 8-bit images with the results of Pillow's `Image.resize` (and thus torchvision's on PIL images).
///
/// The axes are resampled separately, the width first: an output sample is the weighted mean of the input samples under a filter that
/// widens when downsampling. Weights are 22-bit fixed point, and samples are rounded to 8 bits after each axis. Pillow 13 resamples the
/// height first where that is cheaper (never if the aspect ratio is kept), which can change samples by one step, or by a few at sharp
/// edges.
package enum ImageResize {
  package enum Filter: Sendable, CaseIterable {
    /// The triangle filter, radius 1.
    case bilinear
    /// Keys' cubic with a = -0.5, radius 2.
    case bicubic

    var radius: Double {
      switch self {
      case .bilinear: 1
      case .bicubic: 2
      }
    }

    func weight(at distance: Double) -> Double {
      let x = abs(distance)
      switch self {
      case .bilinear: return max(0, 1 - x)
      case .bicubic:
        let a = -0.5
        if x < 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
        if x < 2 { return (((x - 5) * x + 8) * x - 4) * a }
        return 0
      }
    }
  }

  fileprivate static let fractionBits: Int32 = 22

  /// Windows with fixed-point weights.
  fileprivate struct Weights {
    let starts: [Int]
    let counts: [Int]
    /// `stride` weights for each output position, the first `counts` of which are used.
    let values: [Int32]
    let stride: Int

    init(from inputExtent: Int, to outputExtent: Int, filter: Filter) {
      let windows = ResamplingWindows(from: inputExtent, to: outputExtent, filter: filter, edge: .dropped)
      starts = windows.starts
      counts = windows.counts
      stride = windows.stride
      values = windows.weights.map { weight in
        let scaled = weight * Double(1 << ImageResize.fractionBits)
        return Int32(scaled + (scaled < 0 ? -0.5 : 0.5))
      }
    }
  }
}

extension Image {
  /// Resizes the image. Colours are premultiplied by alpha before and divided by it afterwards, so that the colours of transparent pixels
  /// do not bleed.
  /// - Precondition: both extents are at least 1.
  package func resized(width: Int, height: Int, filter: ImageResize.Filter = .bilinear) -> Image {
    precondition(width > 0 && height > 0, "an image has at least one row and one column")
    if width == self.width, height == self.height { return self }
    var image = format == .rgba8 ? mappingColors(Image.multiplied) : self
    if width != self.width { image = image.resampledColumns(to: width, filter: filter) }
    if height != self.height { image = image.resampledRows(to: height, filter: filter) }
    return format == .rgba8 ? image.mappingColors(Image.divided) : image
  }

  /// Resizes the image so that its shorter side has `extent` pixels. As in torchvision, the longer side is rounded down.
  package func resizedShorterSide(to extent: Int, filter: ImageResize.Filter = .bilinear) -> Image {
    if width <= height {
      return resized(width: extent, height: max(1, extent * height / width), filter: filter)
    }
    return resized(width: max(1, extent * width / height), height: extent, filter: filter)
  }

  private func resampledColumns(to outputWidth: Int, filter: ImageResize.Filter) -> Image {
    let weights = ImageResize.Weights(from: width, to: outputWidth, filter: filter)
    let channelCount = format.channelCount
    var result: [UInt8] = []
    result.reserveCapacity(outputWidth * height * channelCount)
    for row in 0..<height {
      let rowStart = row * width * channelCount
      for column in 0..<outputWidth {
        let first = rowStart + weights.starts[column] * channelCount
        let firstWeight = column * weights.stride
        for channel in 0..<channelCount {
          var sum: Int32 = 1 << (ImageResize.fractionBits - 1)
          for tap in 0..<weights.counts[column] {
            sum &+= Int32(pixels[first + tap * channelCount + channel]) &* weights.values[firstWeight + tap]
          }
          result.append(Image.clamped(sum))
        }
      }
    }
    return Image(checkedWidth: outputWidth, height: height, format: format, pixels: result)
  }

  private func resampledRows(to outputHeight: Int, filter: ImageResize.Filter) -> Image {
    let weights = ImageResize.Weights(from: height, to: outputHeight, filter: filter)
    let rowByteCount = width * format.channelCount
    var result: [UInt8] = []
    result.reserveCapacity(outputHeight * rowByteCount)
    var sums = [Int32](repeating: 0, count: rowByteCount)
    for row in 0..<outputHeight {
      for index in 0..<rowByteCount { sums[index] = 1 << (ImageResize.fractionBits - 1) }
      for tap in 0..<weights.counts[row] {
        let start = (weights.starts[row] + tap) * rowByteCount
        let weight = weights.values[row * weights.stride + tap]
        for index in 0..<rowByteCount { sums[index] &+= Int32(widening: pixels[start + index]) &* weight }
      }
      for index in 0..<rowByteCount { result.append(Image.clamped(sums[index])) }
    }
    return Image(checkedWidth: width, height: outputHeight, format: format, pixels: result)
  }

  private static func clamped(_ sum: Int32) -> UInt8 {
    UInt8(max(0, min(255, sum >> ImageResize.fractionBits)))
  }

  private func mappingColors(_ transform: (_ color: UInt8, _ alpha: UInt8) -> UInt8) -> Image {
    var result = pixels
    for start in stride(from: 0, to: result.count, by: 4) {
      let alpha = result[start + 3]
      for channel in 0..<3 { result[start + channel] = transform(result[start + channel], alpha) }
    }
    return Image(checkedWidth: width, height: height, format: format, pixels: result)
  }

  /// `color * alpha / 255`, rounded.
  private static func multiplied(_ color: UInt8, _ alpha: UInt8) -> UInt8 {
    let product = Int(widening: color) * Int(widening: alpha) + 128
    return UInt8((product >> 8 + product) >> 8)
  }

  /// `color * 255 / alpha`, rounded down and clamped; unchanged for alpha 0.
  private static func divided(_ color: UInt8, _ alpha: UInt8) -> UInt8 {
    alpha == 0 || alpha == 255 ? color : UInt8(min(255, Int(widening: color) * 255 / Int(widening: alpha)))
  }
}
