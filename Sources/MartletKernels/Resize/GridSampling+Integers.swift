package import MartletTensor
import MartletVocabulary

extension GridSampling {
  /// As `kernel`, for images and grids of Int64. All intermediate coordinates are integers, rounded towards zero, so that each result is a
  /// pixel of the image, whatever the interpolation.
  /// - Source: the integer types of ExecuTorch's `grid_sampler_2d.out`; ATen has none.
  package func integerKernel(_ x: TensorView, _ grid: TensorView, to y: TensorView) -> Kernel {
    { [self] context in
      let source = context.elements(x, as: Int64.self)
      let places = context.elements(grid, as: Int64.self)
      let target = context.elements(y, as: Int64.self)
      let (height, width) = (y.shape[2], y.shape[3])
      context.parallelRanges(y.shape[0] * height, grain: max(1, 2 * 1024 / max(width * y.shape[1], 1))) { lines, _ in
        for line in lines {
          let (image, row) = line.quotientAndRemainder(dividingBy: height)
          for column in 0..<width {
            let place = image * grid.strides[0] + row * grid.strides[1] + column * grid.strides[2]
            let j = position(places[place], x.shape[3])
            let i = position(places[place + grid.strides[3]], x.shape[2])
            let pixel = image * y.strides[0] + row * y.strides[2] + column * y.strides[3]
            for channel in 0..<y.shape[1] {
              let offset = image * x.strides[0] + channel * x.strides[1]
              let value = if let i, let j { source[offset + i * x.strides[2] + j * x.strides[3]] } else { Int64(0) }
              target[pixel + channel * y.strides[1]] = value
            }
          }
        }
      }
    }
  }

  /// The pixel for a coordinate on an axis; nil if it is outside.
  private func position(_ coordinate: Int64, _ extent: Int) -> Int? {
    let extent = Int64(extent)
    // May wrap around for coordinates far outside; the result is only compared with the extent.
    let place = alignCorners ? (coordinate &+ 1) / 2 &* (extent - 1) : ((coordinate &+ 1) &* extent &- 1) / 2
    switch padding {
    case .zeros: return place >= 0 && place < extent ? Int(place) : nil
    case .border: return Int(min(max(place, 0), extent - 1))
    case .reflection:
      let span = alignCorners ? extent - 1 : extent
      if span == 0 { return 0 }
      let (flips, rest) = place.magnitude.quotientAndRemainder(dividingBy: span.magnitude)
      return Int(min(flips % 2 == 0 ? rest : span.magnitude - rest, extent.magnitude - 1))
    }
  }
}
