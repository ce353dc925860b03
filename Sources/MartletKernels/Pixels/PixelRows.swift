package import MartletTensor

/// The channels of interleaved pixels of 8 bits: channel c is byte `places[c]` of a pixel of `step` bytes; -1 stands for none.
package struct PixelChannels: Sendable, Hashable {
  package let step: Int
  package let places: SIMD4<Int8>

  /// - Parameters:
  ///   - step: 1 to 4.
  ///   - places: below `step`.
  package init(step: Int, places: SIMD4<Int8>) {
    precondition((1...4).contains(step) && (0..<4).allSatisfy { (-1..<step).contains(Int(places[$0])) })
    self.step = step
    self.places = places
  }

  func withPlaces<R>(_ body: (UnsafePointer<Int8>) -> R) -> R {
    unsafe withUnsafeBytes(of: places) { bytes in
      // A vector's elements lie one after another.
      unsafe body(bytes.baseAddress!.assumingMemoryBound(to: Int8.self))
    }
  }
}

/// Functions on rows of pixels (see `martlet_pixels.h`). Pointers must be valid for the counts given.
package enum PixelRows {
  /// Copies pixels to another order: byte c of a result is channel c, or 255 where there is none.
  package static func reorder(
    _ source: UnsafePointer<UInt8>, _ channels: PixelChannels, to target: UnsafeMutablePointer<UInt8>, step: Int, count: Int
  ) {
    unsafe channels.withPlaces { places in
      unsafe mk_pixels_reorder(source, Int32(channels.step), target, Int32(step), places, count)
    }
  }

  /// The luma of ITU-R BT.601 of the channels red, green and blue.
  package static func luma(_ source: UnsafePointer<UInt8>, _ channels: PixelChannels, to target: UnsafeMutablePointer<UInt8>, count: Int) {
    unsafe channels.withPlaces { places in unsafe mk_pixels_luma(source, Int32(channels.step), places, target, count) }
  }

  /// Writes channel c, times `scale[c]` plus `bias[c]`, to `target + c * planeStride + i * stride` in elements of `dtype`, which is float32,
  /// float16 or uint8.
  package static func toPlanes(
    _ source: UnsafePointer<UInt8>, _ channels: PixelChannels, channelCount: Int, scale: SIMD4<Float>, bias: SIMD4<Float>, dtype: DType,
    target: UnsafeMutableRawPointer, planeStride: Int, stride: Int, count: Int
  ) {
    let planeByteCount = planeStride * dtype.byteCount
    let pointers = unsafe (target, target + planeByteCount, target + 2 * planeByteCount, target + 3 * planeByteCount)
    unsafe channels.withPlaces { places in
      unsafe withUnsafeBytes(of: (scale, bias)) { numbers in
        let scale = unsafe numbers.baseAddress!.assumingMemoryBound(to: Float.self)
        unsafe withUnsafeBytes(of: pointers) { pointers in
          unsafe mk_pixels_to_planes(
            source, Int32(channels.step), Int32(channelCount), places, scale, scale + 4, Int32(dtype.rawValue),
            pointers.baseAddress!.assumingMemoryBound(to: UnsafeMutableRawPointer.self), stride, count)
        }
      }
    }
  }

  /// The other direction: rounds to nearest, ties to even, and clamps. Bytes without a channel become 255.
  package static func fromPlanes(
    _ source: UnsafeRawPointer, dtype: DType, planeStride: Int, stride: Int, order: SIMD4<Int>, scale: Float, bias: Float,
    to target: UnsafeMutablePointer<UInt8>, _ channels: PixelChannels, channelCount: Int, count: Int
  ) {
    let planeByteCount = planeStride * dtype.byteCount
    let base = unsafe UnsafeMutableRawPointer(mutating: source)
    let pointers = unsafe (
      base + order[0] * planeByteCount, base + order[1] * planeByteCount, base + order[2] * planeByteCount, base + order[3] * planeByteCount
    )
    unsafe channels.withPlaces { places in
      unsafe withUnsafeBytes(of: (SIMD4<Float>(repeating: scale), SIMD4<Float>(repeating: bias))) { numbers in
        let scale = unsafe numbers.baseAddress!.assumingMemoryBound(to: Float.self)
        unsafe withUnsafeBytes(of: pointers) { pointers in
          unsafe mk_planes_to_pixels(
            Int32(dtype.rawValue), pointers.baseAddress!.assumingMemoryBound(to: UnsafeRawPointer.self), stride, Int32(channelCount),
            places,
            scale, scale + 4, target, Int32(channels.step), count)
        }
      }
    }
  }

  /// Converts luma and chroma (Cb, Cr for every two pixels) of 8 or 10 bits to red, green, blue and 255. Ten bits are the high ones of words.
  package static func colors(
    luma: UnsafeRawPointer, chroma: UnsafeRawPointer, bits: Int, matrix: ChromaMatrix, to target: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    var matrix = matrix.coefficients(bits: bits)
    unsafe mk_chroma_to_pixels(&matrix, Int32(bits), luma, chroma, target, count)
  }

  /// Converts two rows of pixels to luma and, by the mean of each square, chroma. The second row is nil below the last one of an odd height.
  package static func chroma(
    of first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>?, _ channels: PixelChannels, bits: Int, matrix: ChromaMatrix,
    luma: UnsafeMutableRawPointer, secondLuma: UnsafeMutableRawPointer?, chroma: UnsafeMutableRawPointer, count: Int
  ) {
    var matrix = matrix.weights(bits: bits)
    unsafe channels.withPlaces { places in
      unsafe mk_pixels_to_chroma(&matrix, Int32(bits), first, second, Int32(channels.step), places, luma, secondLuma, chroma, count)
    }
  }

  /// Copies an image: the pixel at column x of row y goes to `target + x * columnStride + y * rowStride`, in bytes.
  package static func arrange(
    _ source: UnsafeRawPointer, rowByteCount: Int, width: Int, height: Int, pixelByteCount: Int, to target: UnsafeMutableRawPointer,
    columnStride: Int, rowStride: Int
  ) {
    unsafe mk_pixels_arrange(source, rowByteCount, width, height, Int32(pixelByteCount), target, columnStride, rowStride)
  }

  /// Where a pixel of four bytes has its alpha.
  package enum AlphaPlace: Int32, Sendable { case first = 0, last = 3 }

  /// Multiplies colours by alpha, rounded. In place allowed, as for the other functions on alpha.
  package static func premultiply(_ source: UnsafePointer<UInt8>, alpha: AlphaPlace, to target: UnsafeMutablePointer<UInt8>, count: Int) {
    unsafe mk_pixels_premultiply(source, alpha.rawValue, target, count)
  }

  /// Divides colours by alpha, rounded down; those of transparent pixels stay.
  package static func unpremultiply(_ source: UnsafePointer<UInt8>, alpha: AlphaPlace, to target: UnsafeMutablePointer<UInt8>, count: Int) {
    unsafe mk_pixels_unpremultiply(source, alpha.rawValue, target, count)
  }

  /// Lays premultiplied pixels over those of the target.
  package static func blend(_ source: UnsafePointer<UInt8>, alpha: AlphaPlace, over target: UnsafeMutablePointer<UInt8>, count: Int) {
    unsafe mk_pixels_blend(source, alpha.rawValue, target, count)
  }

  /// The same for pixels of four floats.
  package static func blend(_ source: UnsafePointer<Float>, alpha: AlphaPlace, over target: UnsafeMutablePointer<Float>, count: Int) {
    unsafe mk_pixels_blend_f32(source, alpha.rawValue, target, count)
  }

  /// The means of boxes of `xFactor` times `height` pixels, rounded as Pillow's `Image.reduce` does. `sums` is scratch for `width * step` numbers.
  package static func reduce(
    _ source: UnsafePointer<UInt8>, rowByteCount: Int, step: Int, width: Int, xFactor: Int, height: Int, sums: UnsafeMutablePointer<UInt32>,
    to target: UnsafeMutablePointer<UInt8>
  ) {
    unsafe mk_pixels_reduce_row(source, rowByteCount, Int32(step), width, Int32(xFactor), Int32(height), sums, target)
  }
}

