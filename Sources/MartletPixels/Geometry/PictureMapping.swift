/// How a stored picture becomes the input of a model: turned upright, reduced to a region, cropped and scaled. The mapping knows where
/// each point comes from.
package struct PictureMapping: Sendable, Equatable {
  package enum Action: Sendable, Hashable, CaseIterable {
    /// The largest central part that has the target's aspect ratio.
    case centerCrop
    /// The whole region with its aspect ratio, centred between bars.
    case scaleFit
    /// The whole region; its aspect ratio may change.
    case scaleFill
    /// The same two after a quarter turn counterclockwise.
    case scaleFitTurned
    case scaleFillTurned

    var mode: PictureFit.Mode {
      switch self {
      case .centerCrop: .centerCrop
      case .scaleFit, .scaleFitTurned: .fit
      case .scaleFill, .scaleFillTurned: .fill
      }
    }

    package var turns: Bool { self == .scaleFitTurned || self == .scaleFillTurned }
  }

  /// Size of the upright picture.
  package let uprightWidth: Int
  package let uprightHeight: Int
  /// The region in the upright picture, in whole pixels.
  package let columns: Range<Int>
  package let rows: Range<Int>
  /// How the region, turned if the action says so, comes to lie in the target.
  package let fit: PictureFit
  /// Orientation of the stored pixels relative to the target.
  package let orientation: ImageOrientation
  /// The part of the stored picture that is used, in whole pixels.
  package let storedColumns: Range<Int>
  package let storedRows: Range<Int>
  private let turns: Bool

  /// - Parameters:
  ///   - width, height: size of the stored picture.
  ///   - orientation: that of the stored pixels.
  ///   - region: the part of the upright picture to look at.
  /// - Returns: nil if an extent is below 1 or the region is not inside of the picture.
  package init?(
    width: Int, height: Int, orientation: ImageOrientation = .up, region: NormalizedBox = .whole, targetWidth: Int, targetHeight: Int,
    action: Action
  ) {
    guard width > 0, height > 0, region.isInside else { return nil }
    (uprightWidth, uprightHeight) = orientation.exchangesAxes ? (height, width) : (width, height)
    (columns, rows) = region.pixels(width: uprightWidth, height: uprightHeight)
    turns = action.turns
    let (turnedWidth, turnedHeight) = turns ? (rows.count, columns.count) : (columns.count, rows.count)
    guard
      let fit = PictureFit(
        imageWidth: turnedWidth, imageHeight: turnedHeight, targetWidth: targetWidth, targetHeight: targetHeight, mode: action.mode)
    else { return nil }
    self.fit = fit
    self.orientation = turns ? orientation.followed(by: .left) : orientation
    // Two opposite pixels of the part, in the stored picture.
    let (left, top, upright) = (columns.lowerBound, rows.lowerBound, (width: uprightWidth, height: uprightHeight))
    let back: ImageOrientation = turns ? .right : .up
    func stored(_ column: Int, _ row: Int) -> (x: Int, y: Int) {
      let inRegion = back.uprightPosition(column: column, row: row, width: turnedWidth, height: turnedHeight)
      return orientation.inverse.uprightPosition(
        column: left + inRegion.x, row: top + inRegion.y, width: upright.width, height: upright.height)
    }
    let first = stored(fit.columns.lowerBound, fit.rows.lowerBound)
    let last = stored(fit.columns.upperBound - 1, fit.rows.upperBound - 1)
    storedColumns = min(first.x, last.x)..<max(first.x, last.x) + 1
    storedRows = min(first.y, last.y)..<max(first.y, last.y) + 1
  }

  /// True if the target has the stored pixels, one for one.
  package var isIdentity: Bool {
    let placement = fit.placement
    return orientation == .up && placement.width == placement.targetWidth && placement.height == placement.targetHeight
      && storedColumns.count == placement.width && storedRows.count == placement.height && storedColumns.lowerBound == 0
      && storedRows.lowerBound == 0 && columns.count == uprightWidth && rows.count == uprightHeight
  }

  // MARK: Coordinates

  /// The point of the region that becomes a point of the target: both in pixels from the upper left corner.
  package func regionPoint(ofTargetX x: Double, y: Double) -> (x: Double, y: Double) {
    let point = fit.imagePoint(ofTargetX: x, y: y)
    return turns ? (Double(columns.count) - point.y, point.x) : point
  }

  /// The point of the target that a point of the region becomes.
  package func targetPoint(ofRegionX x: Double, y: Double) -> (x: Double, y: Double) {
    turns ? fit.targetPoint(ofImageX: y, y: Double(columns.count) - x) : fit.targetPoint(ofImageX: x, y: y)
  }

  /// The box in the region that a rectangle of the target shows.
  /// - Parameter rectangle: in units of the target's extents, with the origin at the upper left.
  package func regionBox(ofTargetX x: Double, y: Double, width: Double, height: Double) -> NormalizedBox {
    let (targetWidth, targetHeight) = (Double(fit.placement.targetWidth), Double(fit.placement.targetHeight))
    let first = regionPoint(ofTargetX: x * targetWidth, y: y * targetHeight)
    let last = regionPoint(ofTargetX: (x + width) * targetWidth, y: (y + height) * targetHeight)
    let (regionWidth, regionHeight) = (Double(columns.count), Double(rows.count))
    return NormalizedBox(
      x: min(first.x, last.x) / regionWidth, y: 1 - max(first.y, last.y) / regionHeight, width: abs(last.x - first.x) / regionWidth,
      height: abs(last.y - first.y) / regionHeight)
  }

  /// The box in the whole upright picture of one in the region.
  package func pictureBox(of box: NormalizedBox) -> NormalizedBox {
    let scale = (x: Double(columns.count) / Double(uprightWidth), y: Double(rows.count) / Double(uprightHeight))
    return NormalizedBox(
      x: Double(columns.lowerBound) / Double(uprightWidth) + box.x * scale.x,
      y: Double(uprightHeight - rows.upperBound) / Double(uprightHeight) + box.y * scale.y, width: box.width * scale.x,
      height: box.height * scale.y)
  }
}

extension ImageOrientation {
  /// The orientation that takes upright pixels back to where they are stored.
  package var inverse: ImageOrientation {
    switch self {
    case .left: .right
    case .right: .left
    default: self
    }
  }
}
