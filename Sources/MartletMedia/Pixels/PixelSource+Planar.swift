extension PixelSource {
  /// Writes the upright, resized image as planes of red, green and blue: a float32 tensor of shape `[3, height, width]` with the size of
  /// the target.
  ///
  /// The image is converted to 8 bits, resampled to the size in `placement` with antialiasing, rounded to 8 bits, and normalised.
  /// Rotation only moves pixels and is therefore done last.
  /// - Parameters:
  ///   - orientation: orientation of the stored pixels.
  ///   - placement: computed for the size of the upright image.
  ///   - paddingValue: value of the elements around the image; it is not normalised.
  ///   - output: `3 * targetHeight * targetWidth` elements.
  package func writePlanes(
    upright orientation: ImageOrientation, placement: ImagePlacement, normalization: ColorNormalization, paddingValue: Float,
    into output: UnsafeMutablePointer<Float>
  ) {
    let planeCount = placement.targetWidth * placement.targetHeight
    if placement.width < placement.targetWidth || placement.height < placement.targetHeight {
      unsafe output.update(repeating: paddingValue, count: 3 * planeCount)
    }
    let storedWidth = orientation.exchangesAxes ? placement.height : placement.width
    let storedHeight = orientation.exchangesAxes ? placement.width : placement.height
    func element(column: Int, row: Int) -> Int {
      let (x, y) = orientation.uprightPosition(column: column, row: row, width: storedWidth, height: storedHeight)
      return (placement.y + y) * placement.targetWidth + placement.x + x
    }
    let columnStep = element(column: 1, row: 0) - element(column: 0, row: 0)
    unsafe PixelResampler(source: self, width: storedWidth, height: storedHeight).forEachRow { row, colors in
      let first = element(column: 0, row: row)
      for channel in 0..<3 {
        let plane = unsafe output + (channel * planeCount + first)
        let scale = normalization.scale[channel]
        let bias = normalization.bias[channel]
        for column in 0..<storedWidth {
          unsafe plane[column * columnStep] = Float(colors[3 * column + channel]) * scale + bias
        }
      }
    }
  }
}
