package import Martlet
package import MartletPixels

/// Draws observations into the picture that they are about.
package struct ObservationDrawing {
  private let mapping: PictureMapping
  private var pixels: [UInt8]

  /// - Parameter picture: the upright picture of the mapping.
  package init(_ picture: Picture, _ mapping: PictureMapping) {
    self.mapping = mapping
    pixels = picture.overBlack.converted(to: .rgb).pixels
  }

  /// The picture with what has been drawn.
  package var picture: Picture {
    get throws { try Picture(width: mapping.uprightWidth, height: mapping.uprightHeight, format: .rgb, pixels: pixels) }
  }

  /// Colours that are easy to tell apart; objects of a class have the same.
  private static let colors: [SIMD3<Double>] = [
    SIMD3(230, 25, 75), SIMD3(60, 180, 75), SIMD3(255, 225, 25), SIMD3(0, 130, 200), SIMD3(245, 130, 48), SIMD3(145, 30, 180),
    SIMD3(70, 240, 240), SIMD3(240, 50, 230), SIMD3(210, 245, 60), SIMD3(250, 190, 212), SIMD3(0, 128, 128), SIMD3(170, 110, 40),
  ]

  /// The colour of a number; negative numbers have the first one.
  private static func color(_ index: Int) -> SIMD3<Double> { colors[max(0, index) % colors.count] }

  /// Draws what has a place: frames of objects, pictures, and arrays that are maps of the model's input. Classes have none.
  /// - Returns: the number of observations that were drawn.
  package mutating func draw(_ observations: [Observation]) -> Int {
    var names: [String] = []
    var count = 0
    for observation in observations {
      switch observation {
      case .object(let object):
        let name = object.classes.first?.identifier ?? ""
        if !names.contains(name) { names.append(name) }
        drawFrame(mapping.pictureBox(of: object.box), Self.color(names.firstIndex(of: name) ?? 0))
        count += 1
      case .picture(_, let picture):
        draw(picture)
        count += 1
      case .value(_, .tensor(let tensor)): if draw(tensor) { count += 1 }
      case .classification, .value: break
      }
    }
    return count
  }

  // MARK: Frames

  private mutating func drawFrame(_ box: NormalizedBox, _ color: SIMD3<Double>) {
    let (width, height) = (mapping.uprightWidth, mapping.uprightHeight)
    func place(_ position: Double, _ extent: Int) -> Int {
      // NaN is the first pixel.
      position > 0 ? Int(min(position, 1) * Double(extent)) : 0
    }
    let (left, right) = (place(box.x, width), place(box.x + box.width, width))
    let (top, bottom) = (place(1 - box.y - box.height, height), place(1 - box.y, height))
    let line = max(2, min(width, height) / 200)
    for row in top..<max(top, min(bottom, height)) {
      for column in left..<max(left, min(right, width)) {
        let distance = min(min(column - left, right - 1 - column), min(row - top, bottom - 1 - row))
        if distance < line { blend(color, share: 1, column, row) }
      }
    }
  }

  private mutating func blend(_ color: SIMD3<Double>, share: Double, _ column: Int, _ row: Int) {
    let start = 3 * (row * mapping.uprightWidth + column)
    for channel in 0..<3 {
      let mixed = Double(pixels[start + channel]) * (1 - share) + color[channel] * share
      pixels[start + channel] = UInt8(exactly: min(max(mixed, 0), 255).rounded()) ?? 0
    }
  }

  // MARK: Maps

  /// Lays a map of the model's input over the region, where the input shows it.
  /// - Parameter color: the colour and its share at a column and row of the map.
  private mutating func overlay(width: Int, height: Int, _ color: (_ column: Int, _ row: Int) -> (SIMD3<Double>, Double)) {
    let target = mapping.fit.placement
    for row in mapping.rows {
      for column in mapping.columns {
        let point = mapping.targetPoint(
          ofRegionX: Double(column - mapping.columns.lowerBound) + 0.5, y: Double(row - mapping.rows.lowerBound) + 0.5)
        let (x, y) = (point.x / Double(target.targetWidth), point.y / Double(target.targetHeight))
        guard x >= 0, x < 1, y >= 0, y < 1 else { continue }
        let (shade, share) = color(Int(x * Double(width)), Int(y * Double(height)))
        blend(shade, share: share, column, row)
      }
    }
  }

  private mutating func draw(_ picture: Picture) {
    let colors = picture.converted(to: .rgb).pixels
    let width = picture.width
    // A gray picture is a mask.
    let isMask = picture.format == .gray
    overlay(width: width, height: picture.height) { column, row in
      let start = 3 * (row * width + column)
      if isMask { return (Self.color(0), Double(colors[start]) / 255 * 0.6) }
      return (SIMD3(Double(colors[start]), Double(colors[start + 1]), Double(colors[start + 2])), 1)
    }
  }

  /// Draws an array of at least 2 x 2 along its last axes: one channel as a heat map from its least to its greatest element, several as the
  /// mask of the greatest one, where the first is the background.
  private mutating func draw(_ tensor: Tensor) -> Bool {
    let shape = tensor.shape
    guard shape.count >= 2, let width = shape.last, width > 1, shape[shape.count - 2] > 1 else { return false }
    let height = shape[shape.count - 2]
    let channels = shape.dropLast(2)
    let channelCount = channels.last ?? 1
    guard channels.dropLast().allSatisfy({ $0 == 1 }), channelCount > 0 else { return false }
    let numbers = tensor.doubles
    let area = width * height
    guard channelCount == 1 else {
      overlay(width: width, height: height) { column, row in
        let place = row * width + column
        let best = (0..<channelCount).max { numbers[$0 * area + place] < numbers[$1 * area + place] } ?? 0
        return (Self.color(best - 1), best == 0 ? 0 : 0.5)
      }
      return true
    }
    let finite = numbers.filter(\.isFinite)
    guard let least = finite.min(), let greatest = finite.max(), greatest > least else { return false }
    overlay(width: width, height: height) { column, row in
      let number = numbers[row * width + column]
      guard number.isFinite else { return (SIMD3(0, 0, 0), 0) }
      let heat = (number - least) / (greatest - least)
      // From blue over green to red.
      return (SIMD3(max(0, 2 * heat - 1), 1 - abs(2 * heat - 1), max(0, 1 - 2 * heat)) * 255, 0.5)
    }
    return true
  }
}
