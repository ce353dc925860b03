import CoreGraphics
import MartletColor
import MartletKernels
import MartletPixels
import Synchronization

/// Memory that an image is rendered into: rows of the region from the top down.
@safe
struct Output: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let rowByteCount: Int
  let layout: FormatLayout
  /// Nil for the numbers of the working space.
  let space: CGColorSpace?
}

extension PixelRegion {
  /// Bytes of all pixels; nil if there are too many.
  func area(byteCount: Int) -> Int? {
    let (area, isOverflowing) = width.multipliedReportingOverflow(by: height)
    guard !isOverflowing, area <= 1 << 30 else { return nil }
    return area * byteCount
  }
}

extension Renderer {
  /// Renders a region.
  /// - Returns: false if it is too large, or colours cannot be converted; the output then has no meaning.
  func render(_ recipe: any Recipe, _ region: PixelRegion, to output: Output) -> Bool {
    if let isDone = moveBytes(recipe, region, output) { return isDone }
    guard let writer = RowWriter(output, self) else { return false }
    // Tiles are large where much around them is needed; where nothing is, so low that they stay in the cache.
    let side = min(max(4 * recipe.reach, 256), 4096)
    let height = recipe.reach == 0 ? side / 4 : side
    let columns = (region.width + side - 1) / side
    let rows = (region.height + height - 1) / height
    let failure = Mutex<RenderError?>(nil)
    PixelStripes.run(rowCount: columns * rows, pixelsPerRow: min(side, region.width) * min(height, region.height)) { tiles in
      for index in tiles {
        if failure.withLock({ $0 != nil }) { return }
        let (row, column) = index.quotientAndRemainder(dividingBy: columns)
        let left = region.x.lowerBound + column * side
        let top = region.y.upperBound - row * height
        let part = PixelRegion(
          x: left..<min(left + side, region.x.upperBound), y: max(top - height, region.y.lowerBound)..<top)
        do throws(RenderError) {
          let tile = try self.tile(recipe, part)
          for y in part.y { unsafe writer.write(tile, y, to: output.place(left, y, in: region)) }
        } catch {
          failure.withLock { $0 = error }
        }
      }
    }
    return failure.withLock { $0 == nil }
  }

  /// Moves bytes of a picture whose pixels do not change otherwise. Nil if the recipe, the formats or the colour spaces are others.
  private func moveBytes(_ recipe: any Recipe, _ region: PixelRegion, _ output: Output) -> Bool? {
    guard output.layout.number == .byte, let places = output.layout.places, let moved = recipe.moved else { return nil }
    let target: CGColorSpace?
    if space == nil {
      target = nil
    } else {
      guard moved.picture.isManaged, let space = output.space else { return nil }
      target = space
    }
    let visible = region.intersection(moved.visible)
    let step = output.layout.components.count
    guard moved.canBeRead(in: target) else { return nil }
    // Blocks of rows, so that turned rows are read in one piece.
    let blockHeight = 64
    let blocks = (region.height + blockHeight - 1) / blockHeight
    PixelStripes.run(rowCount: blocks, pixelsPerRow: blockHeight * region.width) { range in
      let top = region.y.upperBound - range.lowerBound * blockHeight
      let rows = max(region.y.upperBound - range.upperBound * blockHeight, region.y.lowerBound)..<top
      let part = PixelRegion(x: visible.x, y: visible.y.clamped(to: rows))
      if part != PixelRegion(x: region.x, y: rows) {
        for y in rows { unsafe output.clear(output.place(region.x.lowerBound, y, in: region), count: region.width) }
      }
      if part.isEmpty { return }
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4 * part.width * part.height) { memory in
        let pixels = memory.baseAddress!
        _ = unsafe moved.read(part, space: target, to: pixels)
        for (index, y) in part.y.reversed().enumerated() {
          unsafe PixelRows.reorder(
            pixels + 4 * index * part.width, PixelChannels(step: 4, places: places),
            to: output.place(part.x.lowerBound, y, in: region).assumingMemoryBound(to: UInt8.self), step: step, count: part.width)
        }
      }
    }
    return true
  }
}

extension Output {
  /// The first byte of a pixel.
  func place(_ x: Int, _ y: Int, in region: PixelRegion) -> UnsafeMutableRawPointer {
    unsafe base + ((region.y.upperBound - 1 - y) * rowByteCount + (x - region.x.lowerBound) * layout.pixelByteCount)
  }

