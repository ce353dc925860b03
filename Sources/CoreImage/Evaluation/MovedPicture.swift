import CoreGraphics
import MartletBufferImages
import MartletColor
import MartletKernels
import MartletPixels

/// A picture whose pixels are turned, moved and cut off, but not mixed with others.
struct MovedPicture: Sendable {
  let picture: PictureRecipe
  private(set) var orientation = ImageOrientation.up
  /// Where the lower left corner of the turned picture lies.
  private(set) var x = 0
  private(set) var y = 0
  /// The part that is left.
  private(set) var visible: PixelRegion

  init(_ picture: PictureRecipe) {
    self.picture = picture
    visible = picture.extent
  }

  private var turnedWidth: Int { orientation.exchangesAxes ? picture.height : picture.width }
  private var turnedHeight: Int { orientation.exchangesAxes ? picture.width : picture.height }

  func cropped(to region: PixelRegion) -> MovedPicture {
    var result = self
    result.visible = visible.intersection(region)
    return result
  }

  /// Nil for a map that does not send pixels to pixels.
  func applying(_ transform: CGAffineTransform) -> MovedPicture? {
    guard let turn = transform.turn, let dx = Int(exactly: transform.tx), let dy = Int(exactly: transform.ty), abs(dx) < PixelRegion.limit,
      abs(dy) < PixelRegion.limit
    else { return nil }
    let frame = PixelRegion(x: x..<x + turnedWidth, y: y..<y + turnedHeight).applying(transform)
    guard frame.width == (turn.exchangesAxes ? turnedHeight : turnedWidth), !frame.isUnbounded else { return nil }
    var result = self
    result.orientation = orientation.followed(by: turn)
    result.x = frame.x.lowerBound
    result.y = frame.y.lowerBound
    result.visible = visible.applying(transform)
    return result
  }

  /// Reads a region of the result, within `visible`, as red, green, blue and alpha of 8 bits multiplied by alpha, rows from the top.
  ///
  /// - Parameters:
  ///   - space: the space to convert to; nil leaves the numbers.
  ///   - target: memory for the pixels of the region, without gaps.
  /// - Returns: false if the picture has no such bytes.
  func read(_ region: PixelRegion, space: CGColorSpace?, to target: UnsafeMutablePointer<UInt8>) -> Bool {
    // The part of the turned picture, from its upper left corner.
    let left = region.x.lowerBound - x
    let top = y + turnedHeight - region.y.upperBound
    // Stored pixels of its first and last corner: the inverse of `uprightPosition`, which the opposite turn gives.
    let inverse = orientation.inverse
    let first = inverse.uprightPosition(column: left, row: top, width: turnedWidth, height: turnedHeight)
    let last = inverse.uprightPosition(
      column: left + region.width - 1, row: top + region.height - 1, width: turnedWidth, height: turnedHeight)
    let columns = min(first.x, last.x)..<max(first.x, last.x) + 1
    let rows = min(first.y, last.y)..<max(first.y, last.y) + 1
    let strides = orientation.strides(
      width: columns.count, height: rows.count, pixelByteCount: 4, rowByteCount: 4 * region.width)
    return unsafe picture.readBytes(rows: rows, columns: columns, space: space) { row, pixels in
      unsafe PixelRows.arrange(
        pixels, rowByteCount: 4 * columns.count, width: columns.count, height: 1, pixelByteCount: 4,
        to: target + (strides.origin + (row - rows.lowerBound) * strides.row), columnStride: strides.column, rowStride: strides.row)
    }
  }
}

extension CGAffineTransform {
  /// The turn, with or without a mirror image, that the map consists of beside its translation; nil for others.
  var turn: ImageOrientation? {
    switch (a, b, c, d) {
    case (1, 0, 0, 1): .up
    case (-1, 0, 0, 1): .upMirrored
    case (-1, 0, 0, -1): .down
    case (1, 0, 0, -1): .downMirrored
    case (0, -1, -1, 0): .leftMirrored
    case (0, -1, 1, 0): .right
    case (0, 1, 1, 0): .rightMirrored
    case (0, 1, -1, 0): .left
    default: nil
    }
  }
}

extension PictureRecipe {
  /// The conversion of bytes to a space; nil if the picture has more than 8 bits, or no red, green and blue with curves, or the conversion of
  /// colours with alpha would round them twice.
  fileprivate func bytesTransform(to space: CGColorSpace?) -> ColorTransform? {
    guard let own = self.space, let transform = ColorTransforms.transform(from: own, to: space ?? own), transform.convertsBytes else {
      return nil
    }
    switch content {
    case .image(let image):
      guard let offsets = image.layout.byteOffsets, offsets.color.count == 3, image.decodeRange.isEmpty,
        transform.isByteIdentity || offsets.alpha == nil
      else { return nil }
    case .buffer(let buffer):
      guard buffer.isOpaque else { return nil }
    }
    return transform
  }

  /// Reads a part of the stored pixels as red, green, blue and alpha of 8 bits multiplied by alpha.
  /// - Parameters:
  ///   - space: the space to convert to; nil leaves the numbers.
  ///   - body: called for each row, in order.
  /// - Returns: false if `bytesTransform` is nil.
  fileprivate func readBytes(
    rows: Range<Int>, columns: Range<Int>, space: CGColorSpace?, _ body: (_ row: Int, _ pixels: UnsafePointer<UInt8>) -> Void
  ) -> Bool {
    guard let own = self.space, let transform = bytesTransform(to: space) else { return false }
    var bytes = [UInt8](repeating: 0, count: 4 * columns.count)
    switch content {
    case .image(let image):
      guard let reader = ImageReader(image, space: space ?? own) else { return false }
      for row in rows {
        reader.readBytes(row: row, columns: columns, into: &bytes)
        unsafe body(row, bytes)
      }
    case .buffer(let buffer):
      unsafe buffer.readBytes(rows: rows, columns: columns) { row, pixels in
        if transform.isByteIdentity {
          unsafe body(row, pixels)
        } else {
          unsafe bytes.withUnsafeMutableBufferPointer { unsafe $0.baseAddress!.update(from: pixels, count: 4 * columns.count) }
          transform.convert(bytes: &bytes, pixelStride: 4)
          unsafe body(row, bytes)
        }
      }
    }
    return true
  }
}

extension MovedPicture {
  /// True if `read` can convert the picture to a colour space.
  func canBeRead(in space: CGColorSpace?) -> Bool { picture.bytesTransform(to: space) != nil }
}
