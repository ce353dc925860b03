import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Layers that change the extents of images: padding, cropping, resizing, blocks of pixels.
extension NetworkCall {
  // MARK: Padding

  func pad(_ kind: NetworkPad, _ borders: NetworkBorders) throws {
    let input = try input()
    let x = try rank(input) < 3 ? input : try image(input)
    var operands: [ValueID?] = [x]
    let mode: Pad.Mode
    switch kind {
    case .constant(let value):
      mode = .constant
      operands.append(number(.double(Double(value))))
    case .reflection: mode = .reflect
    case .replication: mode = .replicate
    }
    let op = Pad(mode, before: borders.before.map { .constant($0) }, after: borders.after.map { .constant($0) })
    let result = try applied(op, operands)
    if x == input { try set(result) } else { try set(image: result, like: input) }
  }

  /// Amounts before and after each axis, or the extents of the result, on the side on which they stand.
  func padAll(_ value: Float, _ amounts: [Int], isOutputSize: Bool) throws {
    let input = try input()
    let rank = try rank(input)
    var numbers = amounts.map { GraphNumber($0) }
    // In range: twice the rank of a tensor.
    let count = 2 * rank
    if let second = try optionalInput(1) { numbers = try integers(second, count: count) }
    guard numbers.count == count else { throw CallError("\(numbers.count) amounts do not fit rank \(rank)") }
    if isOutputSize {
      for axis in 0..<rank {
        let missing = try (0..<2).map { side in
          // An extent of 0 stands for none.
          try arithmetic(.max, try arithmetic(.sub, numbers[2 * axis + side], try extent(of: input, axis: axis)), GraphNumber(0))
        }
        (numbers[2 * axis], numbers[2 * axis + 1]) = (missing[0], missing[1])
      }
    }
    var operands: [ValueID?] = [input, number(.double(Double(value)))]
    let arguments = try intArguments(numbers, "padAmounts", &operands)
    let op = Pad(.constant, before: (0..<rank).map { arguments[2 * $0] }, after: (0..<rank).map { arguments[2 * $0 + 1] })
    try set(try applied(op, operands))
  }

  // MARK: Cropping

  func crop(_ borders: NetworkBorders?, _ offset: [Int]) throws {
    let input = try input()
    var x = try image(input)
    if let borders {
      for side in 0..<2 {
        let end: SliceRange.End = borders.after[side] == 0 ? .rest : .position(.constant(-borders.after[side]))
        x = try sliced([x], axis: 2 + side, SliceRange(start: .constant(borders.before[side]), end: end))
      }
    } else {
      let reference = try image(try self.input(1))
      for side in 0..<2 {
        var operands: [ValueID?] = [x]
        let count = try intArguments([try extent(of: reference, axis: 2 + side)], "size", &operands)[0]
        x = try sliced(operands, axis: 2 + side, SliceRange(start: .constant(offset[side]), end: .count(count)))
      }
    }
    try set(image: x, like: input)
  }

  // MARK: Resizing

  func upsample(_ height: Float, _ width: Float, _ mode: NetworkUpsampling) throws {
    let input = try input()
    let x = try image(input)
    let sampling: SamplingMode =
      switch mode {
      case .nearest, .bilinear: .regular
      case .bilinearAligned: .strictAlignCorners
      case .bilinearUnaligned: .unalignCorners
      }
    func extent(_ axis: Int, _ factor: Float) throws -> SampledResize.Extent {
      guard case .fixed(let extent) = try signature(of: x).dimensions[axis] else { return .factor(Double(factor)) }
      guard let scaled = Int(exactly: (Double(extent) * Double(factor)).rounded(.down)) else {
        throw CallError("an extent of \(extent) × \(factor) is too large")
      }
      return .count(.constant(scaled))
    }
    let op = SampledResize(
      height: try extent(2, height), width: try extent(3, width), mode: sampling, takesNearest: mode == .nearest)
    try set(image: try applied(op, [x]), like: input)
  }

  func resize(_ height: Int, _ width: Int, _ sampling: NetworkSampling) throws {
    let input = try input()
    let op = SampledResize(
      height: .count(.constant(height)), width: .count(.constant(width)), mode: sampling.mode, takesNearest: false)
    try set(image: try applied(op, [try image(input)]), like: input)
  }

  /// Images [1, Batch, C, H, W] and boxes [N, 1, 4 or 5, 1, 1].
  func add(_ crop: NetworkCropResize) throws {
    let (images, boxes) = (try input(0), try input(1))
    guard try rank(images) == 5, try rank(boxes) == 5 else { throw CallError("images and boxes must have rank 5") }
    let extents = try extents(of: boxes)
    guard let numbers = extents[2].known?.intValue, numbers == 4 || numbers == 5 else {
      throw CallError("a box does not have 4 or 5 numbers")
    }
    let form: CropSampling.BoxForm =
      crop.areBoxesCentered ? .centerSize(widthFirst: crop.isWidthFirst) : .corners(widthFirst: crop.isWidthFirst)
    let op = CropResize(
      height: .constant(crop.height), width: .constant(crop.width),
      sampling: CropSampling(
        mode: crop.sampling.mode, boxForm: form, isNormalized: crop.hasNormalizedBoxes, scale: crop.spatialScale, padding: 0))
    let result = try applied(op, [try image(images), try reshaped(boxes, [extents[0], extents[2]]), nil])
    try set(numbers == 4 ? result : try unsqueezed(result, axis: 1))
  }

  /// The elements of the windows along an axis are on a new axis after it.
  func slidingWindows(_ axis: Int, _ size: Int, _ step: Int) throws {
    let input = try input()
    let rank = try rank(input)
    let axis = try self.axis(axis, of: input)
    let windows = try applied(Unfold(axis: axis, size: size, step: step), [input])
    try set(try permuted(windows, Array(0...axis) + [rank] + Array(axis + 1..<rank)))
  }

  func reorganize(_ kind: NetworkReorganization, _ blockSize: Int) throws {
    let input = try input()
    let op = PixelShuffle(factor: blockSize, isInverse: kind == .spaceToDepth, blocksFirst: kind != .pixelShuffle)
    try set(image: try applied(op, [try image(input)]), like: input)
  }
}

extension NetworkSampling {
  fileprivate var mode: SamplingMode {
    switch self {
    case .strictAlignEndpoints: .strictAlignCorners
    case .alignEndpoints: .alignCorners
    case .upsample: .regular
    case .roiAlign: .offsetCorners
    }
  }
}
