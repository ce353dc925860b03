import MartletKernels
import MartletTensor
import Testing

/// Rows of pixels against formulas in double precision.
struct PixelRowsTests {
  private static let widths = [1, 2, 7, 15, 16, 17, 33, 64, 101]
  private static let colors = PixelChannels(step: 4, places: [0, 1, 2, -1])

  private func bytes(_ count: Int, _ seed: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 + seed) &* 2_654_435_761 >> 7) }
  }

  /// Samples of 8 bits, or of 10 in the high bits of words.
  private func sample(_ samples: [UInt8], _ index: Int, bits: Int) -> Double {
    bits == 8 ? Double(samples[index]) : Double((Int(samples[2 * index]) | Int(samples[2 * index + 1]) << 8) >> 6)
  }

  @Test(arguments: ChromaMatrix.Standard.allCases, [true, false])
  func `luma and chroma become the colours of their standard`(standard: ChromaMatrix.Standard, isFullRange: Bool) {
    let (red, blue) = standard.lumaWeights
    for bits in [8, 10] {
      let (white, unit) = bits == 8 ? (255.0, 1.0) : (1023.0, 4.0)
      let (lumaSpan, chromaSpan) = isFullRange ? (white, white) : (219 * unit, 224 * unit)
      for width in Self.widths {
        let luma = bytes(width * bits / 4, width)
        let chroma = bytes((width + 1) / 2 * 2 * bits / 4, width + 9)
        var result = [UInt8](repeating: 7, count: 4 * width + 1)
        unsafe result.withUnsafeMutableBufferPointer { result in
          unsafe luma.withUnsafeBytes { luma in
            unsafe chroma.withUnsafeBytes { chroma in
              unsafe PixelRows.colors(
                luma: luma.baseAddress!, chroma: chroma.baseAddress!, bits: bits,
                matrix: ChromaMatrix(standard, isFullRange: isFullRange), to: result.baseAddress!, count: width)
            }
          }
        }
        var largest = 0.0
        for x in 0..<width {
          let y = (sample(luma, x, bits: bits) - (isFullRange ? 0 : 16 * unit)) / lumaSpan
          let cb = (sample(chroma, x / 2 * 2, bits: bits) - 128 * unit) / chromaSpan
          let cr = (sample(chroma, x / 2 * 2 + 1, bits: bits) - 128 * unit) / chromaSpan
          let r = y + 2 * (1 - red) * cr
          let b = y + 2 * (1 - blue) * cb
          let g = (y - red * r - blue * b) / (1 - red - blue)
          for (channel, value) in [r, g, b].enumerated() {
            largest = max(largest, abs(Double(result[4 * x + channel]) - min(max(255 * value, 0), 255)))
          }
          #expect(result[4 * x + 3] == 255)
        }
        // Half a step of rounding, and that of the coefficients.
        #expect(largest < 0.56, "\(bits) bits, width \(width)")
        #expect(result[4 * width] == 7)
      }
    }
  }

  @Test(arguments: ChromaMatrix.Standard.allCases, [true, false])
  func `gray colours become luma without chroma, and come back`(standard: ChromaMatrix.Standard, isFullRange: Bool) {
    let matrix = ChromaMatrix(standard, isFullRange: isFullRange)
    for bits in [8, 10] {
      let width = 255
      let pixels = (0..<4 * width).map { (byte: Int) -> UInt8 in byte % 4 == 3 ? 0 : UInt8(byte / 4) }
      var luma = [UInt8](repeating: 0, count: width * bits / 4)
      var chroma = [UInt8](repeating: 0, count: 256 * bits / 4)
      var back = [UInt8](repeating: 0, count: 4 * width)
      unsafe luma.withUnsafeMutableBytes { luma in
        unsafe chroma.withUnsafeMutableBytes { chroma in
          unsafe pixels.withUnsafeBufferPointer { pixels in
            unsafe PixelRows.chroma(
              of: pixels.baseAddress!, nil, Self.colors, bits: bits, matrix: matrix, luma: luma.baseAddress!, secondLuma: nil,
              chroma: chroma.baseAddress!, count: width)
          }
          unsafe back.withUnsafeMutableBufferPointer { back in
            unsafe PixelRows.colors(
              luma: luma.baseAddress!, chroma: chroma.baseAddress!, bits: bits, matrix: matrix, to: back.baseAddress!, count: width)
          }
        }
      }
      for x in 0..<width {
        #expect(sample(chroma, x / 2 * 2, bits: bits) == (bits == 8 ? 128 : 512))
        // Luma of 8 bits in video range has 219 steps.
        for channel in 0..<3 { #expect(abs(Int(back[4 * x + channel]) - x) <= (bits == 8 && !isFullRange ? 1 : 0), "\(bits) \(x)") }
      }
    }
  }

  @Test(arguments: [PixelRows.AlphaPlace.first, .last])
  func `premultiplied pixels blend by the formula`(alpha: PixelRows.AlphaPlace) {
    for width in Self.widths {
      let source = bytes(4 * width, 1)
      let below = bytes(4 * width, 77)
      let place = Int(alpha.rawValue)
      var multiplied = source
      var blended = below
      unsafe multiplied.withUnsafeMutableBufferPointer { multiplied in
        let multiplied = multiplied.baseAddress!
        unsafe PixelRows.premultiply(multiplied, alpha: alpha, to: multiplied, count: width)
        unsafe blended.withUnsafeMutableBufferPointer {
          unsafe PixelRows.blend(multiplied, alpha: alpha, over: $0.baseAddress!, count: width)
        }
      }
      for x in 0..<width {
        let a = Double(source[4 * x + place])
        for channel in 0..<4 {
          let index = 4 * x + channel
          if channel != place { #expect(Double(multiplied[index]) == (Double(source[index]) * a / 255).rounded()) }
          let rest = (Double(below[index]) * (255 - a) / 255).rounded()
          #expect(Double(blended[index]) == min(255, Double(multiplied[index]) + rest))
        }
      }
    }
  }

  @Test func `tensors of every element type hold the same samples`() {
    for width in Self.widths {
      let pixels = bytes(4 * width, 5)
      let order = PixelChannels(step: 4, places: [2, 1, 0, -1])
      func planes<Sample: BitwiseCopyable>(_ zero: Sample, _ write: (UnsafeMutableRawPointer) -> Void) -> [Sample] {
        var result = [Sample](repeating: zero, count: 3 * width)
        unsafe result.withUnsafeMutableBytes { unsafe write($0.baseAddress!) }
        return result
      }
      let scale = SIMD4<Float>(0.5, 1, 2, 0)
      let bias = SIMD4<Float>(-1, 0, 3, 0)
      unsafe pixels.withUnsafeBufferPointer { source in
        let source = source.baseAddress!
        let floats = unsafe planes(Float(0)) {
          unsafe PixelRows.toPlanes(
            source, order, channelCount: 3, scale: scale, bias: bias, dtype: .float32, target: $0, planeStride: width, stride: 1,
            count: width)
        }
        let halves = unsafe planes(UInt16(0)) {
          unsafe PixelRows.toPlanes(
            source, order, channelCount: 3, scale: scale, bias: bias, dtype: .float16, target: $0, planeStride: width, stride: 1,
            count: width)
        }
        let whole = unsafe planes(UInt8(0)) {
          unsafe PixelRows.toPlanes(
            source, order, channelCount: 3, scale: scale, bias: bias, dtype: .uint8, target: $0, planeStride: width, stride: 1, count: width
          )
        }
        for channel in 0..<3 {
          for x in 0..<width {
            let expected = Float(pixels[4 * x + 2 - channel]) * scale[channel] + bias[channel]
            #expect(floats[channel * width + x] == expected)
            #expect(whole[channel * width + x] == UInt8(max(0, min(255, expected.rounded(.toNearestOrEven)))))
            // Halves up to 2048 hold such numbers exactly.
            let bits = halves[channel * width + x]
            let magnitude = Double(bits & 0x3FF) / 1024
            let exponent = Int(bits >> 10 & 0x1F)
            let value = exponent == 0 ? magnitude * 0x1p-14 : (1 + magnitude) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
            #expect(Float(bits & 0x8000 == 0 ? value : -value) == expected)
          }
        }
      }
    }
  }
}
