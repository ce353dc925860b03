package import MartletTensor

/// The mean over all pixels of channels-last images, summed in float32.
package enum PixelMean {
  /// - Parameters:
  ///   - x: [N, C, H, W] of float32, float16 or bfloat16 with contiguous channels and evenly spaced pixels.
  ///   - mean: N * C float32 elements, row-major.
  package static func kernel(from x: TensorView, to mean: TensorView) -> Kernel {
    let (images, channels, pixels) = (x.shape[0], x.shape[1], x.shape[2] * x.shape[3])
    let (size, dtype) = (x.dtype.byteCount, Int32(x.dtype.rawValue))
    // Channels per part: as many as a pass over the pixels keeps in registers.
    let part = 64
    let parts = (channels + part - 1) / part
    return { context in
      let source = unsafe context.address(x)
      let target = unsafe context.pointer(mean, as: Float.self)
      context.parallelRanges(images * parts, grain: max(1, 32 * 1024 / (pixels * part))) { range, _ in
        for index in range {
          let (image, number) = index.quotientAndRemainder(dividingBy: parts)
          let first = number * part
          unsafe mk_mean_rows(
            source + (image * x.strides[0] + first) * size, dtype, x.strides[3], pixels, min(part, channels - first),
            target + image * channels + first)
        }
      }
    }
  }
}