// MARK: - Resampling

extension ResamplingAxis {
  /// Resamples output positions of a row to 8 bits: `channelCount` interleaved samples each.
  package func resample(
    row source: UnsafePointer<UInt8>, _ channels: PixelChannels, channelCount: Int, outputs: Range<Int>,
    to target: UnsafeMutablePointer<UInt8>
  ) {
    unsafe channels.withPlaces { places in
      unsafe withTable {
        unsafe mk_resample_row_u8(
          $0, source, Int32(channels.step), places, Int32(channelCount), parameters.inputExtent, outputs.lowerBound, outputs.upperBound,
          target)
      }
    }
  }

  /// The same to floats of 1 or 4 channels.
  package func resample(
    row source: UnsafePointer<UInt8>, _ channels: PixelChannels, channelCount: Int, outputs: Range<Int>,
    to target: UnsafeMutablePointer<Float>
  ) {
    unsafe channels.withPlaces { places in
      unsafe withTable {
        unsafe mk_resample_row_u8_f32(
          $0, source, Int32(channels.step), places, Int32(channelCount), parameters.inputExtent, outputs.lowerBound, outputs.upperBound,
          target)
      }
    }
  }

  /// Resamples floats of 1 to 4 interleaved channels.
  package func resample(row source: UnsafePointer<Float>, channelCount: Int, outputs: Range<Int>, to target: UnsafeMutablePointer<Float>) {
    unsafe withTable {
      unsafe mk_resample_row_f32($0, source, Int32(channelCount), outputs.lowerBound, outputs.upperBound, target)
    }
  }

  /// Output row `y` from the rows at `rows`, of which the first is row `firstRow` of the input.
  package func resample(
    rows: UnsafePointer<UInt8>, rowStride: Int, firstRow: Int, count: Int, output y: Int, to target: UnsafeMutablePointer<UInt8>
  ) {
    unsafe withTable { unsafe mk_resample_column_u8($0, y, rows, rowStride, firstRow, count, target) }
  }

  /// The same for floats. `dtype` is float32, or uint8 or uint16, which round halves away from zero.
  package func resample(
    rows: UnsafePointer<Float>, rowStride: Int, firstRow: Int, count: Int, output y: Int, dtype: DType, to target: UnsafeMutableRawPointer
  ) {
    unsafe withTable { unsafe mk_resample_column_f32($0, y, rows, rowStride, firstRow, count, Int32(dtype.rawValue), target) }
  }

  private func withTable(_ body: (UnsafePointer<mk_resampling>) -> Void) {
    unsafe withUnsafePointer(to: table) { unsafe body($0) }
  }
}
