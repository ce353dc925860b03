package import MartletKernels
import MartletTensor

/// Pixels in borrowed memory, which must outlive the value.
@safe
package struct PixelSource {
  @safe
  package struct Plane {
    let base: UnsafeRawPointer
    /// Distance between the starts of consecutive rows, in bytes.
    let rowByteCount: Int

    package init(base: UnsafeRawPointer, rowByteCount: Int) {
      unsafe self.base = base
      self.rowByteCount = rowByteCount
    }
  }

  /// Width and height in pixels, at least 1.
  package let width: Int
  package let height: Int
  package let format: PixelFormat
  /// The standard by which luma and chroma are converted to colours.
  package let chromaStandard: ChromaMatrix.Standard
  /// The plane of interleaved pixels, or of luma.
  let plane: Plane
  let chroma: Plane?

  /// - Parameters:
  ///   - plane: interleaved pixels, or luma.
  ///   - chroma: only for formats that have it. For odd extents, it has one more sample.
  /// - Returns: nil if an extent is below 1, a plane is missing, or a row does not fit in `rowByteCount`.
  package init?(
    width: Int, height: Int, format: PixelFormat, chromaStandard: ChromaMatrix.Standard = .bt601, plane: Plane, chroma: Plane? = nil
  ) {
    guard width > 0, height > 0, (chroma != nil) == format.isYCbCr else { return nil }
    // A row of chroma pairs has at most as many bytes as a row of luma of the next even width.
    let evenWidth = Extent(width) + (format.isYCbCr ? width & 1 : 0)
    func holds(_ plane: Plane, _ width: Extent) -> Bool {
      (width * format.pixelByteCount).fits(plane.rowByteCount) && (Extent(plane.rowByteCount) * height).isRepresentable
    }
    guard evenWidth.isRepresentable, holds(plane, Extent(width)), chroma.map({ holds($0, evenWidth) }) ?? true else { return nil }
    self.width = width
    self.height = height
    self.format = format
    self.chromaStandard = chromaStandard
    self.plane = plane
    self.chroma = chroma
  }

  /// A part of the view, without what lies around it.
  /// - Returns: nil if the part is empty or exceeds the view, or begins within a square of chroma.
  package func cropped(columns: Range<Int>, rows: Range<Int>) -> PixelSource? {
    guard !columns.isEmpty, !rows.isEmpty, columns.lowerBound >= 0, rows.lowerBound >= 0, columns.upperBound <= width,
      rows.upperBound <= height, !format.isYCbCr || (columns.lowerBound % 2 == 0 && rows.lowerBound % 2 == 0)
    else { return nil }
    let offset = columns.lowerBound * format.pixelByteCount
    func part(of plane: Plane, _ row: Int) -> Plane {
      unsafe Plane(base: plane.base + (row * plane.rowByteCount + offset), rowByteCount: plane.rowByteCount)
    }
    return PixelSource(
      width: columns.count, height: rows.count, format: format, chromaStandard: chromaStandard, plane: part(of: plane, rows.lowerBound),
      chroma: chroma.map { part(of: $0, rows.lowerBound / 2) })
  }

  /// Calls `body` with memory for a row of converted pixels; nil if the format needs none.
  func withRowMemory<R>(_ body: (UnsafeMutablePointer<UInt8>?) throws -> R) rethrows -> R {
    guard format.isYCbCr else { return try body(nil) }
    return try unsafe ScratchMemory.with(UInt8.self, capacity: 4 * width) { try unsafe body($0) }
  }

  /// Interleaved pixels of a row, in the order of `format.colorChannels`, from column 0 on. Those in `columns` are valid.
  /// - Parameter memory: that of `withRowMemory`.
  func row(_ row: Int, columns: Range<Int>, _ memory: UnsafeMutablePointer<UInt8>?) -> UnsafePointer<UInt8> {
    let base = unsafe plane.base.assumingMemoryBound(to: UInt8.self) + row * plane.rowByteCount
    guard let memory = unsafe memory, let chroma else { return unsafe base }
    let first = columns.lowerBound / 2 * 2
    let step = format.pixelByteCount
    unsafe PixelRows.colors(
      luma: base + first * step, chroma: chroma.base + (row / 2 * chroma.rowByteCount + first * step), bits: format.bits,
      matrix: ChromaMatrix(chromaStandard, isFullRange: format.isFullRange), to: memory + 4 * first, count: columns.upperBound - first)
    return unsafe UnsafePointer(memory)
  }

  /// Calls `body` for each row, possibly concurrently, with its pixels.
  func forEachRow(_ body: (_ row: Int, _ pixels: UnsafePointer<UInt8>) -> Void) {
    PixelStripes.run(rowCount: height, pixelsPerRow: width) { rows in
      unsafe withRowMemory { memory in
        for row in rows { unsafe body(row, self.row(row, columns: 0..<width, memory)) }
      }
    }
  }
}

extension PixelSource {
  /// Interleaved pixels of a part of a row.
  @safe
  package struct Colors {
    package let base: UnsafePointer<UInt8>
    package let channels: PixelChannels
  }

  /// Calls `body` for each of some rows, in order, with the colours of some of its columns.
  package func readColors(rows: Range<Int>, columns: Range<Int>, _ body: (_ row: Int, _ colors: Colors) -> Void) {
    let channels = format.colorChannels
    unsafe withRowMemory { memory in
      for row in rows {
        let pixels = unsafe self.row(row, columns: columns, memory) + columns.lowerBound * channels.step
        unsafe body(row, Colors(base: pixels, channels: channels))
      }
    }
  }
}
