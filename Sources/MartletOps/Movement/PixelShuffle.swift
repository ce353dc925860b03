package import MartletGraph
import MartletTensor

/// Moves channels into blocks of pixels, `[…, C r², H, W]` to `[…, C, H r, W r]`, or back.
/// - Shapes: rank at least 3. - DTypes: all.
/// - Layout: follows the operand.
/// - Sources: ATen `pixel_shuffle.out`, `pixel_unshuffle.out`; MIL `pixel_shuffle`, `pixel_unshuffle`, `depth_to_space`,
///   `space_to_depth`.
package struct PixelShuffle: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  /// Width and height `r` of a block.
  package var factor: Int
  /// Whether blocks of pixels are moved into channels.
  package var isInverse: Bool
  /// Whether pixel (i, j) of a block of channel c is channel `(i r + j) C + c`; otherwise it is channel `(c r + i) r + j`.
  package var blocksFirst: Bool
  package var name: String { isInverse ? "pixel_unshuffle" : "pixel_shuffle" }

  package init(factor: Int, isInverse: Bool, blocksFirst: Bool = false) {
    self.factor = factor
    self.isInverse = isInverse
    self.blocksFirst = blocksFirst
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    var x = try operands.tensor(0)
    guard x.rank >= 3, factor > 0 else { throw .invalid("\(name) by \(factor) does not fit \(x.shape)") }
    let area = try extentProduct(factor, factor)
    let (c, h, w) = (x.rank - 3, x.rank - 2, x.rank - 1)
    if isInverse {
      guard x.shape[h] % factor == 0, x.shape[w] % factor == 0 else { throw .invalid("\(name) by \(factor) does not fit \(x.shape)") }
      x.shape[c] = try extentProduct(x.shape[c], area)
      x.shape[h] /= factor
      x.shape[w] /= factor
    } else {
      guard x.shape[c] % area == 0 else { throw .invalid("\(name) by \(factor) does not fit \(x.shape)") }
      x.shape[c] /= area
      x.shape[h] = try extentProduct(x.shape[h], factor)
      x.shape[w] = try extentProduct(x.shape[w], factor)
    }
    return [.tensor(x)]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacingLast: [nil, nil, nil])
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { node.input(0).denseOrder }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.input(0)
    let output = node.outputs[0]
    if output.isEmpty { return }
    // Both sides viewed as […, C, r, r, H, W].
    let (deep, wide) = isInverse ? (output, x) : (x, output)
    var channels = deep
    let c = deep.rank - 3
    let count = deep.shape[c] / (factor * factor)
    let stride = deep.strides[c]
    channels.shape.replaceSubrange(c...c, with: [count, factor, factor])
    channels.strides.replaceSubrange(
      c...c,
      with: blocksFirst
        ? [stride, stride * factor * count, stride * count] : [stride * factor * factor, stride * factor, stride])
    var pixels = wide
    pixels.shape = channels.shape
    pixels.strides.replaceSubrange(
      (c + 1)..., with: [wide.strides[c + 1], wide.strides[c + 2], wide.strides[c + 1] * factor, wide.strides[c + 2] * factor])
    node.builder.emitCopy(
      from: isInverse ? pixels : channels, to: isInverse ? channels : pixels, source: node.source)
  }
}

/// Cuts an image into square tiles, row by row: `[C, H, W]` to `[tiles, C, s, s]`.
/// - Shapes: rank 3; height and width are multiples of the tile's side. - DTypes: all.
/// - Sources: `preprocess::tile_crop.out`.
package struct TileCrop: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  /// Side `s` of a tile in pixels.
  package var side: Int
  package var name: String { "tile_crop" }

  package init(side: Int) { self.side = side }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.rank == 3, side > 0, x.shape[1] % side == 0, x.shape[2] % side == 0 else {
      throw .invalid("tiles of \(side) pixels do not fit \(x.shape)")
    }
    let tiles = try extentProduct(x.shape[1] / side, x.shape[2] / side)
    return [.tensor(TensorType(x.dtype, [tiles, x.shape[0], side, side]))]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    [nil, operands.extent(0, axis: 0), .fixed(side), .fixed(side)]
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    var tiles = node.input(0)
    let output = node.outputs[0]
    if output.isEmpty { return }
    let (c, h, w) = (tiles.strides[0], tiles.strides[1], tiles.strides[2])
    let rows = tiles.shape[1] / side
    let columns = tiles.shape[2] / side
    tiles.shape = [rows, columns, tiles.shape[0], side, side]
    tiles.strides = [h * side, w * side, c, h, w]
    guard let target = output.reshaped(tiles.shape) else { throw .invalid("the result must be row-major") }
    node.builder.emitCopy(from: tiles, to: target, source: node.source)
  }
}
