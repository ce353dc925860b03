package import MartletTensor

/// Samples in blocks whose columns are vectors with a number for each sample of the block.
package enum SampleBlocks {
  package static let laneCount = 16
  /// Maximum number of rows that are compared with a block at once.
  static let rowCount = 8

  /// Number of elements of the blocks.
  package static func elementCount(samples: Int, columns: Int) -> Extent {
    Extent(samples).dividedRoundingUp(by: laneCount) * laneCount * columns
  }

  /// Writes samples, row-major, to blocks. Places after the last sample are zeros.
  package static func pack(_ samples: UnsafePointer<Double>, count: Int, columns: Int, to blocks: UnsafeMutablePointer<Double>) {
    for block in 0..<(count + laneCount - 1) / laneCount {
      let target = unsafe blocks + block * laneCount * columns
      for lane in 0..<laneCount {
        let sample = block * laneCount + lane
        for column in 0..<columns {
          unsafe target[column * laneCount + lane] = sample < count ? samples[sample * columns + column] : 0
        }
      }
    }
  }

  /// The kernel that packs a tensor [count, columns] of float64, row-major.
  package static func packingKernel(_ samples: TensorView, to blocks: TensorView) -> Kernel {
    let (count, columns) = (samples.shape[0], samples.shape[1])
    return { context in unsafe pack(context.pointer(samples), count: count, columns: columns, to: context.pointer(blocks)) }
  }
}
