/// How a picture comes to have a model's size: which part of it, and where that lies in the target. Coordinates are those of the upright
/// picture, in pixels, with the origin at the upper left.
package struct PictureFit: Sendable, Equatable {
  package enum Mode: Sendable, Hashable, CaseIterable {
    /// The whole picture; its aspect ratio may change.
    case fill
    /// The whole picture with its aspect ratio, centred between bars.
    case fit
    /// The same at the upper left.
    case fitTopLeft
    /// The largest central part that has the target's aspect ratio.
    case centerCrop
  }

  /// The part of the picture that is used. What lies around it does not count.
  package let columns: Range<Int>
  package let rows: Range<Int>
  package let placement: ImagePlacement

  /// - Parameters:
  ///   - imageWidth, imageHeight: size of the upright picture, at least 1.
  ///   - region: the part of the picture to look at, in whole pixels; nil is all of it.
  /// - Returns: nil if an extent is below 1 or the region is empty or exceeds the picture.
  package init?(
    imageWidth: Int, imageHeight: Int, region: (x: Range<Int>, y: Range<Int>)? = nil, targetWidth: Int, targetHeight: Int, mode: Mode
  ) {
    guard imageWidth > 0, imageHeight > 0, targetWidth > 0, targetHeight > 0 else { return nil }
    let columns = region?.x ?? 0..<imageWidth
    let rows = region?.y ?? 0..<imageHeight
    guard !columns.isEmpty, !rows.isEmpty, columns.lowerBound >= 0, rows.lowerBound >= 0, columns.upperBound <= imageWidth,
      rows.upperBound <= imageHeight
    else { return nil }
    let (width, height) = (columns.count, rows.count)
    var (usedColumns, usedRows) = (columns, rows)
    let placement: ImagePlacement?
    switch mode {
    case .fill: placement = .stretched(targetWidth: targetWidth, targetHeight: targetHeight)
    case .fit, .fitTopLeft:
      placement = .letterboxed(
        imageWidth: width, imageHeight: height, targetWidth: targetWidth, targetHeight: targetHeight,
        anchor: mode == .fit ? .center : .topLeft)
    case .centerCrop:
      let scale = max(Double(targetWidth) / Double(width), Double(targetHeight) / Double(height))
      // In range: at most the extent.
      func cropped(_ target: Int, of extent: Int) -> Int { min(extent, max(1, Int((Double(target) / scale).rounded()))) }
      let (croppedWidth, croppedHeight) = (cropped(targetWidth, of: width), cropped(targetHeight, of: height))
      let (left, top) = (columns.lowerBound + (width - croppedWidth) / 2, rows.lowerBound + (height - croppedHeight) / 2)
      (usedColumns, usedRows) = (left..<left + croppedWidth, top..<top + croppedHeight)
      placement = .stretched(targetWidth: targetWidth, targetHeight: targetHeight)
    }
    guard let placement else { return nil }
    self.columns = usedColumns
    self.rows = usedRows
    self.placement = placement
  }

  package var part: PixelRectangle {
    PixelRectangle(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  // MARK: Coordinates

  /// The point of the target that a point of the picture becomes.
  package func targetPoint(ofImageX x: Double, y: Double) -> (x: Double, y: Double) {
    (
      Double(placement.x) + (x - part.columns.lowerBound) * Double(placement.width) / part.width,
      Double(placement.y) + (y - part.rows.lowerBound) * Double(placement.height) / part.height
    )
  }

  /// The point of the picture that becomes a point of the target; in the bars it lies outside of the part.
  package func imagePoint(ofTargetX x: Double, y: Double) -> (x: Double, y: Double) {
    (
      part.columns.lowerBound + (x - Double(placement.x)) * part.width / Double(placement.width),
      part.rows.lowerBound + (y - Double(placement.y)) * part.height / Double(placement.height)
    )
  }
}
