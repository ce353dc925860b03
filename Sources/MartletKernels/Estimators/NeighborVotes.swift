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
  private static let rowCount = 64

  /// Fewer rows than that are compared with every sample.
  private static let leastFilteredRows = 16

  /// Number of elements of the samples' norms for `rows` rows; nil if they are not used.
  package static func normCount(rows: Int, samples: Int) -> Int? {
    rows < leastFilteredRows ? nil : SampleBlocks.elementCount(samples: samples, columns: 1).value
  }

  /// Scratch memory of a worker, in bytes.
  package var scratchByteCount: Int {
    // In range: a multiple of a number of samples in memory.
    Self.rowCount * (count * 16 + 24) + SampleBlocks.rowCount * (SampleBlocks.laneCount * 8 + 2)
  }

  /// Writes each class's share of the votes. Of samples at the same distance the one with the lower index is nearer.
  ///
  /// Given room for norms, products tell which samples of a block cannot be among the nearest; distances are the same with and without.
  /// - Parameters:
  ///   - x: [rows, columns] of float64, row-major.
  ///   - blocks: the samples, in `SampleBlocks`; at least `count`.
  ///   - classes: [samples] of int32, below the number of columns of `y`.
  ///   - norms: [`normCount`] of float64, or nil.
  ///   - y: [rows, classes] of float64, row-major.
  package func kernel(
    x: TensorView, blocks: TensorView, classes: TensorView, norms: TensorView?, y: TensorView, scratch: TensorView
  ) -> Kernel {
    let (rows, columns, samples, width) = (x.shape[0], x.shape[1], classes.shape[0], y.shape[1])
    let lanes = SampleBlocks.laneCount
    // Sums of n terms are off by less than n units in the last place of the sum of magnitudes.
    let slack = Double(columns + 16) * 4 * Double.ulpOfOne
    return { context in
      let source = unsafe context.pointer(x, as: Double.self)
      let vectors = unsafe context.pointer(blocks, as: Double.self)
      let labels = context.elements(classes, as: Int32.self)
      let votes = context.elements(y, as: Double.self)
      let squares = unsafe norms.map { unsafe context.pointer($0, as: Double.self) }
      if let squares = unsafe squares { unsafe Self.squaredNorms(of: vectors, samples: samples, columns: columns, to: squares) }
      let grain = max(1, (1 << 17) / max(samples * columns, 1))
      context.parallelRanges(rows, grain: grain, largest: 64) { range, worker in
        let own = unsafe context.scratch(scratch, worker: worker, as: UInt8.self)
        let memory = UnsafeMutableRawPointer(own)
        let distances = unsafe memory.assumingMemoryBound(to: Double.self)
        let indices = unsafe (memory + Self.rowCount * count * 8).assumingMemoryBound(to: Int.self)
        let counts = unsafe (memory + Self.rowCount * count * 16).assumingMemoryBound(to: Int.self)
        let ownNorms = unsafe (memory + Self.rowCount * (count * 16 + 8)).assumingMemoryBound(to: Double.self)
        // The distance above which a sample is not among the nearest so far.
        let limits = unsafe ownNorms + Self.rowCount
        let values = unsafe limits + Self.rowCount
        // A bit for each sample of a block.
        let candidates = unsafe UnsafeMutableRawPointer(values + SampleBlocks.rowCount * lanes).assumingMemoryBound(to: UInt16.self)
        var start = range.lowerBound
        while start < range.upperBound, !context.isCancelled {
          let rowCount = min(Self.rowCount, range.upperBound - start)
          for row in 0..<rowCount {
            unsafe counts[row] = 0
            unsafe limits[row] = .infinity
            if unsafe squares != nil { unsafe ownNorms[row] = Self.squaredNorm(source + (start + row) * columns, columns) }
          }
          for block in 0..<(samples + lanes - 1) / lanes {
            let present = UInt16.max >> UInt16(max(0, lanes - (samples - block * lanes)))
            let group = unsafe vectors + block * lanes * columns
            for first in stride(from: 0, to: rowCount, by: SampleBlocks.rowCount) {
              let part = min(SampleBlocks.rowCount, rowCount - first)
              let x = unsafe source + (start + first) * columns
              if let squares = unsafe squares {
                unsafe mk_sample_candidates(
                  x, columns, Int32(part), group, columns, ownNorms + first, squares + block * lanes, slack, limits + first, candidates)
              } else {
                for row in 0..<part { unsafe candidates[row] = .max }
              }
              var near = 0
              for row in 0..<part where unsafe candidates[row] & present != 0 { near += 1 }
              if near > 2 { unsafe mk_sample_distances(x, columns, Int32(part), group, columns, values) }
              for row in 0..<part {
                let bits = unsafe candidates[row] & present
                if bits == 0 { continue }
                if near <= 2 { unsafe mk_sample_distances(x + row * columns, columns, 1, group, columns, values + row * lanes) }
                unsafe insert(
                  values + row * lanes, bits, block * lanes, distances + (first + row) * count, indices + (first + row) * count,
                  &counts[first + row])
                if unsafe counts[first + row] == count { unsafe limits[first + row] = distances[(first + row) * count + count - 1] }
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

  private static func squaredNorms(
    of blocks: UnsafePointer<Double>, samples: Int, columns: Int, to norms: UnsafeMutablePointer<Double>
  ) {
    let lanes = SampleBlocks.laneCount
    for block in 0..<(samples + lanes - 1) / lanes {
      for lane in 0..<lanes { unsafe norms[block * lanes + lane] = 0 }
      for column in 0..<columns {
        let numbers = unsafe blocks + (block * columns + column) * lanes
        for lane in 0..<lanes { unsafe norms[block * lanes + lane] += numbers[lane] * numbers[lane] }
      }
    }
  }

  private static func squaredNorm(_ numbers: UnsafePointer<Double>, _ count: Int) -> Double {
    var sum = 0.0
    for index in 0..<count { unsafe sum += numbers[index] * numbers[index] }
    return sum
  }

  /// Keeps the `count` nearest samples so far, ascending by distance. NaN is farther than any number.
  /// - Parameter lanes: a bit for each sample of the block that counts.
  @inline(__always)
  private func insert(
    _ values: UnsafePointer<Double>, _ lanes: UInt16, _ base: Int, _ distances: UnsafeMutablePointer<Double>,
    _ indices: UnsafeMutablePointer<Int>, _ filled: inout Int
  ) {
    var rest = lanes
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest - 1
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
