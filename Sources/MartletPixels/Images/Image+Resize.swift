import MartletKernels
package import MartletVocabulary

extension Image {
  /// Resizes the image, or a part of it, with the results of Pillow's `Image.resize` (and thus torchvision's on PIL images).
  ///
  /// The axes are resampled separately, the width first: an output sample is the weighted mean of the input samples under a filter that
  /// widens when downsampling. Weights are 22-bit fixed point, and samples are rounded to 8 bits after each axis. Pillow 13 resamples the
  /// height first where that is cheaper (never if the aspect ratio is kept), which can change samples by one step, or by a few at sharp
  /// edges.
  ///
  /// Colours are premultiplied by alpha before and divided by it afterwards, so that the colours of transparent pixels do not bleed;
  /// `.nearest` moves pixels unchanged.
  /// - Parameters:
  ///   - region: the part of the image to look at; nil is all of it. What lies around it does not count.
  ///   - part: the part of the region that is resized, whose edges may lie within pixels; nil is all of it. Windows reach beyond it, as with
  ///     Pillow's argument `box`.
  ///   - window: the part of the result that is returned: columns and rows; nil is all of it.
  /// - Precondition: extents are at least 1, the parts are not empty and inside of the image and the result.
  package func resized(
    width: Int, height: Int, filter: ResamplingFilter = .bilinear, region: (columns: Range<Int>, rows: Range<Int>)? = nil,
    part: PixelRectangle? = nil,
    window: (x: Range<Int>, y: Range<Int>)? = nil
  ) -> Image {
    precondition(width > 0 && height > 0, "an image has at least one row and one column")
    let region = region ?? (0..<self.width, 0..<self.height)
    precondition(part?.isInside(width: region.columns.count, height: region.rows.count) ?? true, "the part lies in the region")
    let columns = window?.x ?? 0..<width
    let rows = window?.y ?? 0..<height
    precondition(!columns.isEmpty && !rows.isEmpty && columns.lowerBound >= 0 && rows.lowerBound >= 0, "the window is not empty")
    precondition(columns.upperBound <= width && rows.upperBound <= height, "the window lies in the result")
    let isWhole = region.columns == 0..<self.width && region.rows == 0..<self.height && part == nil
    if isWhole, width == self.width, height == self.height, columns.count == width, rows.count == height { return self }
    // Pixels that only move keep their colours.
    let moves = filter == .nearest || (part == nil && width == region.columns.count && height == region.rows.count)
    let blends = format == .rgba8 && !moves
    let image = blends ? unsafe mappingRows(to: format) { unsafe PixelRows.premultiply($0, alpha: .last, to: $1, count: self.width) } : self
    let channelCount = format.channelCount
    return image.withSource { whole in
      guard let source = whole.cropped(columns: region.columns, rows: region.rows) else {
        preconditionFailure("the region is not empty and lies in the image")
      }
      let resampler = PixelResampler(source: source, part: part, width: width, height: height, filter: filter, samples: .stored)
      return unsafe Image(width: columns.count, height: rows.count, format: format) { target in
        unsafe resampler.forEachRow(columns: columns, rows: rows) { row, column, count, samples in
          let result = unsafe target + ((row - rows.lowerBound) * columns.count + column - columns.lowerBound) * channelCount
          if blends {
            unsafe PixelRows.unpremultiply(samples, alpha: .last, to: result, count: count)
          } else {
            unsafe result.update(from: samples, count: count * channelCount)
          }
        }
      }
    }
  }

  /// Resizes the image so that its shorter side has `extent` pixels. As in torchvision, the longer side is rounded down.
  package func resizedShorterSide(to extent: Int, filter: ResamplingFilter = .bilinear) -> Image {
    if width <= height {
      return resized(width: extent, height: max(1, extent * height / width), filter: filter)
    }
    return resized(width: max(1, extent * width / height), height: extent, filter: filter)
  }

  /// The part of the image that a fit uses, at its placement in the target, surrounded by black (transparent with alpha).
  package func fitted(_ fit: PictureFit, filter: ResamplingFilter = .bilinear) -> Image {
    let placement = fit.placement
    let resized = resized(width: placement.width, height: placement.height, filter: filter, region: (fit.columns, fit.rows))
    return placement.width == placement.targetWidth && placement.height == placement.targetHeight ? resized : resized.placed(placement)
  }

  /// The means of boxes of `xFactor` times `yFactor` pixels, as Pillow's `Image.reduce`. Boxes at the right and at the bottom may be smaller.
  /// - Precondition: factors are at least 1 and at most 255.
  package func reduced(xFactor: Int, yFactor: Int) -> Image {
    precondition((1...255).contains(xFactor) && (1...255).contains(yFactor))
    let step = format.channelCount
    let (resultWidth, resultHeight) = ((width + xFactor - 1) / xFactor, (height + yFactor - 1) / yFactor)
    return unsafe Image(width: resultWidth, height: resultHeight, format: format) { target in
      unsafe pixels.withUnsafeBufferPointer { source in
        let source = source.baseAddress!
        PixelStripes.run(rowCount: resultHeight, pixelsPerRow: width * yFactor) { rows in
          unsafe ScratchMemory.with(UInt32.self, capacity: width * step) { sums in
            for row in rows {
              unsafe PixelRows.reduce(
                source + row * yFactor * width * step, rowByteCount: width * step, step: step, width: width, xFactor: xFactor,
                height: min(yFactor, height - row * yFactor), sums: sums, to: target + row * resultWidth * step)
            }
          }
        }
      }
    }
  }
}
