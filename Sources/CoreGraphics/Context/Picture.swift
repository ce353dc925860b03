import Foundation

/// An image as it is drawn: rows of pixels in the context's colour space.
struct Picture {
  let width: Int
  let height: Int
  /// Reads a row as red, green, blue and alpha of 8 bits.
  let readBytes: (Int, inout [UInt8]) -> Void
  let readPixels: (Int, inout [Pixel]) -> Void
  /// True if the context, and therefore what is read, has components of 8 bits.
  private let hasBytes: Bool

  private init(
    _ width: Int, _ height: Int, hasBytes: Bool, readBytes: @escaping (Int, inout [UInt8]) -> Void,
    readPixels: @escaping (Int, inout [Pixel]) -> Void
  ) {
    self.width = width
    self.height = height
    self.hasBytes = hasBytes
    self.readBytes = readBytes
    self.readPixels = readPixels
  }

  /// Nil if colours of the image cannot be converted to the context's space.
  init?(_ image: CGImage, for context: CGContext) {
    guard let reader = ImageReader(image, space: context.colorSpace ?? .deviceGray) else { return nil }
    let columns = 0..<image.width
    if image.isMask {
      let color = context.state.fill
      func readPixels(_ row: Int, _ pixels: inout [Pixel]) { pixels = reader.readSamples(row: row).map { color * (1 - $0) } }
      func readBytes(_ row: Int, _ bytes: inout [UInt8]) {
        var pixels: [Pixel] = []
        readPixels(row, &pixels)
        for (place, pixel) in pixels.enumerated() {
          let color = pixel.bytes
          for channel in 0..<4 { bytes[4 * place + channel] = color[channel] }
        }
      }
      self.init(image.width, image.height, hasBytes: context.hasBytes, readBytes: readBytes, readPixels: readPixels)
    } else {
      self.init(
        image.width, image.height, hasBytes: context.hasBytes,
        readBytes: { reader.readBytes(row: $0, columns: columns, into: &$1) },
        readPixels: { reader.readPixels(row: $0, columns: columns, into: &$1) })
    }
  }

  /// The picture with its columns or rows in the opposite order.
  func reversed(columns: Bool, rows: Bool) -> Picture {
    if !columns, !rows { return self }
    let (height, width) = (height, width)
    func place(_ row: Int) -> Int { rows ? height - 1 - row : row }
    return Picture(
      width, height, hasBytes: hasBytes,
      readBytes: { row, bytes in
        readBytes(place(row), &bytes)
        if columns {
          for column in 0..<width / 2 {
            for channel in 0..<4 { bytes.swapAt(4 * column + channel, 4 * (width - 1 - column) + channel) }
          }
        }
      },
      readPixels: { row, pixels in
        readPixels(place(row), &pixels)
        if columns { pixels.reverse() }
      })
  }

  /// The picture with columns as rows.
  func transposed() -> Picture {
    let whole = Raster(self)
    let (width, height) = (width, height)
    return Picture(
      height, width, hasBytes: hasBytes,
      readBytes: { row, bytes in
        for column in 0..<height {
          for channel in 0..<4 { bytes[4 * column + channel] = whole.bytes[4 * (column * width + row) + channel] }
        }
      },
      readPixels: { row, pixels in pixels = (0..<height).map { whole.pixels[$0 * width + row] } })
  }

  /// The picture in another size.
  func raster(width: Int, height: Int, _ filter: ResamplingFilter) -> Raster {
    if width == self.width, height == self.height { return Raster(self) }
    let columns = ResamplingAxis(
      inputCount: self.width, scale: Double(self.width) / Double(width), offset: 0, count: width, filter: filter)
    let rows = ResamplingAxis(
      inputCount: self.height, scale: Double(self.height) / Double(height), offset: 0, count: height, filter: filter)
    var raster = Raster(width: width, height: height)
    if hasBytes {
      Resampler.scaleBytes(width: self.width, columns: columns, rows: rows, read: readBytes) { raster.bytes += $1 }
    } else {
      Resampler.scalePixels(columns: columns, rows: rows, read: readPixels) { raster.pixels += $1 }
    }
    return raster
  }

  /// A picture in memory: pixels of bytes or of numbers.
  struct Raster {
    let width: Int
    let height: Int
    var bytes: [UInt8] = []
    var pixels: [Pixel] = []

    init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }

    init(_ picture: Picture) {
      self.init(width: picture.width, height: picture.height)
      var row = [UInt8](repeating: 0, count: 4 * picture.width)
      var line: [Pixel] = []
      for index in 0..<picture.height {
        if picture.hasBytes {
          picture.readBytes(index, &row)
          bytes += row
        } else {
          picture.readPixels(index, &line)
          pixels += line
        }
      }
    }

    private func pixel(_ x: Int, _ y: Int) -> Pixel {
      let index = min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)
      return pixels.isEmpty ? RowSource.bytes(bytes).pixel(index) : pixels[index]
    }

    /// The colour at a position, with pixels beyond the edges equal to the nearest ones.
    func sample(_ x: Double, _ y: Double, _ filter: ResamplingFilter) -> Pixel {
      let place = (min(max(x, -1), Double(width) + 1), min(max(y, -1), Double(height) + 1))
      if filter == .nearest { return pixel(Int(place.0.rounded(.down)), Int(place.1.rounded(.down))) }
      let radius = Int(filter.radius)
      let first = (Int((place.0 - 0.5).rounded(.down)) - radius + 1, Int((place.1 - 0.5).rounded(.down)) - radius + 1)
      var sum = Pixel.clear
      var total: Float = 0
      for row in first.1..<first.1 + 2 * radius {
        let vertical = filter.weight(at: Double(row) + 0.5 - place.1)
        for column in first.0..<first.0 + 2 * radius {
          let weight = Float(vertical * filter.weight(at: Double(column) + 0.5 - place.0))
          sum = sum + pixel(column, row) * weight
          total += weight
        }
      }
      return total == 0 ? sum : sum * (1 / total)
    }
  }
}
