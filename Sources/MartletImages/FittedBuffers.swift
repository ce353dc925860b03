package import CoreVideo
import MartletBufferImages
import MartletLock
import MartletPixelBuffers
package import MartletPixels

/// Pixel buffers of a model's size and format for pictures that are fitted to it. Buffers and tables are used again, so that frames of one
/// size allocate nothing. Threads may share the value.
package final class FittedBuffers: Sendable {
  package enum Failure: Error {
    /// The pixels have a format that cannot be read or scaled: its name.
    case format(String)
    /// The region is empty, or not inside of the picture, or the target has no size.
    case region
    case buffer(CVReturn)
    /// The image has fewer pixels than it says.
    case image
  }

  private struct Key: Hashable {
    let width: Int
    let height: Int
    let orientation: ImageOrientation
    let region: NormalizedBox
    let action: PictureMapping.Action
    let format: PixelFormat?
  }

  private struct Kept {
    var buffers: [CVPixelBuffer] = []
    /// The last ones in use, the most recent one last.
    var fittings: [(key: Key, fitting: PictureFitting)] = []
  }

  /// In pixels; 0 for a model that takes any.
  private let width: Int
  private let height: Int
  private let format: OSType
  private let kept = Guarded(Kept())
  private static let fittingLimit = 8
  private static let bufferLimit = 16

  package init(width: Int, height: Int, format: OSType) {
    (self.width, self.height, self.format) = (width, height, format)
  }

  /// Calls `body` with the fitted picture, which is valid during the call, and how it came to be.
  /// - Throws: `Failure`; the errors of `body`.
  package func withBuffer<R>(
    _ picture: StoredPicture, orientation: ImageOrientation, region: NormalizedBox, action: PictureMapping.Action,
    _ body: (CVPixelBuffer, PictureMapping) throws -> R
  ) throws -> R {
    switch picture {
    case .image(let pixels):
      let result = try pixels.withSource { source in
        try withBuffer(source, nil, orientation, region, action, body)
      }
      guard let result else { throw Failure.image }
      return result
    case .buffer(let stored):
      let code = CVPixelBufferGetPixelFormatType(stored.buffer)
      if stored.colors == nil, let mapping = mapping(picture.width, picture.height, orientation, region, action), mapping.isIdentity {
        return try body(stored.buffer, mapping)
      }
      var result: R?
      do {
        try withPixels(of: stored.buffer) { view in
          guard case .colors(let source) = view else { throw PixelBufferError.unsupported }
          result = try withBuffer(source, stored.colors, orientation, region, action, body)
        }
      } catch PixelBufferError.unsupported {
        // Formats of more than 8 bits, and other subsamplings of chroma.
        guard let image = BufferPicture(stored.buffer)?.image, let pixels = ImagePixels(image) else {
          throw Failure.format(pixelFormatName(code))
        }
        result = try pixels.withSource { try withBuffer($0, nil, orientation, region, action, body) }
      } catch PixelBufferError.inaccessible {
        throw Failure.format(pixelFormatName(code))
      }
      guard let result else { throw Failure.image }
      return result
    }
  }

  private func mapping(
    _ width: Int, _ height: Int, _ orientation: ImageOrientation, _ region: NormalizedBox, _ action: PictureMapping.Action
  ) -> PictureMapping? {
    var (targetWidth, targetHeight) = (self.width, self.height)
    if targetWidth == 0 || targetHeight == 0, region.isInside {
      let upright = orientation.exchangesAxes ? (height, width) : (width, height)
      guard upright.0 > 0, upright.1 > 0 else { return nil }
      let (columns, rows) = region.pixels(width: upright.0, height: upright.1)
      (targetWidth, targetHeight) = action.turns ? (rows.count, columns.count) : (columns.count, rows.count)
    }
    return PictureMapping(
      width: width, height: height, orientation: orientation, region: region, targetWidth: targetWidth, targetHeight: targetHeight,
      action: action)
  }

  private func withBuffer<R>(
    _ source: PixelSource, _ colors: BufferConversion?, _ orientation: ImageOrientation, _ region: NormalizedBox,
    _ action: PictureMapping.Action, _ body: (CVPixelBuffer, PictureMapping) throws -> R
  ) throws -> R {
    let fitting = try fitting(source, orientation, region, action)
    let buffer = try takeBuffer(fitting.mapping.fit.placement)
    defer { release(buffer) }
    let change = unsafe colors.map { colors in unsafe { unsafe colors.change($0, count: $1) } as PictureFitting.ColorChange }
    try unsafe buffer.write(source, fitting: fitting, changing: change)
    return try body(buffer, fitting.mapping)
  }

  private func fitting(
    _ source: PixelSource, _ orientation: ImageOrientation, _ region: NormalizedBox, _ action: PictureMapping.Action
  ) throws -> PictureFitting {
    let key = Key(
      width: source.width, height: source.height, orientation: orientation, region: region, action: action, format: source.format)
    if let found = kept.withLock({ kept in kept.fittings.last { $0.key == key }?.fitting }) { return found }
    guard let mapping = mapping(source.width, source.height, orientation, region, action) else { throw Failure.region }
    let fitting = PictureFitting(mapping, format: source.format)
    kept.withLock { kept in
      if kept.fittings.count == Self.fittingLimit { kept.fittings.removeFirst() }
      kept.fittings.append((key, fitting))
    }
    return fitting
  }

  private func takeBuffer(_ placement: ImagePlacement) throws -> CVPixelBuffer {
    let (width, height) = (placement.targetWidth, placement.targetHeight)
    let found = kept.withLock { kept in
      kept.buffers.lastIndex { CVPixelBufferGetWidth($0) == width && CVPixelBufferGetHeight($0) == height }.map {
        kept.buffers.remove(at: $0)
      }
    }
    if let found { return found }
    var made: CVPixelBuffer?
    let code = unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, nil, &made)
    guard let made else { throw Failure.buffer(code) }
    return made
  }

  private func release(_ buffer: CVPixelBuffer) {
    kept.withLock { kept in
      if kept.buffers.count < Self.bufferLimit { kept.buffers.append(buffer) }
    }
  }
}
