package import MartletTensor

/// Linear interpolation between the four neighbours of each pixel.
package enum BilinearResize {
  /// - Parameters:
  ///   - x, y: images `[…, H, W]`, both dense, row-major or both channels-last.
  @_specialize(where T == Float)
  @_specialize(where T == Double)
  package static func kernel<T: ResampleElement>(
    _ x: TensorView, _ rows: LinearSamples<T>, _ columns: LinearSamples<T>, to y: TensorView
  ) -> Kernel {
    let (height, width) = (x.shape[x.rank - 2], x.shape[x.rank - 1])
    let (targetHeight, targetWidth) = (y.shape[y.rank - 2], y.shape[y.rank - 1])
    // A row-major image is treated as planes with one channel each.
    let channels = y.isContiguous ? 1 : y.shape[1]
    let planes = y.elementCount / (targetHeight * targetWidth * channels)
    return { context in
      let source = context.elements(x, as: T.self)
      let target = context.elements(y, as: T.self)
      context.parallelRanges(planes * targetHeight, grain: max(1, 8 * 1024 / (targetWidth * channels))) { lines, _ in
        for line in lines {
          let (plane, row) = line.quotientAndRemainder(dividingBy: targetHeight)
          let top = (plane * height + rows.first[row]) * width * channels
          let bottom = (plane * height + rows.second[row]) * width * channels
          let start = line * targetWidth * channels
          if channels == 1 {
            interpolateRow(source, top, bottom, rows.firstWeights[row], rows.secondWeights[row], columns, target, start)
          } else {
            interpolatePixels(
              source, top, bottom, rows.firstWeights[row], rows.secondWeights[row], columns, target, start, channels)
          }
        }
      }
    }
  }

  private static func interpolateRow<T: ResampleElement>(
    _ x: Elements<T>, _ top: Int, _ bottom: Int, _ topWeight: T, _ bottomWeight: T, _ columns: LinearSamples<T>,
    _ y: Elements<T>, _ start: Int
  ) {
    unsafe columns.first.withUnsafeBufferPointer { first in
      unsafe columns.second.withUnsafeBufferPointer { second in
        unsafe columns.firstWeights.withUnsafeBufferPointer { left in
          unsafe columns.secondWeights.withUnsafeBufferPointer { right in
            for column in 0..<first.count {
              let (i, j) = unsafe (first[column], second[column])
              let (a, b) = unsafe (left[column], right[column])
              y[start + column] =
                topWeight * (a * x[top + i] + b * x[top + j]) + bottomWeight * (a * x[bottom + i] + b * x[bottom + j])
            }
          }
        }
      }
    }
  }

  private static func interpolatePixels<T: ResampleElement>(
    _ x: Elements<T>, _ top: Int, _ bottom: Int, _ topWeight: T, _ bottomWeight: T, _ columns: LinearSamples<T>,
    _ y: Elements<T>, _ start: Int, _ channels: Int
  ) {
    for column in columns.first.indices {
      let (left, right) = (columns.first[column] * channels, columns.second[column] * channels)
      let (a, b) = (topWeight * columns.firstWeights[column], topWeight * columns.secondWeights[column])
      let (c, d) = (bottomWeight * columns.firstWeights[column], bottomWeight * columns.secondWeights[column])
      let pixel = start + column * channels
      for channel in 0..<channels {
        y[pixel + channel] =
          a * x[top + left + channel] + b * x[top + right + channel] + c * x[bottom + left + channel]
          + d * x[bottom + right + channel]
      }
    }
  }
}
