import MartletPixels

/// A picture of real numbers, and what is done to pictures in the plainest way.
struct ReferencePicture {
  let width: Int
  let height: Int
  private let pixels: [SIMD3<Double>]

  init(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> SIMD3<Double>) {
    self.width = width
    self.height = height
    pixels = (0..<height).flatMap { y in (0..<width).map { x in pixel(x, y) } }
  }

  subscript(x: Int, y: Int) -> SIMD3<Double> { pixels[y * width + x] }

  // MARK: Orientation

  private var mirrored: ReferencePicture { ReferencePicture(width: width, height: height) { self[width - 1 - $0, $1] } }
  private var turnedClockwise: ReferencePicture { ReferencePicture(width: height, height: width) { self[$1, height - 1 - $0] } }

  /// The steps that the EXIF standard names for each value.
  func upright(from orientation: ImageOrientation) -> ReferencePicture {
    switch orientation {
    case .up: self
    case .upMirrored: mirrored
    case .down: turnedClockwise.turnedClockwise
    case .downMirrored: mirrored.turnedClockwise.turnedClockwise
    case .leftMirrored: mirrored.turnedClockwise.turnedClockwise.turnedClockwise
    case .right: turnedClockwise
    case .rightMirrored: mirrored.turnedClockwise
    case .left: turnedClockwise.turnedClockwise.turnedClockwise
    }
  }

  // MARK: Size

  func resized(width: Int, height: Int) -> ReferencePicture {
    let columns = (0..<width).map { Self.weights(of: $0, from: self.width, to: width) }
    let rows = (0..<height).map { Self.weights(of: $0, from: self.height, to: height) }
    return ReferencePicture(width: width, height: height) { x, y in
      var sum = SIMD3<Double>()
      for (row, rowWeight) in rows[y] {
        for (column, columnWeight) in columns[x] { sum += rowWeight * columnWeight * self[column, row] }
      }
      return sum
    }
  }

  /// A triangle over the endless axis on which the first and last samples go on for ever.
  private static func weights(of position: Int, from extent: Int, to target: Int) -> [Int: Double] {
    let scale = Double(extent) / Double(target)
    let center = (Double(position) + 0.5) * scale
    let reach = max(scale, 1)
    var weights: [Int: Double] = [:]
    var sum = 0.0
    for input in Int((center - reach).rounded(.down)) - 1...Int((center + reach).rounded(.up)) + 1 {
      let weight = max(0, 1 - abs(Double(input) + 0.5 - center) / reach)
      weights[max(0, min(extent - 1, input)), default: 0] += weight
      sum += weight
    }
    return weights.mapValues { $0 / sum }
  }
}
