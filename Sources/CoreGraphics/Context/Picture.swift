import MartletKernels
import MartletPixels
import MartletVocabulary

/// An image as it is drawn: rows of pixels in the context's colour space. Threads may share it.
@safe
struct Picture {
  typealias ReadBytes = (_ row: Int, _ columns: Range<Int>, _ bytes: UnsafeMutableBufferPointer<UInt8>) -> Void

  let width: Int
  let height: Int
  /// Reads some columns of a row as red, green, blue and alpha of 8 bits.
  let readBytes: ReadBytes
  let readPixels: (Int, inout [Pixel]) -> Void
  /// True if the context, and therefore what is read, has components of 8 bits.
  let hasBytes: Bool
  /// The image, if its bytes are those that `readBytes` gives but for their order.
  private var stored: (image: CGImage, step: Int, places: SIMD4<Int8>)?

  private init(
    _ width: Int, _ height: Int, hasBytes: Bool, readBytes: @escaping ReadBytes, readPixels: @escaping (Int, inout [Pixel]) -> Void
  ) {
    self.width = width
    self.height = height
    self.hasBytes = hasBytes
    unsafe self.readBytes = readBytes
    self.readPixels = readPixels
  }

  /// Nil if colours of the image cannot be converted to the context's space.
  init?(_ image: CGImage, for context: CGContext) {
    guard let reader = ImageReader(image, space: context.colorSpace ?? .deviceGray) else { return nil }
    if image.isMask {
      let color = context.state.fill
      func pixels(_ row: Int) -> [Pixel] { reader.readSamples(row: row).map { color * (1 - $0) } }
      unsafe self.init(
        image.width, image.height, hasBytes: context.hasBytes,
        readBytes: { row, columns, bytes in
          for (place, pixel) in pixels(row)[columns].enumerated() { unsafe ImageReader.store(pixel.bytes, bytes, place) }
        },
        readPixels: { $1 = pixels($0) })
    } else {
      let columns = 0..<image.width
      unsafe self.init(
        image.width, image.height, hasBytes: context.hasBytes,
        readBytes: { unsafe reader.readBytes(row: $0, columns: $1, into: $2) },
        readPixels: { reader.readPixels(row: $0, columns: columns, into: &$1) })
      if let (step, places) = reader.placesInMemory { stored = (image, step, places) }
    }
  }

  /// Calls `body` with the image's own pixels and the places of red, green, blue and alpha in them.
  /// - Returns: false if they have to be read.
  func withBytesInPlace(_ body: (PixelSource, SIMD4<Int8>) -> Void) -> Bool {
    guard let stored, let provider = stored.image.dataProvider else { return false }
    let format: PixelFormat = stored.step == 1 ? .gray8 : stored.step == 3 ? .rgb8 : .rgba8
    return unsafe provider.withBytes { bytes in
      // In range: the image's initialiser has compared these sizes.
      guard let base = bytes.baseAddress, bytes.count >= stored.image.bytesPerRow * (height - 1) + width * stored.step,
        let source = unsafe PixelSource(
          width: width, height: height, format: format, plane: .init(base: base, rowByteCount: stored.image.bytesPerRow))
      else { return false }
      body(source, stored.places)
      return true
    }
  }

  /// The picture with its columns or rows in the opposite order.
  func reversed(columns: Bool, rows: Bool) -> Picture {
    if !columns, !rows { return self }
    let (height, width) = (height, width)
    func place(_ row: Int) -> Int { rows ? height - 1 - row : row }
    return unsafe Picture(
      width, height, hasBytes: hasBytes,
      readBytes: { row, range, bytes in
        guard columns else {
          unsafe readBytes(place(row), range, bytes)
          return
        }
        unsafe readBytes(place(row), width - range.upperBound..<width - range.lowerBound, bytes)
        for column in 0..<range.count / 2 {
          for channel in 0..<4 { unsafe bytes.swapAt(4 * column + channel, 4 * (range.count - 1 - column) + channel) }
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
    return unsafe Picture(
      height, width, hasBytes: hasBytes,
      readBytes: { row, columns, bytes in
        for (place, column) in columns.enumerated() {
          for channel in 0..<4 { unsafe bytes[4 * place + channel] = whole.bytes[4 * (column * width + row) + channel] }
        }
      },
      readPixels: { row, pixels in pixels = (0..<height).map { whole.pixels[$0 * width + row] } })
  }

  /// The picture in another size.
  func raster(width: Int, height: Int, _ filter: ResamplingFilter) -> Raster {
    Raster(self, width: width, height: height, filter)
  }

  /// A picture in memory: pixels of bytes or of numbers.
  struct Raster {
    let width: Int
    let height: Int
    let bytes: [UInt8]
    let pixels: [Pixel]

    init(_ picture: Picture) { self.init(picture, width: picture.width, height: picture.height, .nearest) }

    init(_ picture: Picture, width: Int, height: Int, _ filter: ResamplingFilter) {
      self.width = width
      self.height = height
      var bytes = [UInt8](repeating: 0, count: picture.hasBytes ? 4 * width * height : 0)
      var pixels = [Pixel](repeating: .clear, count: picture.hasBytes ? 0 : width * height)
      unsafe bytes.withUnsafeMutableBufferPointer { bytes in
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
          picture.forEachRow(
            columns: .init(part: 0..<Double(picture.width), count: width), rows: .init(part: 0..<Double(picture.height), count: height),
            filter
          ) { row, column, source in
            // In range: the row and its columns lie in the raster.
            let start = row * width + column
            switch source {
            case .bytes(let line): for (place, byte) in line.enumerated() { unsafe bytes[4 * start + place] = byte }
            case .pixels(let line): for (place, pixel) in line.enumerated() { unsafe pixels[start + place] = pixel }
            case .color: break
            }
          }
        }
      }
      self.bytes = bytes
      self.pixels = pixels
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
