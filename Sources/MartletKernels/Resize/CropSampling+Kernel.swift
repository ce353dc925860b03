package import MartletTensor
package import MartletVocabulary

extension CropSampling {
  /// - Parameters:
  ///   - x: float32 images `[B, C, H, W]` of any strides, none empty.
  ///   - boxes: float32 `[N, 4]`, of any strides.
  ///   - indices: row-major int64 `[N]`, the image of each box; nil to sample each box in all images.
  ///   - y: row-major float32, `[N, C, h, w]` with indices, else `[N, B, C, h, w]`.
  package func kernel(_ x: TensorView, boxes: TensorView, indices: TensorView?, to y: TensorView) -> Kernel {
    let (batch, channels, height, width) = (x.shape[0], x.shape[1], x.shape[2], x.shape[3])
    let (rows, columns) = (y.shape[y.rank - 2], y.shape[y.rank - 1])
    let imagesPerBox = indices == nil ? batch : 1
    let crops = boxes.shape[0] * imagesPerBox
    let sampling = self
    let padding = padding ?? .nan
    return { context in
      let source = context.elements(x, as: Float.self)
      let target = context.elements(y, as: Float.self)
      let places = context.elements(boxes, as: Float.self)
      let list = indices.map { context.elements($0, as: Int64.self) }
      if let list {
        for box in 0..<boxes.shape[0] where list[box] < 0 || list[box] >= Int64(batch) {
          throw KernelError("box \(box) belongs to image \(list[box]) of \(batch)")
        }
      }
      context.parallelRanges(crops * rows, grain: max(1, 2 * 1024 / max(columns * channels, 1))) { lines, _ in
        for line in lines {
          let (crop, row) = line.quotientAndRemainder(dividingBy: rows)
          let (box, number) = crop.quotientAndRemainder(dividingBy: imagesPerBox)
          let image = list.map { Int($0[box]) } ?? number
          let numbers = SIMD4<Float>(
            places[box * boxes.strides[0]], places[box * boxes.strides[0] + boxes.strides[1]],
            places[box * boxes.strides[0] + 2 * boxes.strides[1]], places[box * boxes.strides[0] + 3 * boxes.strides[1]])
          let (top, left, bottom, right) = sampling.corners(numbers, height, width)
          let v = sampling.sample(sampling.mode.place(row, of: rows, from: top, to: bottom), height)
          let base = image * x.strides[0]
          let start = crop * channels * rows * columns + row * columns
          for column in 0..<columns {
            let u = sampling.sample(sampling.mode.place(column, of: columns, from: left, to: right), width)
            guard let v, let u else {
              for channel in 0..<channels { target[start + channel * rows * columns + column] = padding }
              continue
            }
            let (north, south) = (base + v.first * x.strides[2], base + v.second * x.strides[2])
            let (west, east) = (u.first * x.strides[3], u.second * x.strides[3])
            for channel in 0..<channels {
              let plane = channel * x.strides[1]
              let upper = (1 - u.weight) * source[north + west + plane] + u.weight * source[north + east + plane]
              let lower = (1 - u.weight) * source[south + west + plane] + u.weight * source[south + east + plane]
              target[start + channel * rows * columns + column] = (1 - v.weight) * upper + v.weight * lower
            }
          }
        }
      }
    }
  }

  /// First and last coordinate along both axes.
  @inline(__always)
  private func corners(_ box: SIMD4<Float>, _ height: Int, _ width: Int) -> (top: Float, left: Float, bottom: Float, right: Float) {
    var (a, b, c, d) = (box[0], box[1], box[2], box[3])
    let widthFirst: Bool
    switch boxForm {
    case .corners(let first): widthFirst = first
    case .centerSize(let first):
      (a, b, c, d) = (a - c / 2, b - d / 2, a + c / 2, b + d / 2)
      widthFirst = first
    }
    if widthFirst { (a, b, c, d) = (b, a, d, c) }
    let rowScale = scale * (isNormalized ? Float(height - 1) : 1)
    let columnScale = scale * (isNormalized ? Float(width - 1) : 1)
    return (a * rowScale, b * columnScale, c * rowScale, d * columnScale)
  }

  /// Reflects a coordinate at the centres of the first and last pixels until it is inside.
  @inline(__always)
  private static func mirrored(_ point: Float, last: Float) -> Float {
    guard last > 0 else { return point.isNaN ? point : 0 }
    let place = abs(point).truncatingRemainder(dividingBy: 2 * last)
    return min(place, 2 * last - place)
  }

  /// The two neighbours of a coordinate and the weight of the second; nil outside the axis and for NaN.
  @inline(__always)
  private func sample(_ point: Float, _ extent: Int) -> (first: Int, second: Int, weight: Float)? {
    let place = padding == nil ? Self.mirrored(point, last: Float(extent - 1)) : point
    guard place >= 0, place <= Float(extent - 1) else { return nil }
    let first = min(Int(place), extent - 1)
    return (first, min(first + 1, extent - 1), place - Float(first))
  }
}