  /// Makes pixels of bytes transparent; those without alpha become black.
  func clear(_ row: UnsafeMutableRawPointer, count: Int) {
    let step = layout.components.count
    unsafe row.initializeMemory(as: UInt8.self, repeating: 0, count: count * step)
    guard let skipped = layout.components.firstIndex(of: .skipped) else { return }
    for index in 0..<count { unsafe row.storeBytes(of: 255, toByteOffset: index * step + skipped, as: UInt8.self) }
  }
}

extension FormatLayout {
  /// Which of red, green, blue and alpha each byte of a pixel is; -1 for none. Nil for layouts without colours.
  var places: SIMD4<Int8>? {
    guard components.contains(.red), components.contains(.green), components.contains(.blue) else { return nil }
    var result = SIMD4<Int8>(repeating: -1)
    for (index, component) in components.enumerated() {
      switch component {
      case .red: result[index] = 0
      case .green: result[index] = 1
      case .blue: result[index] = 2
      case .alpha: result[index] = 3
      case .luma, .skipped: break
      }
    }
    return result
  }
}

/// Writes rows of tiles in a format and a colour space.
private struct RowWriter {
  private let layout: FormatLayout
  private let transform: ColorTransform?
  /// True if the space of the result has shades only, which the first component then is.
  private let isGray: Bool

  /// Nil if colours cannot be converted or the space does not have what the format asks for.
  init?(_ output: Output, _ renderer: Renderer) {
    layout = output.layout
    isGray = output.space?.model == .monochrome && renderer.space != nil
    if let space = output.space, space.model != .rgb, space.model != .monochrome { return nil }
    if isGray, layout.places != nil { return nil }
    do throws(RenderError) {
      let own = renderer.space ?? CGColorSpaceCreateDeviceRGB()
      transform =
        try renderer.space == nil || output.space == nil
        ? ColorTransforms.transform(from: own, to: own) : renderer.fromWorkingSpace(to: output.space ?? own)
    } catch {
      return nil
    }
    if transform == nil { return nil }
  }

  func write(_ tile: Tile, _ y: Int, to target: UnsafeMutableRawPointer) {
    let count = tile.region.width
    let start = tile.index(tile.region.x.lowerBound, y)
    if layout.number == .byte, let places = layout.places, let transform, transform.convertsBytes {
      unsafe tile.pixels.withUnsafeBufferPointer { pixels in
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4 * count) { bytes in
          let bytes = bytes.baseAddress!
          unsafe transform.convert(pixels.baseAddress! + start, count: count, to: bytes)
          unsafe PixelRows.reorder(
            bytes, PixelChannels(step: 4, places: places), to: target.assumingMemoryBound(to: UInt8.self), step: layout.components.count,
            count: count)
        }
      }
      return
    }
    let pixels = tile.pixels[start..<start + count]
    var colors = pixels.map(\.straight)
    transform?.convert(&colors)
    var place = unsafe target
    for (color, pixel) in zip(colors, pixels) {
      let final = SIMD4(color, alpha: pixel.w).premultiplied
      for component in layout.components {
        unsafe write(value(component, final), to: place)
        unsafe place += layout.componentByteCount
      }
    }
  }

  private func value(_ component: FormatLayout.Component, _ color: SIMD4<Float>) -> Float {
    switch component {
    case .red: color.x
    case .green: isGray ? color.x : color.y
    case .blue: isGray ? color.x : color.z
    case .alpha: color.w
    case .luma: isGray ? color.x : 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z
    case .skipped: 1
    }
  }

  private func write(_ value: Float, to place: UnsafeMutableRawPointer) {
    // Not a number becomes 0 where numbers are whole.
    let bounded = value > 0 ? min(value, 1) : 0
    switch layout.number {
    case .byte: unsafe place.storeBytes(of: UInt8(bounded * 255 + 0.5), as: UInt8.self)
    case .word: unsafe place.storeBytes(of: UInt16(bounded * 65_535 + 0.5), as: UInt16.self)
    case .half: unsafe place.storeBytes(of: Float16(value), as: Float16.self)
    case .float: unsafe place.storeBytes(of: value, as: Float.self)
    }
  }
}
