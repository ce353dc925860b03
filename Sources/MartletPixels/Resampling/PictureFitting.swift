import MartletKernels
import MartletTensor
import MartletVocabulary

/// Fits pictures of one size to a model's input: a mapping with what its resampling needs. Fitting allocates no memory once
/// pictures of this size have been fitted. Threads may share it.
///
/// Pictures are scaled bilinearly with antialiasing, rounded to 8 bits after each axis, and turned last. The result is that of turning first:
/// the width of the upright picture is resampled before its height.
package final class PictureFitting: Sendable {
  package let mapping: PictureMapping
  private let columns: ResamplingAxis
  private let rows: ResamplingAxis
  /// The part of the source that is read: that of the mapping, for chroma from an even row and column on.
  private let sourceColumns: Range<Int>
  private let sourceRows: Range<Int>

  /// - Parameter format: that of the pictures.
  package init(_ mapping: PictureMapping, format: PixelFormat) {
    self.mapping = mapping
    let step = format.isYCbCr ? 2 : 1
    func aligned(_ range: Range<Int>) -> Range<Int> { range.lowerBound / step * step..<range.upperBound }
    sourceColumns = aligned(mapping.storedColumns)
    sourceRows = aligned(mapping.storedRows)
    let placement = mapping.fit.placement
    let (width, height) =
      mapping.orientation.exchangesAxes ? (placement.height, placement.width) : (placement.width, placement.height)
    func axis(_ used: Range<Int>, in source: Range<Int>, to extent: Int) -> ResamplingAxis {
      let start = used.lowerBound - source.lowerBound
      let part = start == 0 ? nil : Double(start)..<Double(source.count)
      return KeptAxes.axis(.init(from: source.count, part: part, to: extent, filter: .bilinear))
    }
    columns = axis(mapping.storedColumns, in: sourceColumns, to: width)
    rows = axis(mapping.storedRows, in: sourceRows, to: height)
  }

  /// Changes the colours of a row of pixels, four bytes each: red, green, blue and a byte that means nothing.
  package typealias ColorChange = (UnsafeMutablePointer<UInt8>, _ count: Int) -> Void

  /// Writes the picture to a target in the model's size. Bars are black, alpha is 255.
  /// - Precondition: the source has the size of the mapping's picture, the target that of its target.
  package func write(_ source: PixelSource, to target: PixelTarget, changing change: ColorChange? = nil) {
    precondition(target.width == mapping.fit.placement.targetWidth && target.height == mapping.fit.placement.targetHeight)
    let step = target.format.pixelByteCount
    if hasBars { clear(target) }
    unsafe forEachRow(source, change: change, pixelByteCount: step, to: target.base, rowByteCount: target.rowByteCount) {
      pixels, channels, row, count in
      if target.format == .gray8 {
        unsafe Self.writeLuma(pixels, channels, to: row, count: count)
      } else {
        unsafe PixelRows.reorder(pixels, target.format.channels(from: channels), to: row, step: step, count: count)
      }
    }
  }

  /// Writes the luma of ITU-R BT.601, from 0 to 1, to a plane of the model's size. Bars are 0.
  /// - Precondition: as `write(_:to:changing:)`; the plane's elements are float32 or float16.
  package func write(_ source: PixelSource, to target: NumberPlane, changing change: ColorChange? = nil) {
    precondition(target.width == mapping.fit.placement.targetWidth && target.height == mapping.fit.placement.targetHeight)
    let step = target.dtype.byteCount
    let base = unsafe target.base.assumingMemoryBound(to: UInt8.self)
    if hasBars {
      for row in 0..<target.height { unsafe (base + row * target.rowByteCount).update(repeating: 0, count: target.width * step) }
    }
    let gray = PixelChannels(step: 1, places: [0, -1, -1, -1])
    unsafe forEachRow(source, change: change, pixelByteCount: step, to: base, rowByteCount: target.rowByteCount) {
      pixels, channels, row, count in
      unsafe ScratchMemory.with(UInt8.self, capacity: count) { luma in
        unsafe Self.writeLuma(pixels, channels, to: luma, count: count)
        unsafe PixelRows.toPlanes(
          luma, gray, channelCount: 1, scale: SIMD4(repeating: 1 / 255), bias: .zero, dtype: target.dtype, target: row,
          planeStride: 0, stride: 1, count: count)
      }
    }
  }

  private var hasBars: Bool {
    let placement = mapping.fit.placement
    return placement.width < placement.targetWidth || placement.height < placement.targetHeight
  }

  private func clear(_ target: PixelTarget) {
    let black: UInt8 = 0
    let channels = PixelChannels(step: 1, places: target.format.blackPlaces)
    for row in 0..<target.height {
      unsafe ScratchMemory.with(UInt8.self, capacity: target.width) { blacks in
        unsafe blacks.initialize(repeating: black, count: target.width)
        unsafe PixelRows.reorder(
          blacks, channels, to: target.base + row * target.rowByteCount, step: target.format.pixelByteCount,
          count: target.width)
      }
    }
  }

  private static func writeLuma(
    _ pixels: UnsafePointer<UInt8>, _ channels: PixelChannels, to target: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    if channels.step == 1 {
      unsafe target.update(from: pixels, count: count)
    } else {
      unsafe PixelRows.luma(pixels, channels, to: target, count: count)
    }
  }

  /// Resamples the picture and calls `body` for each row of the result, or part of one, with its pixels, their red, green and blue, and
  /// memory for the row in the target's format, which is then turned to its place.
  private func forEachRow(
    _ source: PixelSource, change: ColorChange?, pixelByteCount: Int, to base: UnsafeMutablePointer<UInt8>, rowByteCount: Int,
    _ body: (UnsafePointer<UInt8>, PixelChannels, UnsafeMutablePointer<UInt8>, _ count: Int) -> Void
  ) {
    guard let part = source.cropped(columns: sourceColumns, rows: sourceRows) else {
      preconditionFailure("the part lies in the picture")
    }
    let resampler = PixelResampler(
      source: part, columns: columns, rows: rows, order: mapping.orientation.exchangesAxes ? .rowsFirst : .columnsFirst)
    let isGray = resampler.channelCount == 1
    let colors = PixelChannels(step: 4, places: [0, 1, 2, -1])
    let isUnchanged = unsafe change == nil
    let channels = isGray && isUnchanged ? PixelChannels(step: 1, places: [0, 0, 0, -1]) : colors
    let placement = mapping.fit.placement
    let first = unsafe base + (placement.y * rowByteCount + placement.x * pixelByteCount)
    let strides = mapping.orientation.strides(
      width: columns.count, height: rows.count, pixelByteCount: pixelByteCount, rowByteCount: rowByteCount)
    let isUpright = mapping.orientation == .up
    func place(_ row: Int, _ column: Int, _ count: Int, _ pixels: UnsafePointer<UInt8>) {
      let target = unsafe first + (strides.origin + row * strides.row + column * strides.column)
      if isUpright {
        unsafe body(pixels, channels, target, count)
        return
      }
      unsafe ScratchMemory.with(UInt8.self, capacity: pixelByteCount * count) { line in
        unsafe body(pixels, channels, line, count)
        unsafe PixelRows.arrange(
          line, rowByteCount: pixelByteCount * count, width: count, height: 1, pixelByteCount: pixelByteCount, to: target,
          columnStride: strides.column, rowStride: strides.row)
      }
    }
    unsafe resampler.forEachRow { row, column, count, pixels in
      guard let change = unsafe change else {
        unsafe place(row, column, count, pixels)
        return
      }
      unsafe ScratchMemory.with(UInt8.self, capacity: 4 * count) { changed in
        let places: SIMD4<Int8> = isGray ? [0, 0, 0, -1] : [0, 1, 2, -1]
        unsafe PixelRows.reorder(pixels, PixelChannels(step: isGray ? 1 : 4, places: places), to: changed, step: 4, count: count)
        unsafe change(changed, count)
        unsafe place(row, column, count, changed)
      }
    }
  }
}

extension PixelFormat {
  /// The bytes of a pixel of this format, in order, as places in pixels whose red, green and blue are given.
  fileprivate func channels(from colors: PixelChannels) -> PixelChannels {
    var places = SIMD4<Int8>(repeating: -1)
    for color in 0..<3 { places[Int(colorChannels.places[color])] = colors.places[color] }
    return PixelChannels(step: colors.step, places: places)
  }

  /// The bytes of a black pixel: place 0 for colours and gray, none for alpha.
  fileprivate var blackPlaces: SIMD4<Int8> {
    var places = SIMD4<Int8>(repeating: -1)
    for color in 0..<3 { places[Int(colorChannels.places[color])] = 0 }
    return places
  }
}
