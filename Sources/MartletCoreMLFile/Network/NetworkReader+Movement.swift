import MartletBytes
import MartletTensor

extension NetworkReader {
  /// Layers that move elements; nil for others.
  func movement(_ parameters: SpecNeuralNetworkLayer.OneOf_Layer) throws(FileError) -> NetworkOperation? {
    switch parameters {
    case .copy: return .copy
    case .concat(let source): return .concatOld(isSequence: source.sequenceConcat)
    case .concatNd(let source): return .concat(axis: try int(source.axis, "axis"), isInterleaved: source.interleave)
    case .stack(let source): return .stack(axis: try int(source.axis, "axis"))
    case .split(let source): return .splitOld(count: try extent(source.nOutputs, "nOutputs"))
    case .splitNd(let source):
      let sizes = try extents(source.splitSizes, "splitSizes")
      // The number of parts is that of the sizes, if there are any.
      let count = sizes.isEmpty ? try extent(source.numSplits, "numSplits") : sizes.count
      return .split(axis: try int(source.axis, "axis"), count: count, sizes: sizes)
    case .sequenceRepeat(let source):
      return .sequenceRepeat(count: source.nRepetitions == 0 ? 1 : try extent(source.nRepetitions, "nRepetitions"))
    case .tile(let source): return .tile(try extents(source.reps, "reps"))
    case .reverse(let source): return .reverse(source.reverseDim)
    case .reverseSeq(let source):
      return .reverseSequence(batchAxis: try int(source.batchAxis, "batchAxis"), sequenceAxis: try int(source.sequenceAxis, "sequenceAxis"))
    case .slice(let source):
      let (start, end) = (try int(source.startIndex, "startIndex"), try int(source.endIndex, "endIndex"))
      // Negative positions count from the end. Whether a position from the end lies before one from the start depends on the input.
      guard end == 0 || (start < 0) != (end < 0) || start <= end else {
        throw error("endIndex", "\(end) lies before the start, \(start)")
      }
      return .sliceOld(try axis(source.axis), start: start, end: end, stride: try extent(source.stride, "stride"))
    case .sliceStatic(let source):
      return .slice(
        try slice(
          begins: source.beginIds, source.beginMasks, source.endIds, source.endMasks, source.strides, source.squeezeMasks))
    case .sliceDynamic(let source):
      return .slice(try slice(begins: nil, source.beginMasks, source.endIds, source.endMasks, source.strides, source.squeezeMasks))
    case .sliceBySize(let source): return .sliceBySize(axis: try int(source.axis, "axis"), size: try extent(source.size, "size"))
    case .gather(let source): return .gather(axis: try int(source.axis, "axis"))
    case .gatherAlongAxis(let source): return .gatherAlong(axis: try int(source.axis, "axis"))
    case .gatherNd: return .gatherND
    case .scatter(let source): return .scatter(axis: try int(source.axis, "axis"), try scatter(source.mode))
    case .scatterAlongAxis(let source): return .scatterAlong(axis: try int(source.axis, "axis"), try scatter(source.mode))
    case .scatterNd(let source): return .scatterND(try scatter(source.mode))
    case .whereNonZero: return .nonZero
    case .matrixBandPart(let source):
      return .bandPart(lower: try int(source.numLower, "numLower"), upper: try int(source.numUpper, "numUpper"))
    case .upperTriangular(let source): return .triangle(isUpper: true, diagonal: try int(source.k, "k"))
    case .lowerTriangular(let source): return .triangle(isUpper: false, diagonal: try int(source.k, "k"))
    default: return nil
    }
  }

  private func slice(
    begins: [Int64]?, _ beginMasks: [Bool], _ ends: [Int64], _ endMasks: [Bool], _ strides: [Int64], _ squeezeMasks: [Bool]
  ) throws(FileError) -> NetworkSlice {
    if let begins {
      guard !begins.isEmpty else { throw error("beginIds", "are missing") }
      for (field, count) in [
        ("beginMasks", beginMasks.count), ("endIds", ends.count), ("endMasks", endMasks.count), ("strides", strides.count),
      ] where count != begins.count {
        throw error(field, "has \(count) entries for \(begins.count) axes")
      }
      guard squeezeMasks.isEmpty || squeezeMasks.count == begins.count else {
        throw error("squeezeMasks", "has \(squeezeMasks.count) entries for \(begins.count) axes")
      }
    }
    guard !strides.contains(0) else { throw error("strides", "\(strides) contain 0") }
    return NetworkSlice(
      begins: try begins.map { begins throws(FileError) in try ints(begins, "beginIds") }, beginMasks: beginMasks,
      ends: try ints(ends, "endIds"), endMasks: endMasks, strides: try ints(strides, "strides"), squeezeMasks: squeezeMasks)
  }

  private func axis(_ axis: SpecSliceLayerParams.SliceAxis) throws(FileError) -> NetworkAxis {
    switch axis {
    case .channelAxis: .channel
    case .heightAxis: .height
    case .widthAxis: .width
    case .UNRECOGNIZED(let value): throw error("axis", "\(value) is not an axis")
    }
  }

  private func scatter(_ mode: SpecScatterMode) throws(FileError) -> NetworkScatter {
    switch mode {
    case .scatterUpdate: .update
    case .scatterAdd: .add
    case .scatterSub: .subtract
    case .scatterMul: .multiply
    case .scatterDiv: .divide
    case .scatterMax: .max
    case .scatterMin: .min
    case .UNRECOGNIZED(let value): throw error("mode", "\(value) is not a mode")
    }
  }
}
