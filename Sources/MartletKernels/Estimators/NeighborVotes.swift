internal import CMartletKernels
package import MartletTensor

/// Votes of the samples that are nearest to a row.
package struct NeighborVotes: Sendable {
  /// Number of samples that vote.
  package var count: Int
  /// True if a vote is divided by the sample's distance; samples at a distance of 0 are then the only ones that vote.
  package var isWeighted: Bool

  package init(count: Int, isWeighted: Bool) {
    self.count = count
    self.isWeighted = isWeighted
  }

  /// Rows that are compared with a block of samples while it is in the cache.
  private static let rowCount = 16

  /// Scratch memory of a worker, in bytes.
  package var scratchByteCount: Int {
    // In range: a multiple of a number of samples in memory.
    Self.rowCount * (count * 16 + 8) + SampleBlocks.rowCount * SampleBlocks.laneCount * 8
  }

  /// Writes each class's share of the votes. Of samples at the same distance the one with the lower index is nearer.
  /// - Parameters:
  ///   - x: [rows, columns] of float64, row-major.
  ///   - blocks: the samples, in `SampleBlocks`; at least `count`.
  ///   - classes: [samples] of int32, below the number of columns of `y`.
  ///   - y: [rows, classes] of float64, row-major.
  package func kernel(x: TensorView, blocks: TensorView, classes: TensorView, y: TensorView, scratch: TensorView) -> Kernel {
    let (rows, columns, samples, width) = (x.shape[0], x.shape[1], classes.shape[0], y.shape[1])
    let lanes = SampleBlocks.laneCount
    return { context in
      let source = unsafe context.pointer(x, as: Double.self)
      let vectors = unsafe context.pointer(blocks, as: Double.self)
      let labels = context.elements(classes, as: Int32.self)
      let votes = context.elements(y, as: Double.self)
      let grain = max(1, (1 << 17) / max(samples * columns, 1))
      context.parallelRanges(rows, grain: grain, largest: 64) { range, worker in
        let own = unsafe context.scratch(scratch, worker: worker, as: UInt8.self)
        let memory = UnsafeMutableRawPointer(own)
        let distances = unsafe memory.assumingMemoryBound(to: Double.self)
        let indices = unsafe (memory + Self.rowCount * count * 8).assumingMemoryBound(to: Int.self)
        let counts = unsafe (memory + Self.rowCount * count * 16).assumingMemoryBound(to: Int.self)
        let values = unsafe (memory + Self.rowCount * (count * 16 + 8)).assumingMemoryBound(to: Double.self)
        var start = range.lowerBound
        while start < range.upperBound, !context.isCancelled {
          let rowCount = min(Self.rowCount, range.upperBound - start)
          for row in 0..<rowCount { unsafe counts[row] = 0 }
          for block in 0..<(samples + lanes - 1) / lanes {
            let present = min(lanes, samples - block * lanes)
            for first in stride(from: 0, to: rowCount, by: SampleBlocks.rowCount) {
              let part = min(SampleBlocks.rowCount, rowCount - first)
              unsafe mk_sample_distances(
                source + (start + first) * columns, columns, Int32(part), vectors + block * lanes * columns, columns, values)
              for row in 0..<part {
                unsafe insert(
                  values + row * lanes, present, block * lanes, distances + (first + row) * count, indices + (first + row) * count,
                  &counts[first + row])
              }
            }
          }
          for row in 0..<rowCount {
            unsafe vote(
              distances + row * count, indices + row * count, counts[row], labels, votes, (start + row) * width, width)
          }
          start += rowCount
        }
      }
    }
  }

  /// Keeps the `count` nearest samples so far, ascending by distance. NaN is farther than any number.
  @inline(__always)
  private func insert(
    _ values: UnsafePointer<Double>, _ present: Int, _ base: Int, _ distances: UnsafeMutablePointer<Double>,
    _ indices: UnsafeMutablePointer<Int>, _ filled: inout Int
  ) {
    for lane in 0..<present {
      let distance = unsafe values[lane].isNaN ? Double.infinity : values[lane]
      if filled == count, unsafe !(distance < distances[count - 1]) { continue }
      var place = filled == count ? count - 1 : filled
      while place > 0, unsafe distances[place - 1] > distance {
        unsafe distances[place] = distances[place - 1]
        unsafe indices[place] = indices[place - 1]
        place -= 1
      }
      unsafe distances[place] = distance
      unsafe indices[place] = base + lane
      if filled < count { filled += 1 }
    }
  }

  private func vote(
    _ distances: UnsafePointer<Double>, _ indices: UnsafePointer<Int>, _ filled: Int, _ labels: Elements<Int32>, _ votes: Elements<Double>,
    _ first: Int, _ width: Int
  ) {
    for label in 0..<width { votes[first + label] = 0 }
    let isExact = unsafe isWeighted && filled > 0 && distances[0] == 0
    var total = 0.0
    for neighbor in 0..<filled {
      let distance = unsafe distances[neighbor]
      let weight = isWeighted ? (isExact ? (distance == 0 ? 1 : 0) : 1 / distance.squareRoot()) : 1
      votes[first + Int(labels[unsafe indices[neighbor]])] += weight
      total += weight
    }
    if total > 0 { for label in 0..<width { votes[first + label] /= total } }
  }
}
